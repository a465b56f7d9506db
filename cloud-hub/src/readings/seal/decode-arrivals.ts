import { sortColumns } from '../codec/block.ts'
import type { Columns } from '../codec/columns.ts'
import { CorruptReadings } from '../codec/corrupt.ts'
import { appendSections, countSections, type GrowingColumns } from '../codec/tail-body.ts'
import { groupOf } from '../series-group.ts'

export interface StoredRow {
  id: string
  /** number of readings */
  n: number
  body: Buffer
}

export interface DecodedArrivals {
  rows: readonly StoredRow[]
  /** their readings by series, ascending */
  series: ReadonlyMap<number, Columns>
  /** the other rows */
  damaged: { id: string; reason: string }[]
}

/** Decodes rows, except those that are damaged, that have series of another group, or an instant of a series twice. */
export function decodeArrivals(stored: readonly StoredRow[], group: number): DecodedArrivals {
  const damaged: DecodedArrivals['damaged'] = []
  for (let rows = stored; ; ) {
    const faults = new Map<string, string>()
    const series = decodeAll(rows, group, faults)
    if (faults.size === 0) return { rows, series, damaged }
    for (const [id, reason] of faults) damaged.push({ id, reason })
    rows = rows.filter(({ id }) => !faults.has(id))
  }
}

/** @param faults gets the reason of each row that cannot be decoded; then the result is of no use */
function decodeAll(rows: readonly StoredRow[], group: number, faults: Map<string, string>): Map<number, Columns> {
  const counts = new Map<number, number>()
  const attempt = (work: (row: StoredRow) => void) => {
    for (const row of faults.size > 0 ? [] : rows) {
      try {
        work(row)
      } catch (error) {
        if (!(error instanceof CorruptReadings)) throw error
        faults.set(row.id, error.message)
      }
    }
  }
  attempt(({ n, body }) => {
    let found = 0
    countSections(body, (id, count) => {
      if (groupOf(id) !== group) throw new CorruptReadings(`series ${id} is not of group ${group}`)
      counts.set(id, (counts.get(id) ?? 0) + count)
      found += count
    })
    if (found !== n) throw new CorruptReadings(`it holds ${found} readings instead of ${n}`)
  })
  const series = new Map<number, GrowingColumns>()
  for (const [id, count] of counts) series.set(id, { times: new Float64Array(count), values: new Float64Array(count), length: 0 })
  attempt(({ body }) => appendSections(body, (id) => series.get(id) as GrowingColumns))
  const sorted = new Map<number, Columns>(series)
  const doubled = new Set<number>()
  for (const [id, columns] of series) {
    if (isAscending(columns)) continue
    const ordered = sortColumns(columns)
    sorted.set(id, ordered)
    if (!isAscending(ordered)) doubled.add(id)
  }
  if (doubled.size > 0)
    attempt(({ body }) =>
      countSections(body, (id) => {
        if (doubled.has(id)) throw new CorruptReadings(`series ${id} has an instant twice`)
      }),
    )
  return sorted
}

/** Whether each instant is later than the one before. */
function isAscending({ length, times }: Columns): boolean {
  for (let i = 1; i < length; i++) if ((times[i] as number) <= (times[i - 1] as number)) return false
  return true
}
