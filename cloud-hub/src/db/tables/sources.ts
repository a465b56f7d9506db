import type { Fault, SourceProtocol } from '@haltless/protocol'
import { sql } from 'drizzle-orm'
import { bigint, boolean, foreignKey, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { tenants } from './accounts.ts'
import { createdAt, id, instant, tenantId, updatedAt } from './common.ts'
import { machines } from './machines.ts'

/** A device that is polled by a hub, or by the agent in `agent_id`. */
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
    /** the agent that polls it, which may be unknown yet; null: a hub. Also in `config` */
    agentId: text('agent_id'),
    /** the configuration as responses show it: secrets are `***` */
    config: jsonb('config').$type<Record<string, unknown>>().notNull(),
    /** the secrets of `config` as JSON, encrypted under SECRET_KEY and bound to this row; null without secrets */
    sealedSecrets: text('sealed_secrets'),
    /** number of values per poll */
    tagCount: integer('tag_count').notNull(),
    /** when the device last answered a poll */
    lastPolledAt: instant('last_polled_at'),
    /** the current error, as a sentence */
    lastError: text('last_error'),
    /** the same as a fault; null where it has no code */
    lastFault: jsonb('last_fault').$type<Fault>(),
    /** what the indexes in node ids of OPC UA mean: the namespaces of the first session with this endpoint; null: no hub had one */
    namespaces: jsonb('namespaces').$type<{ endpoint: string; uris: string[] }>(),
    /** the hub that polls it, and when its lease ends unless renewed */
    leasedBy: uuid('leased_by'),
    leasedUntil: instant('leased_until'),
    /** a trigger increases it with every change of what is polled and how */
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

/** The set of sources that an agent should run, and the one that it reports. */
export const agentSources = pgTable(
  'agent_sources',
  {
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    agentId: text('agent_id').notNull(),
    /** a trigger increases it with every change of its sources, in the same transaction */
    revision: bigint('revision', { mode: 'number' }).notNull(),
    runningRevision: bigint('running_revision', { mode: 'number' }),
    /** why the agent could not apply a newer set */
    fault: text('fault'),
    /** the same as a fault; null where it has no code */
    revisionFault: jsonb('revision_fault').$type<Fault>(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.agentId] })],
)
