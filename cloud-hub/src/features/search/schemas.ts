import { MACHINE_STATUSES, PRIORITIES, WORK_ORDER_STATUSES } from '../../db/enums.ts'
import { Id, Instant, text, whole } from '../../support/http/shapes.ts'
import { z } from '../../support/http/z.ts'
import { AlertFacts } from '../alerting/alerts/index.ts'
import { ofGroup } from '../plant/machine-groups/index.ts'
import { MachineName } from '../plant/machines/index.ts'

/** The newest alerts, and work orders, among which a search looks. */
export const MAX_RECENT = 2_000
/** The newest of all groups among which those of one group are looked for. */
export const MAX_RECENT_OF_ALL = 20_000
const MAX_WORDS = 8
const DEFAULT_LIMIT = 5

export const KINDS = ['machines', 'alerts', 'work_orders', 'agents', 'people'] as const
export type Kind = (typeof KINDS)[number]

export const SearchQuery = z.object({
  q: text(100)
    .transform((value) => value.normalize('NFC').trim().split(/\s+/).filter(Boolean).slice(0, MAX_WORDS))
    .openapi({
      type: 'string',
      description: `What a person typed. Every word, of at most ${MAX_WORDS}, must occur in what is found, in any order; case does not matter.`,
      example: 'press 1',
    }),
  limit: whole(20)
    .default(DEFAULT_LIMIT)
    .openapi({ default: DEFAULT_LIMIT, description: 'The most entries of each kind, 1 to 20.', example: DEFAULT_LIMIT }),
  group_id: ofGroup('machines, alerts and work orders of machines, and agents,'),
})

const FoundMachine = z
  .object({
    id: Id.describe('The machine.'),
    name: z.string().describe('Its name.'),
    machine_identifier: z.string().describe('The name that readings carry for it.'),
    status: z.enum(MACHINE_STATUSES).describe('As `GET /machines` answers.'),
  })
  .openapi('FoundMachine', { example: { name: 'Press 1', machine_identifier: 'press-01', status: 'offline' } })
const FoundAlert = z
  .object({
    id: Id.describe('The alert.'),
    machine_id: Id.describe('The machine that it is about.'),
    machine_name: MachineName,
    ...AlertFacts.pick({ severity: true, metric_name: true, rule_name: true }).shape,
    created_at: Instant.describe('When it was raised.'),
    is_acknowledged: z.boolean().describe('Somebody has acknowledged it.'),
  })
  .openapi('FoundAlert', {
    example: { machine_name: 'Press 1', severity: 'critical', metric_name: 'vibration', rule_name: null, is_acknowledged: false },
  })
const FoundOrder = z
  .object({
    id: Id.describe('The work order.'),
    machine_id: Id.describe('The machine that it is about.'),
    machine_name: MachineName,
    title: z.string().describe('Its title.'),
    title_facts: AlertFacts.nullable().describe('As `GET /work-orders` answers.'),
    status: z.enum(WORK_ORDER_STATUSES).describe('How far it is.'),
    priority: z.enum(PRIORITIES).describe('How urgent it is.'),
  })
  .openapi('FoundOrder', {
    example: { machine_name: 'Press 1', title: 'Replace the bearing', title_facts: null, status: 'open', priority: 'high' },
  })
const FoundAgent = z
  .object({
    agent_id: z.string().describe('The agent.'),
    hostname: z.string().nullable().describe('Of its computer; null before it reported one.'),
    group_name: z.string().nullable().describe('Its site or another group; null for none.'),
  })
  .openapi('FoundAgent', { example: { agent_id: 'hall-3', hostname: 'edge-3', group_name: 'Bremen' } })
const FoundPerson = z
  .object({
    id: Id.describe('The user.'),
    full_name: z.string().describe('The name.'),
    email: z.string().describe('The e-mail address.'),
  })
  .openapi('FoundPerson', { example: { full_name: 'Ada Miller', email: 'ada@example.com' } })

export const SearchAnswer = z
  .object({
    machines: z.array(FoundMachine).describe('Active machines, by name or identifier.'),
    alerts: z
      .array(FoundAlert)
      .describe(
        `Among the newest ${MAX_RECENT.toLocaleString('en')} alerts, by machine, metric or rule; unacknowledged ones first. Of a group: those of the newest ${MAX_RECENT_OF_ALL.toLocaleString('en')} of all.`,
      ),
    work_orders: z
      .array(FoundOrder)
      .describe(
        `Among the newest ${MAX_RECENT.toLocaleString('en')} work orders, by title or machine; open ones first. Of a group: those of the newest ${MAX_RECENT_OF_ALL.toLocaleString('en')} of all.`,
      ),
    agents: z.array(FoundAgent).describe('Agents that are not retired, by id or computer. For admins.'),
    people: z.array(FoundPerson).describe('Active members who have joined, by name or e-mail address. For admins.'),
    searched: z
      .array(z.enum(KINDS))
      .describe('The kinds among which the hub looked: those that the role, the scopes and the groups of the caller allow.'),
  })
  .openapi('SearchAnswer', {
    // as a viewer gets it
    example: { agents: [], people: [], searched: ['machines', 'alerts', 'work_orders'] },
  })
