import {
  AgentCheck,
  AgentCheckAnswer,
  AgentId,
  DeadLetterGroup,
  Directives,
  HeartbeatAnswer,
  MissedPollCounts,
  SourceClock,
  Telemetry,
  UPDATE_STATES,
} from '@haltless/protocol'
import { RecordVersion } from '../../../support/http/record-version.ts'
import { Id, Instant, OptionalPaging, Paging, pageOf, QueryBoolean } from '../../../support/http/shapes.ts'
import { named, z } from '../../../support/http/z.ts'
import { FaultBody } from '../../plant/faults/index.ts'
import { ofGroup } from '../../plant/machine-groups/index.ts'

const directives = {
  status: 'ok',
  next_check_seconds: 60,
  latest_agent_version: '0.1.0',
  min_supported_version: '0.1.0',
  update_available: false,
  unsupported: false,
}
export const DirectivesBody = named(Directives, 'Directives', directives)
export const DirectivesQuery = z.object({
  agent_version: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .openapi({ description: 'The version of the caller, for `update_available` and `unsupported`.', example: '0.1.0' }),
  agent_id: AgentId.optional().openapi({ description: 'The agent that calls; required with the credential of an agent.' }),
})
const telemetry = {
  agent_id: 'line-4',
  agent_version: '0.1.0',
  uptime_seconds: 86_400,
  clock_offset_ms: 12,
  buffer_count: 0,
  buffer_age_hours: 0,
  buffer_bytes: 81_920,
  buffer_capacity_bytes: 1_073_741_824,
  collectors: { 'plc-1': 'running' },
  collector_faults: {},
  hostname: 'box-4',
  dropped_count: 0,
  dead_letter_count: 0,
}
export const TelemetryBody = named(Telemetry, 'Telemetry', telemetry)
export const HeartbeatBody = named(HeartbeatAnswer, 'HeartbeatAnswer', {
  ...directives,
  time: '2026-01-31T12:00:00.000Z',
  mqtt: {
    url: 'mqtts://hub.example.com:8883',
    username: '0198c7d4-5a00-7000-8000-00002338c8d3/line-4',
    password: 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJsaW5lLTQifQ.c2ln',
    topic_prefix: 'haltless/v1/0198c7d4-5a00-7000-8000-00002338c8d3/line-4',
  },
})

export const CheckBody = named(AgentCheck, 'AgentCheck', { agent_id: 'line-4', machine_identifiers: ['press-01', 'press-02'] })
export const CheckAnswerBody = named(AgentCheckAnswer, 'AgentCheckAnswer', {
  time: '2026-01-31T02:00:00.000Z',
  machines: [
    { machine_identifier: 'press-01', machine_id: '0198c7d4-5a00-7000-8000-00002338c8d3', status: 'active' },
    { machine_identifier: 'press-02', machine_id: null, status: 'unknown' },
  ],
})

export const AgentParams = z.object({
  agent_id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'no such agent')
    .describe('The agent, from `GET /agent/fleet`.')
    .openapi({ example: 'line-4' }),
})
export const RequeueBody = z
  .object({
    agent_id: z.string().describe('The agent.'),
    requeue_requested_at: Instant.describe('When it was requested first, until the agent has executed it.'),
  })
  .openapi('AgentRequeue', { example: { agent_id: 'line-4' } })

/** What an admin changes of an agent. */
export const AgentPatch = z
  .object({ group_id: Id.nullable().describe('The site or other machine group of the agent; null: none.') })
  .partial()
  .openapi('AgentPatch', { example: { group_id: null } })

