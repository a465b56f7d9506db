import { sql } from 'drizzle-orm'
import { boolean, doublePrecision, foreignKey, index, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id, tenantId, updatedAt } from './common.ts'
import { machines } from './machines.ts'

/** The metric name and unit for a vendor's tag on a machine. A confirmed mapping applies to later readings with that tag. */
export const tagMappings = pgTable(
  'tag_mappings',
  {
    id: id(),
    tenantId: tenantId(),
    machineId: uuid('machine_id').notNull(),
    rawTag: text('raw_tag').notNull(),
    standardizedName: text('standardized_name').notNull(),
    unit: text('unit').notNull(),
    isConfirmed: boolean('is_confirmed').notNull().default(false),
    confidenceScore: doublePrecision('confidence_score').notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    unique('tag_mappings_tag_key').on(t.tenantId, t.machineId, t.rawTag),
    foreignKey({ columns: [t.tenantId, t.machineId], foreignColumns: [machines.tenantId, machines.id] }).onDelete('cascade'),
    index('tag_mappings_confirmed_idx').on(t.tenantId, t.machineId).where(sql`${t.isConfirmed}`),
  ],
)
