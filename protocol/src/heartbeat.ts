import { z } from 'zod'
import { NamedFaults } from './faults/fault-shape.ts'
import { SentInstant } from './instant.ts'
import { AgentSources, AgentSourcesReport } from './source.ts'
import { UpdateOrder, UpdateReport } from './update.ts'

/** An agent's id within its tenant. */
export const AgentId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1-64 of A-Z a-z 0-9 _ -')

const short = z.string().max(255)

/** A span of readings that an agent had to drop: loss is never silent. */
export const GapRecord = z.object({
  gap_id: z.guid().describe('Made by the agent. It reports a gap until a heartbeat is answered; the hub keeps each id once.'),
  machine_identifier: short.describe('The machine whose readings were dropped.'),
  metric_name: short.describe('The metric of the readings.'),
  unit: short.describe('Their unit.'),
  from: SentInstant.describe('Timestamp of the first dropped reading.'),
  to: SentInstant.describe('Timestamp of the last dropped reading.'),
  count: z.int().min(1).describe('How many readings were dropped, exactly.'),
  reason: z
    .enum(['disk_full', 'age_limit', 'damaged'])
    .describe(
      '`damaged`: the disk of the agent could not read them back; names may then be `unknown` and times those of arrival.',
    ),
})
export type GapRecord = z.infer<typeof GapRecord>

/** Readings that an agent keeps aside because the hub rejected them for one reason. */
export const DeadLetterGroup = z.object({
  code: z.string().max(100).describe('Why, as a code, such as `unknown_machine`.'),
  reason: z.string().max(500).describe('Why, as a sentence.'),
  machine_identifier: z.string().max(255).optional().describe('The machine that the hub does not know.'),
  count: z.int().min(1).describe('How many readings.'),
  first_at: SentInstant.describe('When the first of them was rejected.'),
  last_at: SentInstant.describe('When the last of them was rejected.'),
})
export type DeadLetterGroup = z.infer<typeof DeadLetterGroup>

/** Why a poll brought nothing. */
export const MissedPollReason = z
  .enum(['skipped', 'no_answer', 'no_value'])
  .describe(
    '`skipped`: an earlier poll was still under way. `no_answer`: the device did not answer, or could not be reached; also messages, and lines of a file, that were lost on their way to the agent. `no_value`: it answered, without a good value of this tag.',
  )
export type MissedPollReason = z.infer<typeof MissedPollReason>

/** Polls of a collector, or of one of its tags, that brought nothing. */
export const MissedPollRecord = GapRecord.omit({ reason: true }).extend({
  collector: short.describe('The collector that polled.'),
  metric_name: short.nullable().describe('The metric of the tag; null: all tags of the collector.'),
  unit: short.nullable().describe('Its unit; null: all tags of the collector.'),
  from: SentInstant.describe('Instant of the first missed poll.'),
  to: SentInstant.describe('Instant of the last missed poll.'),
  count: z
    .int()
    .min(1)
    .describe(
      'How many polls or messages were missed, exactly; of lines of files, how many files were removed or truncated before all of them was read.',
    ),
  reason: MissedPollReason,
})
export type MissedPollRecord = z.infer<typeof MissedPollRecord>

/** Polls of a collector since the agent started that brought nothing. */
export const MissedPollCounts = z.object({
  skipped: z.int().min(0).describe('Poll instants that passed while an earlier poll was under way.'),
  failed: z.int().min(0).describe('Polls without an answer.'),
})
export type MissedPollCounts = z.infer<typeof MissedPollCounts>

/** How far the clock of a source is off, as its collector found it. */
export const SourceClock = z.object({
  ahead_ms: z.int().describe('How far it is ahead of the right time, in milliseconds; negative: behind.'),
  is_used: z
    .boolean()
    .describe('Whether its timestamps date readings; false: readings get the time at which the agent reads them.'),
  is_exact: z
    .boolean()
    .describe('Whether the clock itself was compared; false: its values may also have been late by as much, on their way.'),
})
export type SourceClock = z.infer<typeof SourceClock>

