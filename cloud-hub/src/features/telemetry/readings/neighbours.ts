import type { TransactionSql } from '../../../db/pools.ts'
import type { Columns } from './codec/columns.ts'
import type { NeighbourRequest } from './range.ts'

const array = (values: readonly number[]) => `{${values.join()}}`

/** The stored neighbours of some instants, for each request in its order; fewer where the series begins or ends. */
export async function neighbours(tx: TransactionSql, requests: readonly NeighbourRequest[]): Promise<Columns[]> {
  // Neighbours of close instants overlap; each reading is returned once.
  const rows = await tx<{ s: number; ts: Date; value: number }[]>`
    select distinct w.s, n.ts, n.value
    from (select s, to_timestamp(t / 1000) as at, b, a from unnest(${array(requests.map(({ series }) => series.id))}::text::int[],
      ${array(requests.map(({ at }) => at))}::text::float8[], ${array(requests.map(({ before }) => before))}::text::int[],
      ${array(requests.map(({ after }) => after))}::text::int[]) w(s, t, b, a)) w
    cross join lateral (
      (select ts, value from readings where series_id = w.s and ts <= w.at order by ts desc limit w.b)
      union all
      (select ts, value from readings where series_id = w.s and ts > w.at order by ts limit w.a)) n
    order by 1, 2`
  const bySeries = new Map<number, { times: number[]; values: number[] }>()
  for (const { s, ts, value } of rows) {
    const found = bySeries.get(s) ?? { times: [], values: [] }
    bySeries.set(s, found)
    found.times.push(ts.getTime())
    found.values.push(value)
  }
  return requests.map(({ series, at, before, after }) => {
    const { times, values } = bySeries.get(series.id) ?? { times: [], values: [] }
    const middle = countUntil(times, at)
    const [from, to] = [Math.max(0, middle - before), Math.min(times.length, middle + after)]
    return {
      length: to - from,
      times: Float64Array.from(times.slice(from, to)),
      values: Float64Array.from(values.slice(from, to)),
    }
  })
}

/** How many of these ascending instants are at or before `at`. */
function countUntil(times: readonly number[], at: number): number {
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((times[middle] as number) <= at) low = middle + 1
    else high = middle
  }
  return low
}
