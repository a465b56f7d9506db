import { z } from 'zod'
import { type CollectorContract, isStamped, limitFaults, stampFaults, stampShape, tagShape } from '../contract.ts'
import { TimestampFormat, TimeZone } from '../timestamps.ts'
import { brokerFaults, brokerInBundle, brokerShape, isTopic } from './broker-settings.ts'

const name = z.string().min(1).max(255)

const Topic = z.object({
  topic: z
    .string()
    .min(1)
    .max(1_000)
    .refine(isTopic, 'must not hold + or #: name each topic, so that its values become one series'),
  /** of a JSON object: the key, or the way to it, such as `data.temperature`; absent: the message is the value */
  field: name.optional(),
  ...tagShape,
})

/** Settings of a collector of MQTT topics, whose messages are numbers or JSON. */
export const MqttConfig = z.object({
  ...brokerShape,
  qos: z.union([z.literal(0), z.literal(1)]).default(1),
  /** where a JSON object says when it was measured; absent: the time at which it comes */
  timestamp: z.strictObject({ field: name, format: TimestampFormat, time_zone: TimeZone }).optional(),
  ...stampShape('a broker sets no timestamps'),
  /** whether the broker keeps messages while the agent is off; default: where that loses and misdates nothing, with qos 1 and a timestamp */
  persistent_session: z.boolean().optional(),
  topics: z.array(Topic).max(10_000).default([]),
})
export type MqttConfig = z.infer<typeof MqttConfig>

export const isPersistent = (config: MqttConfig): boolean => config.persistent_session ?? (config.qos === 1 && isStamped(config))

const sessionFaults = (config: MqttConfig): { path: string; message: string }[] => {
  const { persistent_session, qos, timestamps } = config
  if (!persistent_session) return []
  if (qos === 0) return [{ path: 'persistent_session', message: 'needs qos: 1, because the broker keeps no messages of qos 0' }]
  if (isStamped(config)) return []
  if (timestamps === 'agent')
    return [{ path: 'persistent_session', message: 'must be false with timestamps: agent, which dates messages as they come' }]
  return [
    {
      path: 'persistent_session',
      message: 'needs timestamp: a message without one would get the time at which the broker delivers it, after an outage',
    },
  ]
}

export const mqttContract = {
  label: 'MQTT',
  defaultPort: 1_883,
  config: MqttConfig,
  tagList: 'topics',
  fileShape: { ...MqttConfig.shape, topics: Topic.strict().array().min(1).max(10_000) },
  configFaults: (config) => [
    ...brokerFaults(config),
    ...sessionFaults(config),
    ...stampFaults(config),
    ...limitFaults('topics', config.topics),
  ],
  machineProtocol: 'json',
  inBundle: (config) => ({
    ...brokerInBundle(config),
    qos: config.qos,
    has_timestamp: config.timestamp !== undefined,
    timestamps: config.timestamps ?? null,
    persistent_session: isPersistent(config),
  }),
  namesOf: (config) => [
    config.client_id,
    config.timestamp?.field,
    ...config.topics.flatMap(({ topic, field }) => [topic, field]),
  ],
} as const satisfies CollectorContract<'topics', MqttConfig>
