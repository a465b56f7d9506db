import { sql } from 'drizzle-orm'
import { boolean, doublePrecision, foreignKey, index, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core'
import { createdAt, id, tenantId, updatedAt } from './common.ts'
import { machines } from './machines.ts'

/** What a vendor's tag of a machine is called here. A confirmed one renames and relabels later readings that carry the tag. */
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
