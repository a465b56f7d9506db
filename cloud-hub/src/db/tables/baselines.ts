import { bigint, doublePrecision, foreignKey, integer, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core'
import { id, instant, tenantId } from './common.ts'
import { machines } from './machines.ts'
import { series } from './readings.ts'

/** Statistics of a series over the readings of the trailing 7 days. Recomputed as a whole; users cannot change them. */
export const baselines = pgTable(
  'baselines',
  {
    id: id(),
    tenantId: tenantId(),
    machineId: uuid('machine_id').notNull(),
    seriesId: integer('series_id')
      .notNull()
      .references(() => series.id, { onDelete: 'cascade' }),
    metricName: text('metric_name').notNull(),
    unit: text('unit').notNull(),
    meanValue: doublePrecision('mean_value').notNull(),
    /** sample standard deviation (n - 1) */
    stdDev: doublePrecision('std_dev').notNull(),
    minValue: doublePrecision('min_value').notNull(),
    maxValue: doublePrecision('max_value').notNull(),
    sampleCount: bigint('sample_count', { mode: 'number' }).notNull(),
    windowStart: instant('window_start').notNull(),
    windowEnd: instant('window_end').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    unique('baselines_series_key').on(t.seriesId),
    unique('baselines_machine_key').on(t.tenantId, t.machineId, t.metricName, t.unit),
    foreignKey({ columns: [t.tenantId, t.machineId], foreignColumns: [machines.tenantId, machines.id] }).onDelete('cascade'),
  ],
)
