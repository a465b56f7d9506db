import { REASON_TYPES } from '../../../db/enums.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import { selectKeys } from './divide.ts'
import type { FiguresQueryOutput } from './schemas.ts'
import { selectShiftEntries } from './select-sums.ts'
import { MAX_ENTRIES, refuseEntries, type Windows } from './window.ts'

/** How many entries an answer may have: one for each key in each period, or for each of its shifts. At most one more than the limit of shifts. */
async function countEntries(sql: TransactionSql, tenantId: string, query: FiguresQueryOutput, windows: Windows): Promise<number> {
  const { by, interval } = query
  const periods = windows.each[0].periods.length
  // all machines together have a few hundred periods
  if (!by) return periods
  if (by === 'reason') {
    const [codes] = await sql<{ n: number }[]>`select count(*)::int as n from reason_codes where tenant_id = ${tenantId}`
    return ((codes?.n ?? 0) + REASON_TYPES.length) * periods
  }
  if (interval === 'shift') {
    const shifts = selectShiftEntries(sql, tenantId, query, windows)
    const [counted] = await sql<{ n: number }[]>`select count(*)::int as n from (${shifts} limit ${MAX_ENTRIES + 1}) e`
    return counted?.n ?? 0
  }
  const [keys] = await sql<{ n: number }[]>`select count(*)::int as n from (${selectKeys(sql, tenantId, query)}) k`
  return (keys?.n ?? 0) * periods
}

/** @throws Unprocessable for a query with more than {@link MAX_ENTRIES} entries on all pages */
export async function requireFewEntries(
  sql: TransactionSql,
  tenantId: string,
  query: FiguresQueryOutput,
  windows: Windows,
): Promise<void> {
  if ((await countEntries(sql, tenantId, query, windows)) > MAX_ENTRIES) refuseEntries()
}
