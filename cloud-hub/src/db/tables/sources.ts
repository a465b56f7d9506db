import type { SourceProtocol } from '@haltless/protocol'
import { sql } from 'drizzle-orm'
import { bigint, boolean, foreignKey, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { tenants } from './accounts.ts'
import { createdAt, id, instant, tenantId, updatedAt } from './common.ts'
import { machines } from './machines.ts'

/** A device that is polled: by a hub, or by the agent that `agent_id` names. */
export const ingestSources = pgTable(
  'ingest_sources',
  {
    id: id(),
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    machineId: uuid('machine_id').notNull(),
    name: text('name').notNull(),
    protocol: text('protocol').$type<SourceProtocol>().notNull(),
    host: text('host').notNull(),
    port: integer('port').notNull(),
    pollIntervalSeconds: integer('poll_interval_seconds').notNull(),
    isActive: boolean('is_active').notNull(),
    /** who polls it; null: a hub. Also in `config`. The agent need not have been heard of yet */
    agentId: text('agent_id'),
    /** as answered: secrets are `***` */
    config: jsonb('config').$type<Record<string, unknown>>().notNull(),
    /** the secrets of `config` as JSON, sealed under SECRET_KEY and bound to this row; null where it has none */
    sealedSecrets: text('sealed_secrets'),
    /** values that it reads */
    tagCount: integer('tag_count').notNull(),
    /** when the device last answered a poll */
    lastPolledAt: instant('last_polled_at'),
    /** what is wrong now, in plain words */
    lastError: text('last_error'),
    /** the hub that polls it, until when unless it says so again */
    leasedBy: uuid('leased_by'),
    leasedUntil: instant('leased_until'),
    /** moves with every change of what is polled and how, by a trigger */
    version: bigint('version', { mode: 'number' }).notNull().default(1),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    foreignKey({ columns: [t.tenantId, t.machineId], foreignColumns: [machines.tenantId, machines.id] }).onDelete('cascade'),
    index('ingest_sources_machine_idx').on(t.tenantId, t.machineId),
    index('ingest_sources_agent_idx').on(t.tenantId, t.agentId).where(sql`${t.agentId} is not null`),
    index('ingest_sources_hub_idx').on(t.id).where(sql`${t.isActive} and ${t.agentId} is null`),
  ],
)

/** Which set of sources an agent should run, and which it says it runs. */
export const agentSources = pgTable(
  'agent_sources',
  {
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    agentId: text('agent_id').notNull(),
    /** moves with every change of its sources, by a trigger, in the same transaction */
    revision: bigint('revision', { mode: 'number' }).notNull(),
    runningRevision: bigint('running_revision', { mode: 'number' }),
    /** why a newer set could not be taken */
    fault: text('fault'),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.agentId] })],
)
