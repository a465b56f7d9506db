import type { Fault } from '@haltless/protocol'
import { sql } from 'drizzle-orm'
import {
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import type { ErpEntity, ErpLogStatus, ErpProvider, ErpRunStatus, OutboundEntity } from '../enums.ts'
import { tenants } from './accounts.ts'
import { createdAt, id, instant, tenantId, updatedAt } from './common.ts'

/** Entities that are pushed; machines are pulled. */

/** A connection to an ERP system, its schedule and its circuit breaker. */
export const erpConnections = pgTable(
  'erp_connections',
  {
    id: id(),
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    provider: text('provider').$type<ErpProvider>().notNull(),
    name: text('name').notNull(),
    /** the configuration as responses show it: secrets are `***` */
    maskedConfig: jsonb('masked_config').$type<Record<string, unknown>>().notNull(),
    /** the complete configuration as JSON, encrypted under SECRET_KEY and bound to this row */
    sealedConfig: text('sealed_config').notNull(),
    isActive: boolean('is_active').notNull().default(true),
    autoPushWorkOrders: boolean('auto_push_work_orders').notNull().default(false),
    autoPushProductionData: boolean('auto_push_production_data').notNull().default(false),
    autoPushDowntime: boolean('auto_push_downtime').notNull().default(false),
    autoPullAssets: boolean('auto_pull_assets').notNull().default(false),
    syncIntervalMinutes: integer('sync_interval_minutes').notNull().default(60),
    /** Haltless field -> field of the ERP */
    fieldMapping: jsonb('field_mapping').$type<Record<string, string>>().notNull().default({}),
    /** since a restore: no automatic runs until an operator resumes them */
    pausedAt: instant('paused_at'),
    /** the next automatic run */
    nextRunAt: instant('next_run_at').notNull().default(sql`now()`),
    /** runs in a row that ended because the ERP could not be used; the circuit breaker opens after some */
    failuresInARow: integer('failures_in_a_row').notNull().default(0),
    /** no automatic run before this instant */
    breakerOpenUntil: instant('breaker_open_until'),
    lastSyncAt: instant('last_sync_at'),
    lastSyncStatus: text('last_sync_status').$type<Exclude<ErpRunStatus, 'running'>>(),
    createdBy: uuid('created_by').notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    // Connections that exchange nothing by themselves are never due.
    index('erp_connections_automatic_idx')
      .on(t.nextRunAt)
      .where(
        sql`${t.isActive} and ${t.pausedAt} is null and (${t.autoPushWorkOrders} or ${t.autoPushProductionData} or ${t.autoPushDowntime} or ${t.autoPullAssets})`,
      ),
  ],
)

/** Records that changed, added by triggers. The exchange moves them to `erp_records` of the tenant's connections. */
export const erpChanges = pgTable(
  'erp_changes',
  {
    id: id(),
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    entityType: text('entity_type').$type<OutboundEntity>().notNull(),
    entityId: uuid('entity_id').notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.id] }), index('erp_changes_id_idx').on(t.id)],
)

/** Up to which id the records that are older than a connection have been added to `erp_records`. */
export const erpBackfills = pgTable(
  'erp_backfills',
  {
    tenantId: tenantId(),
    connectionId: uuid('connection_id').notNull(),
    entityType: text('entity_type').$type<OutboundEntity>().notNull(),
    /** null: from the first */
    throughId: uuid('through_id'),
    isComplete: boolean('is_complete').notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.connectionId, t.entityType] }),
    foreignKey({ columns: [t.tenantId, t.connectionId], foreignColumns: [erpConnections.tenantId, erpConnections.id] }).onDelete(
      'cascade',
    ),
  ],
)

/** What a connection knows of a record: its id in the ERP, and whether it has to be sent. */
export const erpRecords = pgTable(
  'erp_records',
  {
    tenantId: tenantId(),
    connectionId: uuid('connection_id').notNull(),
    entityType: text('entity_type').$type<ErpEntity>().notNull(),
    entityId: uuid('entity_id').notNull(),
    /** null: not created in the ERP, as far as the hub knows */
    externalId: text('external_id'),
    /** SHA-256 of the last payload that the ERP accepted */
    sentHash: text('sent_hash'),
    /** changed since it was last sent */
    isDue: boolean('is_due').notNull().default(true),
    /** counts changes: a record that changed while it was sent stays due */
    version: integer('version').notNull().default(1),
    /** failures since the last success; the next attempt is later after each */
    failures: integer('failures').notNull().default(0),
    nextAttemptAt: instant('next_attempt_at').notNull().default(sql`now()`),
    updatedAt: updatedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.connectionId, t.entityType, t.entityId] }),
    foreignKey({ columns: [t.tenantId, t.connectionId], foreignColumns: [erpConnections.tenantId, erpConnections.id] }).onDelete(
      'cascade',
    ),
    index('erp_records_due_idx').on(t.tenantId, t.connectionId, t.entityType, t.nextAttemptAt, t.entityId).where(sql`${t.isDue}`),
  ],
)

