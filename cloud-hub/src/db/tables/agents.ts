import { bigint, doublePrecision, foreignKey, index, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { tenants } from './accounts.ts'
import { createdAt, instant, tenantId } from './common.ts'

/** An edge agent as it last reported itself; `agent_id` is unique in its tenant. */
export const agents = pgTable(
  'agents',
  {
    tenantId: tenantId(),
    agentId: text('agent_id').notNull(),
    agentVersion: text('agent_version').notNull(),
    uptimeSeconds: doublePrecision('uptime_seconds'),
    bufferCount: bigint('buffer_count', { mode: 'number' }),
    bufferAgeHours: doublePrecision('buffer_age_hours'),
    collectors: jsonb('collectors').$type<Record<string, string>>().notNull().default({}),
    hostname: text('hostname'),
    droppedCount: bigint('dropped_count', { mode: 'number' }),
    deadLetterCount: bigint('dead_letter_count', { mode: 'number' }),
    /** who holds the id; another live holder is refused, never let in */
    instanceId: uuid('instance_id'),
    lastSeen: instant('last_seen').notNull(),
    /** a second live holder of the id that was refused */
    conflictAt: instant('conflict_at'),
    conflictHostname: text('conflict_hostname'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.agentId] }),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.id] }).onDelete('cascade'),
  ],
)

/** Readings that an agent had to drop, by series and span, as it told us; each of its gap ids is kept once. */
export const dataGaps = pgTable(
  'data_gaps',
  {
    /** the agent's own id of the gap */
    id: uuid('id').notNull(),
    tenantId: tenantId(),
    agentId: text('agent_id').notNull(),
    machineIdentifier: text('machine_identifier').notNull(),
    metricName: text('metric_name').notNull(),
    unit: text('unit').notNull(),
    /** timestamps of the first and the last dropped reading */
    fromAt: instant('from_at').notNull(),
    toAt: instant('to_at').notNull(),
    count: bigint('count', { mode: 'number' }).notNull(),
    reason: text('reason').notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    foreignKey({ columns: [t.tenantId, t.agentId], foreignColumns: [agents.tenantId, agents.agentId] }).onDelete('cascade'),
    index('data_gaps_machine_idx').on(t.tenantId, t.machineIdentifier, t.fromAt.desc(), t.id.desc()),
  ],
)
