import { getTableColumns } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'

/**
 * The column list of a table for a raw statement whose rows match drizzle's type: `id, tenant_id as "tenantId"`.
 * @param keys the properties to read; default: all
 */
export function selectList<T extends PgTable>(table: T, keys?: readonly (keyof T['$inferSelect'] & string)[]): string {
  const columns = getTableColumns(table)
  const named = Object.entries(columns).filter(([key]) => keys === undefined || keys.includes(key))
  return named.map(([key, { name }]) => (key === name ? name : `${name} as "${key}"`)).join(', ')
}