export const FleetAgent = z
  .object({
    agent_id: z.string().describe('The id that the agent reports under, unique in the tenant.'),
    group_id: Id.nullable().describe('Its site or other machine group; null: none.'),
    group_name: z.string().nullable().describe('The present name of that group.'),
    agent_version: z.string().describe('The version of the agent.'),
    uptime_seconds: z.number().nullable().describe('Seconds since the agent started; null when it does not say.'),
    clock_offset_ms: z
      .int()
      .nullable()
      .describe(
        'How far the clock of this hub is ahead of that of its computer, in milliseconds; negative: that clock is fast. Readings have the time of the hub all the same. null when it does not say.',
      ),
    buffer_count: z.int().nullable().describe('Readings that wait on its disk; null when it does not say.'),
    buffer_age_hours: z.number().nullable().describe('Age of the oldest of them in hours; null when it does not say.'),
    buffer_bytes: z.int().nullable().describe('Bytes that they use on its disk; null when it does not say.'),
    buffer_capacity_bytes: z.int().nullable().describe('Bytes that its buffer can use; null when it does not say.'),
    buffer_full_in_hours: z
      .number()
      .nullable()
      .describe(
        'When its buffer is full if it goes on growing as in the last quarter of an hour; then it drops the oldest readings. 0: it is full. null: it does not grow, or sizes are unknown.',
      ),
    collectors: z.record(z.string(), z.string()).describe('Collector name to status, such as `running`.'),
    collector_faults: z
      .record(z.string(), FaultBody)
      .describe('Collector name to what is wrong with it, as a fault; collectors without a fault are absent.'),
    hostname: z.string().nullable().describe('The host it runs on; null when it does not say.'),
    dropped_count: z.int().nullable().describe('Readings it had to drop since it first ran; null when it does not say.'),
    dead_letter_count: z
      .int()
      .nullable()
      .describe('Readings it keeps aside because the hub rejected them; null when it does not say.'),
    dead_letters: z.array(DeadLetterGroup).describe('Why the hub rejected them, the most frequent reasons first, at most 20.'),
    missed_polls: z
      .record(z.string(), MissedPollCounts)
      .describe(
        'Collector name to the polls that brought nothing since the agent started; collectors that missed none are absent.',
      ),
    source_clocks: z
      .record(z.string(), SourceClock)
      .describe(
        'Collector name to the clock of its source; of several clocks the one that is off most. Collectors of sources without a clock are absent.',
      ),
    missed_poll_count: z.int().describe('The sum of them.'),
    requeue_requested_at: Instant.nullable().describe(
      'When it was requested to send them once more; null when nothing is requested, or when it has done so.',
    ),
    last_seen: Instant.describe('When its last heartbeat came.'),
    online: z.boolean().describe('Whether that was within two heartbeat intervals.'),
    update_available: z
      .boolean()
      .describe('Whether a newer version exists: that of `LATEST_AGENT_VERSION`, or of the newest release.'),
    unsupported: z.boolean().describe('Whether its version is older than this hub supports.'),
    conflict_at: Instant.nullable().describe('When a second live agent with this id was last refused; null: never.'),
    conflict_hostname: z.string().nullable().describe('The host of that second agent; null when there was none.'),
    credential: z
      .enum(['enrolled', 'api_key', 'released'])
      .describe(
        '`enrolled`: it has a credential of its own. `api_key`: it uses an API key of the tenant. `released`: its credential was revoked, and it has not reported since.',
      ),
    update: z
      .object({
        accepts: z.boolean().describe('Whether it installs updates from the hub.'),
        why_not: z.string().nullable().describe('Why it installs none; null when it does.'),
        why_not_fault: FaultBody.nullable().describe('The same as a fault; null from older agents.'),
        window: z.string().nullable().describe('When it installs them, in its local time; null: at any time.'),
        platform: z.string().nullable().describe('What it runs on; null when it was not installed from a package.'),
        version: z.string().nullable().describe('The version of its newest update; null: it had none.'),
        state: z.enum(UPDATE_STATES).nullable().describe('How far that is.'),
        at: Instant.nullable().describe('Since when, by its clock.'),
        reason: z.string().nullable().describe('Why it was refused or rolled back, or what it waits for.'),
        fault: FaultBody.nullable().describe('The same as a fault; null from older agents.'),
      })
      .nullable()
      .describe('Updates from the hub, as it reports them; null from older agents.'),
    retired_at: Instant.nullable().describe('When an admin retired it; null: never, or it has reported since.'),
    sources: z
      .object({
        revision: z.int().describe('The revision of the polling sources that the agent should run.'),
        running_revision: z.int().nullable().describe('The one it says it runs; null when it does not say.'),
        fault: z.string().nullable().describe('Why it could not take a newer one; null when nothing is wrong.'),
        revision_fault: FaultBody.nullable().describe('The same as a fault; null where it has no code.'),
      })
      .nullable()
      .describe('The polling sources that it gets from the hub; null when it never had any.'),
    version: RecordVersion,
  })
  .openapi('FleetAgent', {
    example: {
      group_id: null,
      group_name: null,
      ...telemetry,
      dead_letters: [],
      requeue_requested_at: null,
      buffer_full_in_hours: null,
      update_available: false,
      unsupported: false,
      conflict_at: null,
      conflict_hostname: null,
      missed_polls: {},
      missed_poll_count: 0,
      source_clocks: { 'plc-1': { ahead_ms: -10_800_000, is_used: false, is_exact: true } },
      credential: 'enrolled',
      update: null,
      retired_at: null,
      sources: null,
    },
  })
