import type postgres from 'postgres'
import type { Sql } from './pools.ts'

/** Rows that one statement deletes. */
const PORTION = 5_000
/** Portions of one run; the next run deletes the rest. */
const MAX_PORTIONS = 200

/** Old rows of a table: those whose `column`, which has an index, lies before an instant or a number. */
interface Old {
  table: string
  column: string
  before: Date | string | number | postgres.PendingQuery<postgres.Row[]>
  /** another condition of a row `r`; few rows at the old end of the index may fail it */
  and?: postgres.PendingQuery<postgres.Row[]>
  /** less where a row takes others with it */
  portion?: number
}

/**
 * Deletes old rows of all tenants, the oldest first, in portions: each statement finds its rows by an index and holds their locks for a
 * moment only. The condition is repeated, so that a row that is renewed meanwhile stays,
 * and with `is true`, so that no index is searched for it once more.
 * @param table not partitioned: its rows are found by their place
 */
export async function purge(allTenants: Sql, { table, column, before, and, portion = PORTION }: Old): Promise<void> {
  const isOld = () => allTenants`r.${allTenants(column)} < ${before as Date} ${and ? allTenants`and ${and}` : allTenants``}`
  for (let portions = 0; portions < MAX_PORTIONS; portions++) {
    const { count } = await allTenants`
      delete from ${allTenants(table)} r where (${isOld()}) is true and r.ctid = any(array(
        select r.ctid from ${allTenants(table)} r where ${isOld()} order by r.${allTenants(column)} limit ${portion}))`
    if (count < portion) return
  }
}
