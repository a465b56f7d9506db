import { z } from 'zod'
import { AgentSources, AgentSourcesReport } from './source.ts'

/** An agent's id within its tenant. */
export const AgentId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1-64 of A-Z a-z 0-9 _ -')

const short = z.string().max(255)

/** A span of readings that an agent had to drop: loss is never silent. */
export const GapRecord = z.object({
  /** told again until a heartbeat is answered, so the hub keeps each id once */
  gap_id: z.guid(),
  machine_identifier: short,
  metric_name: short,
  unit: short,
  /** first and last dropped reading, ISO 8601 */
  from: z.iso.datetime({ offset: true }),
  to: z.iso.datetime({ offset: true }),
  /** how many readings, exactly */
  count: z.int().min(1),
  /** `damaged`: the bytes on the agent's disk could not be read back; names and times may then be `unknown` and the time of arrival */
  reason: z.enum(['disk_full', 'age_limit', 'damaged']),
})
export type GapRecord = z.infer<typeof GapRecord>

/** Body of `POST /api/v1/agent/heartbeat`, and of the `telemetry` topic. */
export const Telemetry = z.object({
  agent_id: AgentId,
  agent_version: z.string().min(1).max(64),
  uptime_seconds: z.number().min(0).optional(),
  /** readings waiting on the agent's disk */
  buffer_count: z.int().min(0).optional(),
  /** age of the oldest of them, in hours */
  buffer_age_hours: z.number().min(0).optional(),
  /** collector name to status, such as `running` or `reconnecting: connection refused` */
  collectors: z
    .record(short, z.string().max(1_000))
    .refine((map) => Object.keys(map).length <= 200, 'at most 200 collectors')
    .optional(),
  hostname: short.optional(),
  /** random, made once and kept on the agent's disk: tells two holders of one agent_id apart */
  instance_id: z.guid().optional(),
  /** readings dropped since the agent first ran */
  dropped_count: z.int().min(0).optional(),
  /** readings parked as rejected by the hub */
  dead_letter_count: z.int().min(0).optional(),
  /** what was dropped and has not been told yet; an answer with 200 or 402 says that the hub has it */
  gaps: z.array(GapRecord).max(200).optional(),
  /** the pushed polling sources; absent from agents that take none */
  sources: AgentSourcesReport.optional(),
})
export type Telemetry = z.infer<typeof Telemetry>

/** Payload of the `state` topic, retained: the agent says that it is there, its last will that it is gone. */
export const AgentState = z.object({ online: z.boolean() })
export type AgentState = z.infer<typeof AgentState>

/** How an agent reaches the broker; `password` is a signed token of one hour, to be renewed by the next heartbeat. */
export const MqttAccess = z.object({
  url: z.string(),
  username: z.string(),
  password: z.string(),
  topic_prefix: z.string(),
})
export type MqttAccess = z.infer<typeof MqttAccess>

/** What the hub wants of an agent: the heartbeat's answer, and the retained `directives` message. */
export const Directives = z.object({
  status: z.enum(['ok', 'payment_required']),
  next_check_seconds: z.int().min(1),
  latest_agent_version: z.string(),
  min_supported_version: z.string(),
  update_available: z.boolean(),
  unsupported: z.boolean(),
})
export type Directives = z.infer<typeof Directives>

/**
 * Answer to `POST /api/v1/agent/heartbeat`; `mqtt` is absent while payment is required. `sources` is there when the agent reports another
 * revision than the hub has, for those that no MQTT reaches.
 */
export const HeartbeatAnswer = Directives.extend({ mqtt: MqttAccess.optional(), sources: AgentSources.optional() })
export type HeartbeatAnswer = z.infer<typeof HeartbeatAnswer>
