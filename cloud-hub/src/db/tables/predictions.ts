import { sql } from 'drizzle-orm'
import { doublePrecision, foreignKey, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import type { RiskLevel } from '../enums.ts'
import { instant, tenantId } from './common.ts'
import { machines } from './machines.ts'
import { series } from './readings.ts'

/** The newest analysis of a machine. Computed from its data; users cannot change it. Machines without data have none. */
export const machinePredictions = pgTable(
  'machine_predictions',
  {
    tenantId: tenantId(),
    machineId: uuid('machine_id').notNull(),
    /** 0 to 100 */
    healthScore: integer('health_score').notNull(),
    riskLevel: text('risk_level').$type<RiskLevel>().notNull(),
    /** until a trend reaches its warning limit; null: the data carry no number, as in the next three */
    daysToMaintenance: doublePrecision('days_to_maintenance'),
    daysToFailure: doublePrecision('days_to_failure'),
    failureLow: doublePrecision('failure_low'),
    failureHigh: doublePrecision('failure_high'),
    /** the metric that reaches its critical limit first */
    limitingMetric: text('limiting_metric'),
    /** points of the health score lost per day; 0 without a significant trend */
    degradationRate: doublePrecision('degradation_rate').notNull(),
    /** what lowers the score: kind, points and facts of each, most points first */
    factors: jsonb('factors').$type<unknown[]>().notNull(),
    /** generated texts by language, for exactly these facts */
    narratives: jsonb('narratives').$type<Record<string, string>>().notNull().default({}),
    /** the hour up to which readings were taken into account */
    readUntil: instant('read_until'),
    analyzedAt: instant('analyzed_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.machineId] }),
    foreignKey({
      name: 'machine_predictions_machine_fk',
      columns: [t.tenantId, t.machineId],
      foreignColumns: [machines.tenantId, machines.id],
    }).onDelete('cascade'),
  ],
)

/** Daily medians of a series, which trends are computed from. Derived from readings. */
export const predictionSeries = pgTable(
  'prediction_series',
  {
    tenantId: tenantId(),
    seriesId: integer('series_id').notNull(),
    /** the first day that was read, in days since the epoch */
    firstDay: integer('first_day').notNull(),
    /** one value a day from then on; null for a day without readings */
    medians: doublePrecision('medians').array().notNull().default(sql`'{}'`),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.seriesId] }),
    foreignKey({ columns: [t.tenantId, t.seriesId], foreignColumns: [series.tenantId, series.id] }).onDelete('cascade'),
  ],
)

/** Health scores over time: a point a day, and one at each change of risk. */
export const predictionHistory = pgTable(
  'prediction_history',
  {
    tenantId: tenantId(),
    machineId: uuid('machine_id').notNull(),
    recordedAt: instant('recorded_at').notNull(),
    healthScore: integer('health_score').notNull(),
    riskLevel: text('risk_level').$type<RiskLevel>().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.machineId, t.recordedAt] }),
    foreignKey({ columns: [t.tenantId, t.machineId], foreignColumns: [machines.tenantId, machines.id] }).onDelete('cascade'),
    index('prediction_history_recorded_idx').on(t.recordedAt),
  ],
)
