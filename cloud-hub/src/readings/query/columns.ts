import type { TransactionSql } from '../../db/pools.ts'
import { mergeColumns } from '../codec/block.ts'
import type { Columns } from '../codec/columns.ts'
import type { Range } from '../range.ts'
import { readingsOfParts } from './read-parts.ts'
import { BLOCK, storedIn } from './stored-parts.ts'
import { visitRows } from './visit-rows.ts'

/** The number of readings of each series, counted up to `max`. */
export async function countsOf(tx: TransactionSql, range: Range, max: number): Promise<number[]> {
  const counts = range.seriesIds.map(() => 0)
  const add = (place: number, n: number) => {
    counts[place] = (counts[place] as number) + n
  }
  const visitCut = readingsOfParts(range, (place, _times, _values, from, to) => add(place, to - from))
  await visitRows(storedIn(tx, range, { what: 'counts' }), (part) => {
    if (part.kind === BLOCK && !part.times) add(part.place, part.n)
    else visitCut(part)
  })
  return counts.map((n) => Math.min(n, max))
}

/** The first `max` readings of each series. It reads no more blocks than they lie in, the tail of their machines, and arrivals. */
export async function columnsOfRange(tx: TransactionSql, range: Range, max: number): Promise<Columns[]> {
  const parts = range.seriesIds.map((): Columns[] => [])
  const keep = readingsOfParts(range, (place, times, values, from, to) => {
    const length = Math.min(max, to - from)
    parts[place]?.push({ length, times: times.slice(from, from + length), values: values.slice(from, from + length) })
  })
  await visitRows(storedIn(tx, range, { what: 'readings', max }), keep)
  return parts.map((of) => firstOf(mergeColumns(of), max))
}

function firstOf({ length, times, values }: Columns, max: number): Columns {
  const kept = Math.min(length, max)
  return { length: kept, times: times.subarray(0, kept), values: values.subarray(0, kept) }
}

/** The readings of all series of some metrics of a machine, from an instant (Unix ms) to another (exclusive). */
export interface MetricRange {
  tenantId: string
  machineId: string
  metrics: readonly string[]
  from: number
  until: number
}

export interface ColumnsByMetric extends Columns {
  metric: string
  unit: string
}

/** The first `max` readings of each series of these metrics, by unit. It awaits two statements, so a flush calls it. */
export async function columnsByMetric(tx: TransactionSql, range: MetricRange, max: number): Promise<ColumnsByMetric[]> {
  const { tenantId, machineId, metrics, from, until } = range
  const series = await tx<{ id: number; metric: string; unit: string }[]>`
    select id, metric, unit from series
    where tenant_id = ${tenantId} and machine_id = ${machineId} and metric = any(${[...metrics]}::text[])
    order by unit`
  if (series.length === 0) return []
  const columns = await columnsOfRange(tx, { tenantId, seriesIds: series.map(({ id }) => id), from, until }, max)
  return series.map(({ metric, unit }, i) => ({ metric, unit, ...(columns[i] as Columns) }))
}
