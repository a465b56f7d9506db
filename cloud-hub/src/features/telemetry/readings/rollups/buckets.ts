import type { PendingQuery, Row } from 'postgres'
import type { TransactionSql } from '../../../../db/pools.ts'
import type { Range } from '../range.ts'
import { ranges } from './ranges.ts'
import { combineStatistics, meanOf } from './statistics.ts'

type Fragment = PendingQuery<Row[]>
/** The mean of a bucket; `series` is the index in `seriesIds`, `at` its start in Unix ms. */
export interface Bucket {
  series: number
  at: number
  n: number
  mean: number
}

/**
 * The mean per bucket of the UTC grid, ascending by series and bucket; empty buckets are absent. Exact whatever has been rolled up.
 * @param bucketMs a divisor or a multiple of an hour, whole minutes
 * @param areExtreme after a failure with 22003: values are so large or so small that their squares leave the range of a double
 */
export async function bucketsOf(tx: TransactionSql, range: Range, bucketMs: number, areExtreme: boolean): Promise<Bucket[]> {
  const bucketSeconds = bucketMs / 1_000
  // the plan is the same whatever the range; made anew each time it would cost as much as the answer, with a partition for each day
  tx`set local plan_cache_mode = force_generic_plan`.execute()
  const bucket = (column: Fragment) => tx`date_bin(${`${bucketSeconds} seconds`}::interval, ${column}, 'epoch'::timestamptz)`
  const isOneToOne = bucketSeconds === 60 || bucketSeconds === 3_600 || areExtreme
  const from = (table: Fragment) => tx`${table} t where t.series_id = c.id and t.ts >= c.f and t.ts < c.t`
  const kept = (table: Fragment, asTheyAre: boolean) =>
    asTheyAre
      ? tx`select ${bucket(tx`t.ts`)} as bucket, t.n, t.mean from ${from(table)}`
      : tx`select ${bucket(tx`t.ts`)} as bucket, sum(t.n)::int as n, sum(t.n * t.mean) / sum(t.n) as mean from ${from(table)} group by 1`
  const rows = await tx<Bucket[]>`
    with ${ranges(tx, range)}
    select place as series, extract(epoch from bucket)::float8 * 1000 as at, n, mean from (
      select c.place, k.* from whole c cross join lateral (${kept(bucketSeconds < 3_600 ? tx`rollup_minutes` : tx`rollup_hours`, isOneToOne)}) k
      union all
      select c.place, k.* from fine c cross join lateral (${kept(tx`rollup_minutes`, bucketSeconds === 60 || areExtreme)}) k
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
    if (last && last.series === row.series && last.at === row.at) result[result.length - 1] = combineStatistics(last, row)
    else result.push(row)
  }
  return result
}
