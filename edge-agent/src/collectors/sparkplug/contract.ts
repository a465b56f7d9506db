import { z } from 'zod'
import { type CollectorContract, limitFaults, stampShape, tagShape } from '../contract.ts'
import { brokerFaults, brokerInBundle, brokerShape, isTopic } from '../mqtt/broker-settings.ts'

/** A part of a topic. Source: Eclipse Sparkplug 3.0.0 */
const id = z
  .string()
  .min(1)
  .max(255)
  .refine((text) => isTopic(text) && !text.includes('/'), 'must not hold + # /')

const Metric = z.object({
  node: id,
  /** absent: a metric of the node itself */
  device: id.optional(),
  metric: z.string().min(1).max(255),
  ...tagShape,
})

/** Settings of a collector of one Sparkplug B group. */
export const SparkplugConfig = z.object({
  ...brokerShape,
  group: id,
  /** whether nodes may be asked to publish their births again; without it, their values are known from their next birth on */
  request_rebirths: z.boolean().default(true),
  ...stampShape('a broker sets no timestamps'),
  metrics: z.array(Metric).max(10_000).default([]),
})
export type SparkplugConfig = z.infer<typeof SparkplugConfig>

export const sparkplugContract = {
  label: 'Sparkplug B',
  defaultPort: 1_883,
  config: SparkplugConfig,
  tagList: 'metrics',
  fileShape: { ...SparkplugConfig.shape, metrics: Metric.strict().array().min(1).max(10_000) },
  configFaults: (config) => [...brokerFaults(config), ...limitFaults('metrics', config.metrics)],
  machineProtocol: 'json',
  inBundle: (config) => ({
    ...brokerInBundle(config),
    request_rebirths: config.request_rebirths,
    timestamps: config.timestamps ?? null,
  }),
  namesOf: (config) => [
    config.client_id,
    config.group,
    ...config.metrics.flatMap(({ node, device, metric }) => [node, device, metric]),
  ],
} as const satisfies CollectorContract<'metrics', SparkplugConfig>
