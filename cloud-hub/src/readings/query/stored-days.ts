import type { TransactionSql } from '../../db/pools.ts'
import type { Range } from '../range.ts'
import { GROUP_BITS } from '../series-group.ts'

const DAY_MS = 86_400_000
const MINUTES_OF_DAY = 1_440

/** A UTC day of a series that has something stored; `series` is the index in `seriesIds`. */
export interface StoredDay {
  series: number
  /** Unix ms of its start */
  at: number
  /** readings of the day, removed ones included, or more: rows of several series count as a whole */
  max: number
}

/** The days of a range on which something is stored of a series, ascending by series and day. Reads no readings. */
export async function storedDays(tx: TransactionSql, { tenantId, seriesIds, from, until }: Range): Promise<StoredDay[]> {
  const [start, end] = [new Date(from), new Date(until)]
  const day = (column: string) => tx.unsafe(`(${column} at time zone 'UTC')::date`)
  const firstDay = tx`(${start}::timestamptz at time zone 'UTC')::date`
  const lastDay = tx`(${new Date(until - 1)}::timestamptz at time zone 'UTC')::date`
  const blocks = (table: 'reading_blocks' | 'reading_blocks_open') => tx`
    select w.place, ${day('b.t0')} as day, b.n::float8 from wanted w cross join lateral (
      select b.t0, b.n from ${tx(table)} b
      where b.tenant_id = ${tenantId} and b.series_id = w.id
        and b.t0 >= ${firstDay}::timestamp at time zone 'UTC' and b.t0 < ${end} and b.t1 >= ${start}) b`
  // a row of several series may lie on several days
  const sections = (rows: ReturnType<typeof blocks>) => tx`
    select r.place, d.day::date, r.n::float8 from (${rows}) r
    cross join lateral generate_series(${day('greatest(r.t0, r.begin)')}, ${day('least(r.t1, r.finish)')}, interval '1 day') d(day)`
  // a plan for each range would cost as much as the query, with a partition for each week
  tx`set local plan_cache_mode = force_generic_plan`.execute()
  const rows = await tx<StoredDay[]>`
    with wanted as materialized (
      select w.place::int - 1 as place, s.id, s.machine_id
      from unnest(${`{${seriesIds.join()}}`}::text::int[]) with ordinality w(id, place)
      join series s on s.tenant_id = ${tenantId} and s.id = w.id
      where ${from < until}
    )
    select place as series, extract(epoch from day) * 1000 as at, sum(n) as max from (
      ${blocks('reading_blocks')}
      union all ${blocks('reading_blocks_open')}
      union all ${sections(tx`
        select w.place, r.t0, r.t1, r.n, ${start}::timestamptz as begin, ${new Date(until - 1)}::timestamptz as finish
        from wanted w join reading_tail r on r.tenant_id = ${tenantId} and r.machine_id = w.machine_id
          and r.s0 <= w.id and r.s1 >= w.id and r.t0 < ${end} and r.t1 >= ${start}`)}
      union all ${sections(tx`
        select w.place, r.t0, r.t1, r.n, ${start}::timestamptz as begin, ${new Date(until - 1)}::timestamptz as finish
        from wanted w join reading_arrivals r on r.tenant_id = ${tenantId} and r.series_group = w.id >> ${GROUP_BITS}::int
          and r.t0 < ${end} and r.t1 >= ${start}`)}
      union all select w.place, h.day, h.n::float8 from wanted w join reading_hours h on h.tenant_id = ${tenantId} and h.series_id = w.id
        and h.day between ${firstDay} and ${lastDay}
      union all select w.place, m.day, ${MINUTES_OF_DAY}::float8 from wanted w join reading_minutes m on m.tenant_id = ${tenantId} and m.series_id = w.id
        and m.day between ${firstDay} and ${lastDay}) stored
    group by 1, 2 order by 1, 2`
  return rows.map(({ series, at, max }) => ({ series, at: Number(at), max: Number(max) }))
}

/**
 * Divides the stored days of a series into ranges with at most `max` points each, or a day.
 * @param days ascending
 */
export function dayRanges(days: readonly StoredDay[], bucketMs: number, max: number): { from: number; until: number }[] {
  const ranges: { from: number; until: number; points: number }[] = []
  for (const day of days) {
    const points = maxPointsOf(day, bucketMs)
    const last = ranges.at(-1)
    if (last && last.points + points <= max) Object.assign(last, { until: day.at + DAY_MS, points: last.points + points })
    else ranges.push({ from: day.at, until: day.at + DAY_MS, points })
  }
  return ranges
}

/** Points of a day at most, in buckets that divide a day. */
export const maxPointsOf = ({ max }: StoredDay, bucketMs: number): number => Math.min(max, DAY_MS / bucketMs)
