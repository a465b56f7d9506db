import { sql } from 'drizzle-orm'
import { doublePrecision, foreignKey, index, integer, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id, instant, tenantId } from './common.ts'
import { machines } from './machines.ts'
import { series } from './readings.ts'

/**
 * Excursions of a series beyond 3 sigma of its baseline. Evaluated with the readings, in their transaction; users cannot change
 * them.
 */
export const anomalyEvents = pgTable(
  'anomaly_events',
  {
    id: id(),
    tenantId: tenantId(),
    machineId: uuid('machine_id').notNull(),
    seriesId: integer('series_id')
      .notNull()
      .references(() => series.id, { onDelete: 'cascade' }),
    metricName: text('metric_name').notNull(),
    unit: text('unit').notNull(),
    /** value of the reading that opened the event */
    value: doublePrecision('value').notNull(),
    /** standard deviations above the mean, negative below */
    sigma: doublePrecision('sigma').notNull(),
    /** the baseline at that time */
    baselineMean: doublePrecision('baseline_mean').notNull(),
    baselineStdDev: doublePrecision('baseline_std_dev').notNull(),
    /** timestamp of the reading that opened it */
    startedAt: instant('started_at').notNull(),
    /** timestamp of the first reading within the baseline again; null while the anomaly is open */
    endedAt: instant('ended_at'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    unique('anomaly_events_start_key').on(t.seriesId, t.startedAt),
    foreignKey({ columns: [t.tenantId, t.machineId], foreignColumns: [machines.tenantId, machines.id] }).onDelete('cascade'),
    index('anomaly_events_machine_idx').on(t.tenantId, t.machineId, t.startedAt.desc()),
    index('anomaly_events_standing_idx').on(t.seriesId).where(sql`${t.endedAt} is null`),
    index('anomaly_events_id_idx').on(t.id),
    index('anomaly_events_ended_idx').on(t.endedAt),
  ],
)
