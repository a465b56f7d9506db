import { foreignKey, integer, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core'
import { tenantId } from './common.ts'
import { machines } from './machines.ts'

/** A series: machine, metric and unit. The baseline alone declares the tables of its readings and of idempotency keys. */
export const series = pgTable(
  'series',
  {
    id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
    tenantId: tenantId(),
    machineId: uuid('machine_id').notNull(),
    metric: text('metric').notNull(),
    unit: text('unit').notNull(),
    /** its index among the series of the machine, which finds its entry in `machine_latest` */
    place: integer('place').notNull(),
  },
  (t) => [
    unique('series_key').on(t.tenantId, t.machineId, t.metric, t.unit),
    unique('series_tenant_id_key').on(t.tenantId, t.id),
    foreignKey({ columns: [t.tenantId, t.machineId], foreignColumns: [machines.tenantId, machines.id] }).onDelete('cascade'),
  ],
)
