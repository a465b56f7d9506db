import type { TransactionSql } from '../../../../db/pools.ts'
import type { Range } from '../range.ts'
import { ranges } from './ranges.ts'
import { deviationsOf, extremeMean, meanOf } from './statistics.ts'

/** What all readings of a series in a range come to; `series` is its index in `seriesIds`. */
export interface Total {
  series: number
  n: number
  mean: number
  /** the sum of squared deviations from the mean; null where it is beyond a double */
  m2: number | null
  low: number
  high: number
  /** Unix ms of the last reading, and its value */
  lastAt: number
  last: number
}

/**
 * The totals of each series, by index; series without readings are absent. Exact whatever has been rolled up; parts are put together by the method of
 * Chan, Golub and LeVeque, which loses no digits.
 * @param areExtreme after a failure with 22003: values are so large or so small that their squares leave the range of a double
 */
export function totalsOf(tx: TransactionSql, range: Range, areExtreme: boolean): Promise<Total[]> {
  tx`set local plan_cache_mode = force_generic_plan`.execute()
  const from = (table: 'rollup_hours' | 'rollup_minutes') => tx`
    select t.n, t.mean, t.m2, t.low, t.high, t.last_at, t.last from ${tx(table)} t where t.series_id = c.id and t.ts >= c.f and t.ts < c.t`
  const mean = areExtreme
    ? extremeMean(tx, tx`mean`, tx`n`, tx`sum(n)`)
    : tx`case when count(*) = 1 then max(mean) else sum(n * mean) / sum(n) end`
  const isOrdinary = areExtreme ? tx`greatest(abs(w.low), abs(w.high)) <= 1e140` : tx`true`
  const square = areExtreme
    ? tx`case when abs(p.mean - w.mean) > 1e-140 then (p.mean - w.mean) ^ 2 else 0 end`
    : tx`(p.mean - w.mean) ^ 2`
  const deviations = tx`
    case when bool_and(p.m2 is not null) then sum(coalesce(p.m2, 0) + p.n * ${square}) filter (where ${isOrdinary}) end`
  return tx<Total[]>`
    with ${ranges(tx, range)}, parts as materialized (
      select c.place, k.* from whole c cross join lateral (${from('rollup_hours')}) k
      union all
      select c.place, k.* from fine c cross join lateral (${from('rollup_minutes')}) k
      union all
      select o.place, k.*, l.value from open o cross join lateral (
        select count(*)::int as n, ${meanOf(tx, areExtreme)} as mean, ${deviationsOf(tx, areExtreme)} as m2, min(r.value) as low, max(r.value) as high,
          max(r.ts) as last_at
        from readings r where r.series_id = o.id and r.ts >= o.f and r.ts < o.t having count(*) > 0) k
      cross join lateral (select r.value from readings r where r.series_id = o.id and r.ts = k.last_at limit 1) l
    ), together as materialized (
      select place, sum(n)::float8 as n, ${mean} as mean, min(low) as low, max(high) as high, max(last_at) as last_at from parts group by place
    )
    select w.place as series, w.n, w.mean, ${deviations} as m2, w.low, w.high, (extract(epoch from w.last_at) * 1000)::float8 as "lastAt",
      max(p.last) filter (where p.last_at = w.last_at) as last
    from together w join parts p on p.place = w.place group by w.place, w.n, w.mean, w.low, w.high, w.last_at order by w.place`
}
