import { getTableColumns } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'

/**
 * The columns of a table for a raw statement: `id, tenant_id as "tenantId"`, ..., so that its rows are those that drizzle infers.
 * @param omit properties of the row that the statement does not read
 */
export const selectList = <T extends PgTable>(table: T, omit: readonly (keyof T['$inferSelect'])[] = []): string =>
  Object.entries(getTableColumns(table))
    .filter(([key]) => !omit.includes(key as keyof T['$inferSelect']))
    .map(([key, { name }]) => (key === name ? name : `${name} as "${key}"`))
    .join(', ')
