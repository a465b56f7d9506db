import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  date,
  doublePrecision,
  foreignKey,
  index,
  integer,
  numeric,
  pgTable,
  primaryKey,
  text,
  time,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import type { ShiftLogStatus } from '../enums.ts'
import { tenants } from './accounts.ts'
import { createdAt, id, instant, tenantId, updatedAt } from './common.ts'
import { reasonCodes } from './downtime.ts'
import { machineGroups, machines } from './machines.ts'

/** The site that a shift or day is of; null: of all sites. A trigger clears it when the site ends, before the foreign key is checked. */
const siteId = () => uuid('group_id')

/** Holidays and other days without planned production, in local time. */
export const nonProductionDays = pgTable(
  'non_production_days',
  {
    id: id(),
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    groupId: siteId(),
    date: date('date').notNull(),
    name: text('name').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    unique('non_production_days_date_key').on(t.tenantId, t.date, t.groupId).nullsNotDistinct(),
    foreignKey({
      name: 'non_production_days_site_fk',
      columns: [t.tenantId, t.groupId],
      foreignColumns: [machineGroups.tenantId, machineGroups.id],
    }),
  ],
)

/** Shifts of a day in local time; one that ends at or before its start ends on the next day. */
export const shiftDefinitions = pgTable(
  'shift_definitions',
  {
    id: id(),
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    groupId: siteId(),
    name: text('name').notNull(),
    startTime: time('start_time').notNull(),
    endTime: time('end_time').notNull(),
    durationMinutes: integer('duration_minutes').notNull(),
    color: text('color').notNull(),
    isActive: boolean('is_active').notNull().default(true),
    sortOrder: integer('sort_order').notNull().default(0),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    foreignKey({
      name: 'shift_definitions_site_fk',
      columns: [t.tenantId, t.groupId],
      foreignColumns: [machineGroups.tenantId, machineGroups.id],
    }),
  ],
)