/** A synchronization of one entity. At most one of a connection runs; its process renews the lease. */
export const erpRuns = pgTable(
  'erp_runs',
  {
    id: id(),
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    connectionId: uuid('connection_id').notNull(),
    direction: text('direction').$type<'outbound' | 'inbound'>().notNull(),
    entityType: text('entity_type').$type<ErpEntity>().notNull(),
    /** a single record; null: everything due */
    entityId: uuid('entity_id'),
    trigger: text('trigger').$type<'manual' | 'automatic'>().notNull(),
    status: text('status').$type<ErpRunStatus>().notNull().default('running'),
    /** records to process; null until it is known */
    total: integer('total'),
    succeeded: integer('succeeded').notNull().default(0),
    failed: integer('failed').notNull().default(0),
    skipped: integer('skipped').notNull().default(0),
    /** why the run ended early */
    errorMessage: text('error_message'),
    /** the same by code; null in runs of earlier versions */
    fault: jsonb('fault').$type<Fault>(),
    /** of a pull: where it goes on after a restart */
    nextPage: text('next_page'),
    leasedUntil: instant('leased_until').notNull(),
    /** the process; a process that lost its lease writes nothing */
    leasedBy: uuid('leased_by').notNull(),
    startedAt: instant('started_at').notNull(),
    endedAt: instant('ended_at'),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    foreignKey({ columns: [t.tenantId, t.connectionId], foreignColumns: [erpConnections.tenantId, erpConnections.id] }).onDelete(
      'cascade',
    ),
    check('erp_runs_end_check', sql`(${t.status} = 'running') = (${t.endedAt} is null)`),
    uniqueIndex('erp_runs_running_key').on(t.tenantId, t.connectionId).where(sql`${t.status} = 'running'`),
    index('erp_runs_newest_idx').on(t.tenantId, t.connectionId, t.startedAt.desc(), t.id.desc()),
    index('erp_runs_lease_idx').on(t.leasedUntil).where(sql`${t.status} = 'running'`),
    index('erp_runs_ended_idx').on(t.endedAt),
  ],
)

/** One attempt to exchange one record. Logs outlive their connection, so there is no foreign key to it. */
export const erpSyncLogs = pgTable(
  'erp_sync_logs',
  {
    id: id(),
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    erpConnectionId: uuid('erp_connection_id').notNull(),
    runId: uuid('run_id').notNull(),
    direction: text('direction').$type<'outbound' | 'inbound'>().notNull(),
    entityType: text('entity_type').$type<ErpEntity>().notNull(),
    /** null: a pulled asset that became no machine, or a run that failed before its first record */
    entityId: uuid('entity_id'),
    externalId: text('external_id'),
    status: text('status').$type<ErpLogStatus>().notNull(),
    errorMessage: text('error_message'),
    /** the same by code; null in entries of earlier versions */
    fault: jsonb('fault').$type<Fault>(),
    requestSummary: text('request_summary'),
    responseSummary: text('response_summary'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    index('erp_sync_logs_newest_idx').on(t.tenantId, t.createdAt.desc(), t.id.desc()),
    index('erp_sync_logs_connection_idx').on(t.tenantId, t.erpConnectionId, t.createdAt.desc(), t.id.desc()),
    index('erp_sync_logs_entity_idx').on(t.tenantId, t.entityId, t.createdAt.desc(), t.id.desc()),
    // failures are few among many entries, and what people look for
    index('erp_sync_logs_failed_idx').on(t.tenantId, t.createdAt.desc(), t.id.desc()).where(sql`${t.status} = 'failed'`),
    index('erp_sync_logs_run_idx').on(t.tenantId, t.runId, t.id),
    index('erp_sync_logs_created_idx').on(t.createdAt),
  ],
)
