import { sql } from 'drizzle-orm'
import {
  type AnyPgColumn,
  bigint,
  boolean,
  check,
  doublePrecision,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import type { DowntimeSource, OeeLossCategory, ReasonType } from '../enums.ts'
import { tenants } from './accounts.ts'
import { createdAt, id, instant, tenantId, updatedAt } from './common.ts'
import { machines } from './machines.ts'

/** Reasons of downtime. They nest, and are deactivated, not deleted. */
export const reasonCodes = pgTable(
  'reason_codes',
  {
    id: id(),
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    code: text('code').notNull(),
    label: text('label').notNull(),
    category: text('category').$type<ReasonType>().notNull(),
    oeeLossCategory: text('oee_loss_category').$type<OeeLossCategory>().notNull(),
    description: text('description'),
    parentId: uuid('parent_id'),
    isActive: boolean('is_active').notNull().default(true),
    sortOrder: integer('sort_order').notNull().default(0),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    foreignKey({ name: 'reason_codes_parent_fk', columns: [t.tenantId, t.parentId], foreignColumns: [t.tenantId, t.id] }),
    uniqueIndex('reason_codes_code_key').on(t.tenantId, t.code),
    index('reason_codes_parent_idx').on(t.tenantId, t.parentId),
  ],
)

const duration = (t: { startedAt: AnyPgColumn; endedAt: AnyPgColumn }) => sql`(${t.endedAt} - ${t.startedAt})`

/**
 * Downtime of a machine; ongoing while `ended_at` is null. Records may overlap.
 * Automatic records are those that the hub opened; `edited_at` tells whether a person has changed one since.
 */
export const downtimeRecords = pgTable(
  'downtime_records',
  {
    id: id(),
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    machineId: uuid('machine_id').notNull(),
    startedAt: instant('started_at').notNull(),
    endedAt: instant('ended_at'),
    reasonType: text('reason_type').$type<ReasonType>().notNull().default('unplanned'),
    reasonCodeId: uuid('reason_code_id'),
    reasonNote: text('reason_note'),
    source: text('source').$type<DowntimeSource>().notNull().default('manual'),
    /** when a person first changed an automatic record; detection leaves it alone from then on */
    editedAt: instant('edited_at'),
    /** the user; null for automatic records */
    createdBy: uuid('created_by'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => {
    const isOngoing = sql`${t.endedAt} is null`
    return [
      primaryKey({ columns: [t.tenantId, t.id] }),
      foreignKey({ columns: [t.tenantId, t.machineId], foreignColumns: [machines.tenantId, machines.id] }).onDelete('cascade'),
      foreignKey({
        name: 'downtime_records_reason_code_fk',
        columns: [t.tenantId, t.reasonCodeId],
        foreignColumns: [reasonCodes.tenantId, reasonCodes.id],
      }),
      check('downtime_records_order_check', sql`${t.endedAt} > ${t.startedAt}`),
      // At most one ongoing record for each machine.
      uniqueIndex('downtime_records_ongoing_key').on(t.tenantId, t.machineId).where(isOngoing),
      index('downtime_records_machine_idx').on(t.tenantId, t.machineId, t.startedAt, t.id),
      index('downtime_records_started_idx').on(t.tenantId, t.startedAt, t.id),
      index('downtime_records_ended_idx').on(t.tenantId, t.endedAt, t.id),
      index('downtime_records_duration_idx').on(t.tenantId, duration(t), t.id),
      index('downtime_records_type_idx').on(t.tenantId, t.reasonType, t.startedAt, t.id),
      index('downtime_records_created_idx').on(t.tenantId, t.createdAt, t.id),
      index('downtime_records_code_idx').on(t.tenantId, t.reasonCodeId).where(sql`${t.reasonCodeId} is not null`),
      // Recent changes, for live streams.
      index('downtime_records_updated_idx').on(t.tenantId, t.updatedAt),
      // The same of all tenants, for the analysis of machines.
      index('downtime_records_changed_idx').on(t.updatedAt),
    ]
  },
)

/**
 * What each downtime record adds to figures, so that figures of 10,000 machines need one scan of plain sums. A trigger
 * (`fold_downtime.sql`) computes the rows of a machine in the order (started_at, record_id), each from the row before it, in the
 * transaction that changes a record. It stops at the first row that stays as it was, so the work grows with what changed.
 * An ongoing record ends at `infinity`; the hub reads these columns in SQL only. No foreign keys: the trigger deletes rows.
 */
export const downtimeFigures = pgTable(
  'downtime_figures',
  {
    tenantId: tenantId(),
    machineId: uuid('machine_id').notNull(),
    startedAt: instant('started_at').notNull(),
    recordId: uuid('record_id').notNull(),
    endedAt: instant('ended_at').notNull(),
    isUnplanned: boolean('is_unplanned').notNull(),
    /** the duration of an ended repair: an unplanned or maintenance record */
    repairSeconds: doublePrecision('repair_seconds'),
    /** the record owns the time from here to its end; null where records that started earlier cover it. Decision 27. */
    attributedFrom: instant('attributed_from'),
    /** the record is unplanned, and the end of earlier unplanned records lies before its start */
    startsFailure: boolean('starts_failure').notNull(),
    /** of a record that starts a failure: the start of the failure before, and the uptime since its end */
    previousFailureAt: instant('previous_failure_at'),
    uptimeBeforeSeconds: doublePrecision('uptime_before_seconds'),
    /** the state after this record: the latest end so far, of all and of unplanned records */
    coveredUntil: instant('covered_until').notNull(),
    failedUntil: instant('failed_until'),
    /** the start of the latest failure so far, and the uptime since its end */
    failedAt: instant('failed_at'),
    uptimeSeconds: doublePrecision('uptime_seconds').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.machineId, t.startedAt, t.recordId] }),
    // The columns of both suffice for their figures, so that PostgreSQL reads no rows.
    index('downtime_figures_reliability_idx').on(
      t.tenantId,
      t.startedAt,
      t.machineId,
      t.repairSeconds,
      t.startsFailure,
      t.previousFailureAt,
      t.uptimeBeforeSeconds,
    ),
    index('downtime_figures_coverage_idx').on(t.tenantId, t.endedAt, t.machineId, t.attributedFrom),
    // Those whose time `downtime_rollups` does not have: ongoing ones, and long ones, which would reach into many spans.
    index('downtime_figures_long_idx')
      .on(t.tenantId, t.endedAt, t.machineId, t.attributedFrom)
      .where(sql`${t.endedAt} - ${t.attributedFrom} > interval '7 days'`),
  ],
)

