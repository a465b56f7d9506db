import { getTableColumns } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'

/** What the driver reads as another type than drizzle declares: bigint as text, and dates as Date. */
const CASTS: Record<string, string> = { PgBigInt53: '::float8', PgDateString: '::text' }

/**
 * The columns of a table for a statement whose rows match drizzle's type: `id, tenant_id as "tenantId"`.
 * @param keys the properties to read; default: all
 * @param alias the name of the table in the statement; default: none
 */
export function selectList<T extends PgTable>(
  table: T,
  keys?: readonly (keyof T['$inferSelect'] & string)[],
  alias?: string,
): string {
  const named = Object.entries(getTableColumns(table)).filter(([key]) => keys === undefined || keys.includes(key))
  return named
    .map(([key, { name, columnType }]) => {
      const column = `${alias ? `${alias}.` : ''}${name}${CASTS[columnType] ?? ''}`
      return key === name && !CASTS[columnType] ? column : `${column} as "${key}"`
    })
    .join(', ')
}
