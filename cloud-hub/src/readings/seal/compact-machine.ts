import type { Sql } from '../../db/pools.ts'
import { SEAL_LIMITS, type SealLimits } from './limits.ts'
import { type MachineKey, type Refusal, withMachine } from './machine.ts'
import { TailPortion } from './move-tail.ts'
import { decodeRows, type MachineTail, machineTail, type TailRow } from './tail-rows.ts'

export interface CompactResult {
  /** rows before and after */
  rows: number
  readings: number
  refused: Refusal[]
  isBusy: boolean
}

/**
 * Stores many rows of a machine's tail as one row per 256 series, where the machine has 64 rows or more.
 * @param options.tail its rows, where they are known
 */
export async function compactMachine(
  sql: Sql,
  machine: MachineKey,
  options: { limits?: Partial<SealLimits>; tail?: MachineTail } = {},
): Promise<CompactResult> {
  const limits = { ...SEAL_LIMITS, ...options.limits }
  const tail = options.tail ?? (await machineTail(sql, machine))
  const chosen = rowsToCompact(tail.rows, tail.seriesCount, limits)
  if (chosen.length < 2) return { rows: 0, readings: 0, refused: [], isBusy: false }
  const result = await withMachine(sql, machine, async (tx) => {
    const ids = chosen.map(({ id }) => id)
    const { rows, refused } = await decodeRows(tx, machine, ids)
    await TailPortion.of(machine, rows).compact(tx)
    return { rows: rows.length, readings: rows.reduce((sum, { n }) => sum + n, 0), refused, isBusy: false }
  })
  return result ?? { rows: 0, readings: 0, refused: [], isBusy: true }
}

/** Series of a row, rows per such group from which compaction is worth while, and the most that it waits for. */
const [ROW_SERIES, ROWS_PER_GROUP, MAX_WAIT] = [256, 16, 2_048]

export const compactionStart = ({ compactRows }: Pick<SealLimits, 'compactRows'>, seriesCount: number): number =>
  Math.max(compactRows, Math.min(MAX_WAIT, ROWS_PER_GROUP * Math.ceil(seriesCount / ROW_SERIES)))

/** New rows are at least this many times as large as each row that they replace, so a reading is rewritten few times an hour. */
const GROWTH = 8

/** The most rows, smallest first, that are small beside the rows that they become. */
export function rowsToCompact(rows: readonly TailRow[], seriesCount: number, limits: SealLimits): TailRow[] {
  if (rows.length < compactionStart(limits, seriesCount)) return []
  const groups = Math.max(1, Math.ceil(seriesCount / ROW_SERIES))
  const growth = Math.min(GROWTH, limits.compactRows / 2) * groups
  const ascending = rows.toSorted((a, b) => a.n - b.n)
  let [readings, count] = [0, 0]
  for (const [index, { n }] of ascending.slice(0, limits.portionRows).entries()) {
    readings += n
    if (readings > limits.portionReadings) break
    if (readings >= growth * n) count = index + 1
  }
  return ascending.slice(0, count)
}
