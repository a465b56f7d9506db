import type { PendingQuery, Row } from 'postgres'
import type { TransactionSql } from '../../../../db/pools.ts'
import type { Range } from '../range.ts'

type Fragment = PendingQuery<Row[]>
const [HOUR_MS, MINUTE_MS] = [3_600_000, 60_000]

/**
 * CTEs of (place, id, f, t): what of a range can be taken from rollups of hours (`whole`) and minutes (`fine`: hours that the range cuts off at
 * its ends), and what has to be read row by row (`open`): hours that are marked, not over or not rolled up, and less than a minute at either end.
 * Where readings were dropped, those that came later count beside the rollups until they are added to them. One snapshot, so nothing is missing or
 * counted twice.
 */
export function ranges(tx: TransactionSql, { tenantId, seriesIds, from, until }: Range): Fragment {
  const low = Math.ceil(from / HOUR_MS) * HOUR_MS
  const high = Math.max(low, Math.floor(until / HOUR_MS) * HOUR_MS)
  const cells = cutHours(from, until)
  const isReduced = (hour: Fragment) => tx`exists (select from readings_dropped d where d.lower <= ${hour} and ${hour} < d.upper)`
  const column = (key: keyof Cell) => `{${cells.map((cell) => cell[key] / 1_000).join()}}`
  return tx`
    wanted as materialized (
      select s.id, w.place::int - 1 as place, rolled_until, greatest(${new Date(low)}::timestamptz, least(${new Date(high)}::timestamptz, rolled_until)) as hi
      from rollup_state cross join unnest(${`{${seriesIds.join()}}`}::text::int[]) with ordinality w(id, place)
      join series s on s.tenant_id = ${tenantId} and s.id = w.id
    ), marked as materialized (
      select distinct w.place, w.id, m.hour, ${isReduced(tx`m.hour`)} as is_reduced from wanted w join rollup_marks m on m.series_id = w.id and m.hour >= ${new Date(low)} and m.hour < w.hi
    ), whole as materialized (
      select * from (
        select place, id, hour + interval '1 hour' as f, lead(hour) over (partition by place order by hour) as t from (
          select place, id, hour from marked where not is_reduced
          union all select place, id, ${new Date(low)}::timestamptz - interval '1 hour' from wanted
          union all select place, id, hi from wanted) boundaries) between_marks
      where f < t
    ), cut as materialized (
      select w.place, w.id, to_timestamp(a) as a, to_timestamp(b) as b, to_timestamp(am) as am, to_timestamp(bm) as bm,
        am < bm and to_timestamp(h) + interval '1 hour' <= w.rolled_until as is_rolled, ${isReduced(tx`to_timestamp(h)`)} as is_reduced,
        exists (select from rollup_marks m where m.series_id = w.id and m.hour = to_timestamp(h)) as is_marked
      from wanted w cross join unnest(${column('h')}::text::float8[], ${column('a')}::text::float8[], ${column('b')}::text::float8[],
        ${column('am')}::text::float8[], ${column('bm')}::text::float8[]) cells(h, a, b, am, bm)
    ), fine as materialized (
      select place, id, am as f, bm as t from cut where is_rolled and (is_reduced or not is_marked)
    ), open as materialized (
      select place, id, hour as f, hour + interval '1 hour' as t from marked
      union all select place, id, hi, ${new Date(high)} from wanted where hi < ${new Date(high)}
      union all select place, id, a, case when is_rolled and not is_marked then am else b end from cut
      union all select place, id, bm, b from cut where is_rolled and not is_marked
    )`
}

/** An hour `h` of which a range has only `a` to `b`; `am` to `bm` are whole minutes of it. */
interface Cell {
  h: number
  a: number
  b: number
  am: number
  bm: number
}

function cutHours(from: number, until: number): Cell[] {
  const hours = new Set([from, until].filter((at) => at % HOUR_MS !== 0).map((at) => Math.floor(at / HOUR_MS) * HOUR_MS))
  return [...hours].map((h) => {
    const [a, b] = [Math.max(from, h), Math.min(until, h + HOUR_MS)]
    return { h, a, b, am: Math.ceil(a / MINUTE_MS) * MINUTE_MS, bm: Math.floor(b / MINUTE_MS) * MINUTE_MS }
  })
}