/** One shift of one machine. */
export const shiftLogs = pgTable(
  'shift_logs',
  {
    id: id(),
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    machineId: uuid('machine_id').notNull(),
    shiftDefinitionId: uuid('shift_definition_id').notNull(),
    shiftDate: date('shift_date').notNull(),
    actualStart: instant('actual_start').notNull(),
    actualEnd: instant('actual_end'),
    supervisor: text('supervisor'),
    operatorCount: integer('operator_count'),
    handoverNotes: text('handover_notes'),
    status: text('status').$type<ShiftLogStatus>().notNull(),
    /** of a log that the hub started: the planned end, at which the hub completes it; null: a person made the log */
    automaticEnd: instant('automatic_end'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    foreignKey({ columns: [t.tenantId, t.machineId], foreignColumns: [machines.tenantId, machines.id] }).onDelete('cascade'),
    foreignKey({
      name: 'shift_logs_definition_fk',
      columns: [t.tenantId, t.shiftDefinitionId],
      foreignColumns: [shiftDefinitions.tenantId, shiftDefinitions.id],
    }),
    check('shift_logs_order_check', sql`${t.actualEnd} > ${t.actualStart}`),
    check('shift_logs_end_check', sql`${t.status} = 'cancelled' or (${t.status} = 'completed') = (${t.actualEnd} is not null)`),
    uniqueIndex('shift_logs_active_key').on(t.tenantId, t.machineId).where(sql`${t.status} = 'active'`),
    uniqueIndex('shift_logs_automatic_key')
      .on(t.tenantId, t.machineId, t.shiftDefinitionId, t.shiftDate)
      .where(sql`${t.automaticEnd} is not null`),
    index('shift_logs_date_idx').on(t.tenantId, t.shiftDate, t.actualStart, t.id),
    index('shift_logs_machine_idx').on(t.tenantId, t.machineId, t.shiftDate, t.actualStart, t.id),
    index('shift_logs_definition_idx').on(t.tenantId, t.shiftDefinitionId),
    // The completed logs that a change of downtime or a late reading falls into.
    index('shift_logs_completed_idx')
      .on(t.tenantId, t.machineId, t.actualEnd, t.actualStart)
      .where(sql`${t.status} = 'completed'`),
    // Logs that the hub completes.
    index('shift_logs_due_idx').on(t.automaticEnd).where(sql`${t.status} = 'active' and ${t.automaticEnd} is not null`),
    // Recent changes, for live streams.
    index('shift_logs_updated_idx').on(t.tenantId, t.updatedAt),
  ],
)

/** Up to when the starts of planned shifts have become logs, for tenants with automatic logs. */
export const shiftLogRuns = pgTable('shift_log_runs', {
  tenantId: tenantId()
    .primaryKey()
    .references(() => tenants.id, { onDelete: 'cascade' }),
  startedThrough: instant('started_through').notNull(),
})

/** Whole milliseconds. */
const ms = (name: string) => bigint(name, { mode: 'number' }).notNull()
/** A ratio from 0 to 1 in billionths: sums of integers do not depend on their order. */
const ppb = (name: string) => bigint(name, { mode: 'number' })

/** The OEE of completed logs with all its inputs (features/production/oee). */
export const shiftLogOee = pgTable(
  'shift_log_oee',
  {
    tenantId: tenantId(),
    shiftLogId: uuid('shift_log_id').notNull(),
    machineId: uuid('machine_id').notNull(),
    shiftDefinitionId: uuid('shift_definition_id').notNull(),
    shiftDate: date('shift_date').notNull(),
    /** length less time that was not scheduled */
    plannedMs: ms('planned_ms'),
    notScheduledMs: ms('not_scheduled_ms'),
    availabilityLossMs: ms('availability_loss_ms'),
    performanceLossMs: ms('performance_loss_ms'),
    qualityLossMs: ms('quality_loss_ms'),
    /** all downtime, planned included, overlaps once */
    downtimeMs: ms('downtime_ms'),
    /** increases of the counters; null where the machine reports none */
    totalCount: doublePrecision('total_count'),
    goodCount: doublePrecision('good_count'),
    idealCycleSeconds: doublePrecision('ideal_cycle_seconds'),
    /** null: undefined, because there was no planned time, or for the last two no run time */
    oee: ppb('oee_ppb'),
    availability: ppb('availability_ppb'),
    performance: ppb('performance_ppb'),
    quality: ppb('quality_ppb'),
    /** readings of the counters that were ignored as dips; null in rows of the previous version, as in the next */
    ignoredDips: integer('ignored_dips'),
    /** the last reading of a counter is below the one before: the next one shows whether it is a dip */
    hasOpenDrop: boolean('has_open_drop'),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.shiftLogId] }),
    foreignKey({ columns: [t.tenantId, t.shiftLogId], foreignColumns: [shiftLogs.tenantId, shiftLogs.id] }).onDelete('cascade'),
    index('shift_log_oee_machine_idx').on(t.tenantId, t.machineId, t.shiftDate),
    index('shift_log_oee_open_drop_idx').on(t.tenantId, t.machineId).where(sql`${t.hasOpenDrop}`),
  ],
)

/** Sums of what `oee_weights.sql` computes of each log, for weighted figures (`weighted_oee.sql`). */
const weightSums = {
  runMs: ms('run_ms').default(0),
  netMs: ms('net_ms').default(0),
  countedMs: ms('counted_ms').default(0),
  goodMs: ms('good_ms').default(0),
  parts: numeric('parts').notNull().default('0'),
  goodParts: numeric('good_parts').notNull().default('0'),
}

/** Sums of `shift_log_oee` by definition and date, maintained by a trigger. */
export const shiftOeeDays = pgTable(
  'shift_oee_days',
  {
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    shiftDefinitionId: uuid('shift_definition_id').notNull(),
    shiftDate: date('shift_date').notNull(),
    logCount: bigint('log_count', { mode: 'number' }).notNull(),
    downtimeMs: ms('downtime_ms'),
    /** of logs with planned time */
    oeeCount: bigint('oee_count', { mode: 'number' }).notNull(),
    plannedMs: ms('planned_ms'),
    oeeSum: ppb('oee_sum_ppb').notNull(),
    availabilitySum: ppb('availability_sum_ppb').notNull(),
    /** of logs with run time */
    performanceCount: bigint('performance_count', { mode: 'number' }).notNull(),
    performanceSum: ppb('performance_sum_ppb').notNull(),
    qualityCount: bigint('quality_count', { mode: 'number' }).notNull(),
    qualitySum: ppb('quality_sum_ppb').notNull(),
    ...weightSums,
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.shiftDate, t.shiftDefinitionId] })],
)

