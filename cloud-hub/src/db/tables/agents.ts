import { bigint, doublePrecision, foreignKey, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
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