/** Whole milliseconds: sums of integers do not depend on their order. */
const ms = (name: string) => bigint(name, { mode: 'number' }).notNull()

/**
 * Sums of `downtime_figures` by machine and span of 7 or 28 days of UTC (`downtime_rollups_of.sql`), for figures over long ranges.
 * `fold_downtime.sql` keeps them in the transaction that changes a record: it adds what is new, and subtracts what was.
 */
export const downtimeRollups = pgTable(
  'downtime_rollups',
  {
    tenantId: tenantId(),
    machineId: uuid('machine_id').notNull(),
    /** 7 or 28: how long the span is */
    days: integer('days').notNull(),
    startAt: instant('start_at').notNull(),
    /** attributed to the span, of records of up to 7 days */
    downtimeMs: ms('downtime_ms'),
    /** of records that started in the span */
    records: integer('records').notNull(),
    repairs: integer('repairs').notNull(),
    repairMs: ms('repair_ms'),
    failures: integer('failures').notNull(),
    /** pairs of consecutive failures of which the second one started in the span, and the uptime between them */
    intervals: integer('intervals').notNull(),
    uptimeMs: ms('uptime_ms'),
    /** those of which the first one started before the span: one at most, and when that was, since 1970; 0: there is none */
    enteringIntervals: integer('entering_intervals').notNull(),
    enteringUptimeMs: ms('entering_uptime_ms'),
    enteringFromMs: ms('entering_from_ms'),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.days, t.startAt, t.machineId] }),
    foreignKey({ columns: [t.tenantId, t.machineId], foreignColumns: [machines.tenantId, machines.id] }).onDelete('cascade'),
    index('downtime_rollups_machine_idx').on(t.tenantId, t.machineId, t.days, t.startAt),
  ],
)