/** Sums of `shift_log_oee` by machine and date, for the figures of sites; maintained by the same trigger. */
export const machineOeeDays = pgTable(
  'machine_oee_days',
  {
    tenantId: tenantId(),
    machineId: uuid('machine_id').notNull(),
    shiftDate: date('shift_date').notNull(),
    /** logs with planned time, and the sum of their OEE */
    oeeCount: integer('oee_count').notNull(),
    oeeSum: ppb('oee_sum_ppb').notNull(),
    plannedMs: ms('planned_ms').default(0),
    ...weightSums,
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.shiftDate, t.machineId] }),
    foreignKey({ columns: [t.tenantId, t.machineId], foreignColumns: [machines.tenantId, machines.id] }).onDelete('cascade'),
    // Its columns suffice for sums of some machines over many dates, so that PostgreSQL reads no rows.
    index('machine_oee_days_machine_idx').on(
      ...[t.tenantId, t.machineId, t.shiftDate, t.plannedMs],
      ...[t.runMs, t.netMs, t.countedMs, t.goodMs, t.parts, t.goodParts],
    ),
  ],
)

/** Sums of `machine_oee_days` by spans of 7 or 28 days, for figures over long ranges; maintained by the same trigger. */
export const oeeRollups = pgTable(
  'oee_rollups',
  {
    tenantId: tenantId(),
    machineId: uuid('machine_id').notNull(),
    /** 7 or 28: how long the span is */
    days: integer('days').notNull(),
    /** a Monday */
    startDate: date('start_date').notNull(),
    plannedMs: ms('planned_ms'),
    ...weightSums,
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.days, t.startDate, t.machineId] }),
    foreignKey({ columns: [t.tenantId, t.machineId], foreignColumns: [machines.tenantId, machines.id] }).onDelete('cascade'),
    index('oee_rollups_machine_idx').on(t.tenantId, t.machineId, t.days, t.startDate),
  ],
)

/**
 * Changes since stored OEE was computed: a completed log, a reason code (logs with its downtime), or counter readings of a machine
 * in a range (logs that the range touches). A job reads and deletes them.
 */
export const oeeChanges = pgTable(
  'oee_changes',
  {
    id: id(),
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    shiftLogId: uuid('shift_log_id'),
    /** of a log: its counters must be read again */
    hasNewCounts: boolean('has_new_counts').notNull().default(false),
    reasonCodeId: uuid('reason_code_id'),
    machineId: uuid('machine_id'),
    fromAt: instant('from_at'),
    untilAt: instant('until_at'),
    /** the writing transaction: others that ran beside it may not have seen its change */
    writer: bigint('writer', { mode: 'number' }).notNull().default(sql`pg_current_xact_id()::text::bigint`),
    /** was read once while such transactions were still running */
    isRead: boolean('is_read').notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    foreignKey({ columns: [t.tenantId, t.shiftLogId], foreignColumns: [shiftLogs.tenantId, shiftLogs.id] }).onDelete('cascade'),
    foreignKey({ columns: [t.tenantId, t.reasonCodeId], foreignColumns: [reasonCodes.tenantId, reasonCodes.id] }).onDelete(
      'cascade',
    ),
    foreignKey({ columns: [t.tenantId, t.machineId], foreignColumns: [machines.tenantId, machines.id] }).onDelete('cascade'),
    check('oee_changes_subject_check', sql`num_nonnulls(${t.shiftLogId}, ${t.reasonCodeId}, ${t.machineId}) = 1`),
    index('oee_changes_id_idx').on(t.id),
    index('oee_changes_log_idx').on(t.tenantId, t.shiftLogId).where(sql`${t.shiftLogId} is not null`),
  ],
)
