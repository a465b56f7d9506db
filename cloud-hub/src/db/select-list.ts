import { getTableColumns } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'

/**
 * Columns of a table for a raw statement, so that its rows are those that drizzle infers: `id, tenant_id as "tenantId"`.
 * @param keys the properties of the row to read; all of them by default
 */
export function selectList<T extends PgTable>(table: T, keys?: readonly (keyof T['$inferSelect'] & string)[]): string {
  const columns = getTableColumns(table)
  const named = Object.entries(columns).filter(([key]) => keys === undefined || keys.includes(key))
  return named.map(([key, { name }]) => (key === name ? name : `${name} as "${key}"`)).join(', ')
}
