import type { PendingQuery, Row } from 'postgres'
import type { TransactionSql } from '../../../db/pools.ts'
import { joined, meanOf } from './statistics.ts'

type Fragment = PendingQuery<Row[]>
const HOUR_MS = 3_600_000

/** The readings of some series of one tenant, from an instant (Unix ms) to another that does not belong to it any more. */
export interface Stretch {
  tenantId: string
  seriesIds: readonly number[]
  from: number
  until: number
}

/** The mean of a bucket; `place` is that of its series in `seriesIds`, `at` its start in Unix ms. */
export interface Bucket {
  place: number
  at: number
  n: number
  mean: number
}

/**
 * The CTEs `clean` and `open` (place, id, f, t): what of a stretch can be taken from rollups, and what has to be read row by row, which is hours that
 * are marked, hours that are not over or not rolled up, and what the range cuts off at its ends. One snapshot, so nothing is missing or counted twice.
 */
export function ranges(tx: TransactionSql, { tenantId, seriesIds, from, until }: Stretch): Fragment {
  const [start, end] = [new Date(from), new Date(until)]
  const low = new Date(Math.ceil(from / HOUR_MS) * HOUR_MS)
  const high = new Date(Math.floor(until / HOUR_MS) * HOUR_MS)
  return tx`
    edge as materialized (
      select case when h > ${low} then ${low} else ${start} end::timestamptz as lo, case when h > ${low} then h else ${start} end::timestamptz as hi
      from (select least(${high}::timestamptz, rolled_until) as h from rollup_state) state
    ), wanted as materialized (
      select s.id, w.place::int - 1 as place, e.lo, e.hi from edge e cross join unnest(${`{${seriesIds.join()}}`}::text::int[]) with ordinality w(id, place)
      join series s on s.tenant_id = ${tenantId} and s.id = w.id
    ), marked as materialized (
      select distinct w.place, w.id, m.hour from wanted w join rollup_marks m on m.series_id = w.id and m.hour >= w.lo and m.hour < w.hi
    ), clean as materialized (
      select * from (
        select place, id, hour + interval '1 hour' as f, lead(hour) over (partition by place order by hour) as t from (
          select place, id, hour from marked
          union all select place, id, lo - interval '1 hour' from wanted
          union all select place, id, hi from wanted) boundaries) between_marks
      where f < t
    ), open as materialized (
      select place, id, hour as f, hour + interval '1 hour' as t from marked
      union all select place, id, ${start}, lo from wanted where lo > ${start}
      union all select place, id, hi, ${end} from wanted where hi < ${end}
    )`
}

/**
 * The mean per bucket of the UTC grid, ascending by place and bucket; empty buckets are absent. Exact whatever has been rolled up.
 * @param bucketSeconds a divisor or a multiple of an hour, whole minutes
 * @param areExtreme after a failure with 22003: values are so large that their squares overflow
 */
export async function bucketsOf(
  tx: TransactionSql,
  stretch: Stretch,
  bucketSeconds: number,
  areExtreme: boolean,
): Promise<Bucket[]> {
  const bucket = (column: Fragment) => tx`date_bin(${`${bucketSeconds} seconds`}::interval, ${column}, 'epoch'::timestamptz)`
  const rollups = bucketSeconds < 3_600 ? tx`rollup_minutes` : tx`rollup_hours`
  const isOneToOne = bucketSeconds === 60 || bucketSeconds === 3_600 || areExtreme
  const kept = isOneToOne
    ? tx`select ${bucket(tx`t.ts`)} as bucket, t.n, t.mean from ${rollups} t where t.series_id = c.id and t.ts >= c.f and t.ts < c.t`
    : tx`select ${bucket(tx`t.ts`)} as bucket, sum(t.n)::int as n, sum(t.n * t.mean) / sum(t.n) as mean
        from ${rollups} t where t.series_id = c.id and t.ts >= c.f and t.ts < c.t group by 1`
  const rows = await tx<Bucket[]>`
    with ${ranges(tx, stretch)}
    select place, extract(epoch from bucket)::float8 * 1000 as at, n, mean from (
      select c.place, k.* from clean c cross join lateral (${kept}) k
      union all
      select o.place, k.* from open o cross join lateral (
        select ${bucket(tx`r.ts`)} as bucket, count(*)::int as n, ${meanOf(tx, areExtreme)} as mean
        from readings r where r.series_id = o.id and r.ts >= o.f and r.ts < o.t group by 1) k) parts
    order by place, bucket`
  return merged(rows)
}

/** A bucket that was put together from several parts comes once. */
function merged(rows: readonly Bucket[]): Bucket[] {
  const result: Bucket[] = []
  for (const row of rows) {
    const last = result.at(-1)
    if (last && last.place === row.place && last.at === row.at) result[result.length - 1] = joined(last, row)
    else result.push(row)
  }
  return result
}
