import type postgres from 'postgres'

export type Sql = postgres.Sql
export type TransactionSql = postgres.TransactionSql

/** The columns of a select list with the alias of their table: `id, name` as `a.id, a.name`. */
export const qualified = (columns: string, alias: string): string => columns.replace(/(^|, )/g, `$1${alias}.`)

/** A value of a column. The driver also encodes the objects of JSON columns. */
type ColumnValue = string | number | boolean | Date | null

/**
 * Values of a table by the names of their columns, for `sql(values)` in an insert or update: `machineId` as `machine_id`. Properties that are
 * undefined are left out.
 */
export const columnValues = <T extends { $inferInsert: object }>(
  values: Partial<T['$inferInsert']>,
): Record<string, ColumnValue> =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value as ColumnValue]),
  )
