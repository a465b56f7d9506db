import { getTableColumns } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'

/** A value of a column, as drizzle declares it. The driver also encodes the objects of JSON columns. */
type ColumnValue = string | number | boolean | Date | null

/**
 * Values by the names of their columns, for `sql(values)` in an insert or update. Properties that are undefined are left out.
 * @param values by the properties of the table's rows
 */
export function columnValues<T extends PgTable>(table: T, values: Partial<T['$inferInsert']>): Record<string, ColumnValue> {
  const columns = getTableColumns(table)
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    given.map(([key, value]) => {
      const column = columns[key]
      if (!column) throw new TypeError(`the table has no property ${key}`)
      return [column.name, value as ColumnValue]
    }),
  )
}
