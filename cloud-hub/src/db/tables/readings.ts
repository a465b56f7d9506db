import {
  boolean,
  doublePrecision,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core'
import { instant, tenantId } from './common.ts'
import { machines } from './machines.ts'

/** A series: machine, metric and unit. The readings are partitioned tables; see migration 0002. */
export const series = pgTable(
  'series',
  {
    id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
    tenantId: tenantId(),
    machineId: uuid('machine_id').notNull(),
    metric: text('metric').notNull(),
    unit: text('unit').notNull(),
  },
  (t) => [
    unique('series_key').on(t.tenantId, t.machineId, t.metric, t.unit),
    foreignKey({ columns: [t.tenantId, t.machineId], foreignColumns: [machines.tenantId, machines.id] }).onDelete('cascade'),
  ],
)

/** The newest reading of each series, by timestamp and not by arrival. */
export const latestReadings = pgTable('latest_readings', {
  seriesId: integer('series_id')
    .primaryKey()
    .references(() => series.id, { onDelete: 'cascade' }),
  ts: instant('ts').notNull(),
  value: doublePrecision('value').notNull(),
  rawTag: text('raw_tag'),
  /** it is beyond its baseline, so an anomaly event is open */
  isAnomalous: boolean('is_anomalous').notNull().default(false),
})

/** Idempotency keys of the last 7 days, for callers who send one. */
export const readingKeys = pgTable(
  'reading_keys',
  {
    tenantId: tenantId(),
    key: uuid('key').notNull(),
    seenAt: instant('seen_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.key] }), index('reading_keys_seen_idx').on(t.seenAt)],
)