/** Body of `POST /api/v1/agent/heartbeat`, and of the `telemetry` topic. */
export const Telemetry = z.object({
  agent_id: AgentId.describe('The id of the agent, unique in the tenant: 1 to 64 of A-Z a-z 0-9 _ -.'),
  agent_version: z.string().min(1).max(64).describe('The version of the agent.'),
  clock_offset_ms: z
    .int()
    .optional()
    .describe(
      'How far the clock of the hub is ahead of that of the computer of the agent, in milliseconds, as the agent measured it.',
    ),
  uptime_seconds: z.number().min(0).optional().describe('Seconds since the agent started.'),
  buffer_count: z.int().min(0).optional().describe('Readings that wait on the disk of the agent.'),
  buffer_age_hours: z.number().min(0).optional().describe('Age of the oldest of them, in hours.'),
  buffer_bytes: z.int().min(0).optional().describe('Bytes that the buffer uses on the disk of the agent.'),
  buffer_capacity_bytes: z
    .int()
    .min(0)
    .optional()
    .describe('Bytes that it can use: its configured maximum, or what the disk has left beside what it uses.'),
  collectors: z
    .record(short, z.string().max(1_000))
    .refine((map) => Object.keys(map).length <= 200, 'at most 200 collectors')
    .optional()
    .describe('Collector name to status, such as `running` or `reconnecting: connection refused`; at most 200.'),
  collector_faults: NamedFaults.describe(
    'Collector name to what is wrong with it, as a fault; at most 200. Collectors without a fault are absent.',
  ),
  hostname: short.optional().describe('The host that the agent runs on.'),
  instance_id: z
    .guid()
    .optional()
    .describe('Random, made once and kept on the disk of the agent: it tells two holders of one `agent_id` apart.'),
  dropped_count: z.int().min(0).optional().describe('Readings dropped since the agent first ran.'),
  dead_letter_count: z.int().min(0).optional().describe('Readings kept aside because the hub rejected them.'),
  dead_letters: z
    .array(DeadLetterGroup)
    .max(20)
    .optional()
    .describe('Why they were rejected, the most frequent reasons first, at most 20.'),
  requeued: z
    .guid()
    .optional()
    .describe('The newest `requeue` of a heartbeat answer that the agent has executed since it started.'),
  gaps: z
    .array(GapRecord)
    .max(200)
    .optional()
    .describe('What was dropped and not reported yet, at most 200. An answer with 200 or 402 says that the hub has them.'),
  missed_polls: z
    .record(short, MissedPollCounts)
    .refine((map) => Object.keys(map).length <= 200, 'at most 200 collectors')
    .optional()
    .describe(
      'Collector name to the polls that brought nothing since the agent started; collectors that missed none are absent.',
    ),
  source_clocks: z
    .record(short, SourceClock)
    .refine((map) => Object.keys(map).length <= 200, 'at most 200 collectors')
    .optional()
    .describe(
      'Collector name to the clock of its source; of several clocks the one that is off most. Collectors of sources without a clock are absent.',
    ),
  missed: z
    .array(MissedPollRecord)
    .max(200)
    .optional()
    .describe('Polls that brought nothing and were not reported yet, at most 200. They are confirmed like `gaps`.'),
  sources: AgentSourcesReport.optional().describe('The polling sources that the hub pushed; absent from agents that take none.'),
  update: UpdateReport.optional().describe(
    'Whether the agent installs updates, and how far the newest one is; absent from older agents.',
  ),
})
export type Telemetry = z.infer<typeof Telemetry>

/** Payload of the `state` topic, retained: the agent publishes that it is online; its last will that it is offline. */
export const AgentState = z.object({ online: z.boolean() })
export type AgentState = z.infer<typeof AgentState>

/** How an agent reaches the broker; `password` is a signed token of one hour, to be renewed by the next heartbeat. */
export const MqttAccess = z.object({
  url: z.string().describe('The address of the broker.'),
  username: z.string().describe('The user name for CONNECT.'),
  password: z.string().describe('The password for CONNECT: a signed token of one hour. The next heartbeat renews it.'),
  topic_prefix: z.string().describe('What the topics of this agent begin with.'),
})
export type MqttAccess = z.infer<typeof MqttAccess>

/** What the hub wants of an agent: the heartbeat's answer, and the retained `directives` message. */
export const Directives = z.object({
  status: z.enum(['ok', 'payment_required']).describe('`payment_required` comes with 402: keep collecting, stop sending.'),
  next_check_seconds: z.int().min(1).describe('Seconds until the next heartbeat.'),
  latest_agent_version: z.string().describe('The newest version of the agent.'),
  min_supported_version: z.string().describe('The oldest version that the hub reads.'),
  update_available: z.boolean().describe('Whether the caller is older than the newest version; false when it names none.'),
  unsupported: z.boolean().describe('Whether the caller is older than the hub supports; false when it names none.'),
  wire_versions: z
    .array(z.int().min(1))
    .optional()
    .describe('The versions of batches over MQTT that every hub reads; absent from older hubs, which read version 1.'),
})
export type Directives = z.infer<typeof Directives>

/**
 * Answer to `POST /api/v1/agent/heartbeat`; `mqtt` is absent while payment is required. `sources` is there when the agent reports another
 * revision than the hub has, for those that no MQTT reaches.
 */
export const HeartbeatAnswer = Directives.extend({
  time: z.iso.datetime().optional().describe('The time of the hub, by which the agent corrects its own.'),
  mqtt: MqttAccess.optional().describe('How to reach the broker; absent while payment is required.'),
  sources: AgentSources.optional().describe(
    'The polling sources to run; present when the agent reports another revision than it should run.',
  ),
  requeue: z
    .guid()
    .optional()
    .describe('A request to send the readings that were rejected once more; present until the agent reports it as `requeued`.'),
  update: UpdateOrder.optional().describe(
    'The update to install; present until the agent reports it as confirmed, rolled back or refused, or an admin pauses or cancels it.',
  ),
})
export type HeartbeatAnswer = z.infer<typeof HeartbeatAnswer>

/** Body of `POST /api/v1/agent/check`. */
export const AgentCheck = z.object({
  agent_id: AgentId.describe('The id of the agent.'),
  machine_identifiers: z.array(z.string().min(1).max(255)).max(1_000).describe('The machines that its tags name, at most 1,000.'),
})
export type AgentCheck = z.infer<typeof AgentCheck>

/** Answer of `POST /api/v1/agent/check`. */
export const AgentCheckAnswer = z.object({
  time: z.iso.datetime().describe('The time of the hub, to compare clocks.'),
  machines: z
    .array(
      z.object({
        machine_identifier: z.string().describe('As in the request.'),
        machine_id: z.string().nullable().describe('Its id in the API; null for an unknown one.'),
        status: z
          .enum(['active', 'inactive', 'unknown'])
          .describe('The hub stores the readings of `active` machines and rejects those of the others.'),
      }),
    )
    .describe('Each machine of the request, in its order.'),
})
export type AgentCheckAnswer = z.infer<typeof AgentCheckAnswer>