const SORT_COLUMNS = [
  'agent_id',
  'agent_version',
  'last_seen',
  'buffer_count',
  'buffer_age_hours',
  'buffer_full_in_hours',
  'missed_poll_count',
  'dead_letter_count',
  'dropped_count',
] as const
export const FleetQuery = z.object({
  ...OptionalPaging,
  group_id: ofGroup('agents'),
  search: z.string().max(200, 'must have at most 200 characters').optional().openapi({
    description: 'Text that `agent_id`, `hostname` or the name of a collector contains; case is ignored.',
    example: 'line',
  }),
  online: QueryBoolean.optional().describe('Only agents that are online, or only those that are not.'),
  update_available: QueryBoolean.optional().describe('Only agents for which a newer version exists, or only the others.'),
  unsupported: QueryBoolean.optional().describe('Only agents older than this hub supports, or only the others.'),
  has_faults: QueryBoolean.optional().describe('Only agents with a collector that is not `running`, or only the others.'),
  credential: z
    .enum(['enrolled', 'api_key', 'released'])
    .optional()
    .openapi({ description: 'Only agents that identify themselves in this way.', example: 'api_key' }),
  retired: QueryBoolean.default(false).describe('Only agents that were retired, instead of the others.'),
  sort_by: z.enum(SORT_COLUMNS).default('agent_id').describe('The field that orders the list. Agents without a value come last.'),
  sort_dir: z.enum(['asc', 'desc']).default('asc').describe('The direction.'),
})
export const FleetBody = z
  .object({
    agents: z.array(FleetAgent).describe('Those that match, in the order asked for.'),
    total: z.int().describe('How many match.'),
  })
  .openapi('AgentFleet', { example: { total: 1 } })

const Gap = z
  .object({
    id: Id.describe('Identifies the gap; the agent made it.'),
    agent_id: z.string().describe('The agent that dropped the readings or missed the polls.'),
    collector: z.string().nullable().describe('The collector of missed polls; null for dropped readings.'),
    metric_name: z
      .string()
      .nullable()
      .describe('The metric that they belonged to; null: missed polls of all tags of the collector.'),
    unit: z.string().nullable().describe('Its unit; null when there is no metric.'),
    from: Instant.describe('Timestamp of the first dropped reading, or instant of the first missed poll.'),
    to: Instant.describe('The same of the last.'),
    count: z
      .int()
      .describe(
        'How many readings were dropped or polls missed, exactly. A file that was removed or truncated before all of it was read counts once, because nobody knows how many lines it had.',
      ),
    reason: z
      .string()
      .describe(
        '`disk_full`: no room on the agent; `age_limit`: older than the agent may keep; `damaged`: its disk could not read them back. Of polls: `skipped`: the poll before was still under way, or the buffer of the agent was full and its drop policy is `stop`; `no_answer`: the device did not answer, or messages or lines of a file were lost on their way to the agent; `no_value`: it answered, without a good value of this tag.',
      ),
    created_at: Instant.describe('When the agent reported it.'),
  })
  .openapi('DataGap', {
    example: {
      agent_id: 'line-4',
      collector: null,
      metric_name: 'oil_temperature',
      unit: 'celsius',
      from: '2026-01-31T02:00:00.000Z',
      to: '2026-01-31T02:10:00.000Z',
      count: 600,
      reason: 'disk_full',
    },
  })
export const GapQuery = z.object(Paging)
export const GapPage = pageOf(Gap).openapi('DataGapPage')
