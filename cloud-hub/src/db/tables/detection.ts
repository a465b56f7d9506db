import { sql } from 'drizzle-orm'
import { boolean, check, doublePrecision, foreignKey, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import type { DetectionSignal } from '../enums.ts'
import { tenants } from './accounts.ts'
import { createdAt, id, instant, tenantId, updatedAt } from './common.ts'
import { reasonCodes } from './downtime.ts'
import { machines } from './machines.ts'

/** How the hub detects downtime of a machine; a machine without a row has none. */
export const downtimeDetections = pgTable(
  'downtime_detections',
  {
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    machineId: uuid('machine_id').notNull(),
    isActive: boolean('is_active').notNull(),
    signal: text('signal').$type<DetectionSignal>().notNull(),
    /** null: the signal is silence */
    metricName: text('metric_name'),
    /** null: the unit of the newest reading */
    unit: text('unit'),
    stoppedValues: doublePrecision('stopped_values').array(),
    limitValue: doublePrecision('limit_value'),
    /** a shorter stop is not recorded */
    forSeconds: integer('for_seconds').notNull(),
    silentAfterSeconds: integer('silent_after_seconds'),
    reasonCodeId: uuid('reason_code_id'),
    /** earlier readings are not evaluated */
    activeSince: instant('active_since').notNull(),
    /** when the stop under way, or silence, must be evaluated without a reading */
    nextCheckAt: instant('next_check_at'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.machineId] }),
    foreignKey({ columns: [t.tenantId, t.machineId], foreignColumns: [machines.tenantId, machines.id] }).onDelete('cascade'),
    foreignKey({
      name: 'downtime_detections_reason_code_fk',
      columns: [t.tenantId, t.reasonCodeId],
      foreignColumns: [reasonCodes.tenantId, reasonCodes.id],
    }),
    check('downtime_detections_metric_check', sql`(${t.signal} = 'silence') = (${t.metricName} is null)`),
    index('downtime_detections_due_idx').on(t.nextCheckAt).where(sql`${t.nextCheckAt} is not null`),
    index('downtime_detections_code_idx').on(t.tenantId, t.reasonCodeId).where(sql`${t.reasonCodeId} is not null`),
  ],
)

/** Ranges of readings that may begin or end a stop. A flush adds them with its readings; a job evaluates and deletes them. */
export const signalChanges = pgTable(
  'signal_changes',
  {
    id: id(),
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    machineId: uuid('machine_id').notNull(),
    fromAt: instant('from_at').notNull(),
    untilAt: instant('until_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    foreignKey({ columns: [t.tenantId, t.machineId], foreignColumns: [machines.tenantId, machines.id] }).onDelete('cascade'),
    index('signal_changes_id_idx').on(t.id),
    index('signal_changes_machine_idx').on(t.tenantId, t.machineId),
  ],
)
