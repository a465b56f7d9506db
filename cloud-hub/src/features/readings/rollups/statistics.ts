import type { PendingQuery, Row } from 'postgres'
import type { Sql, TransactionSql } from '../../../db/pools.ts'

type Fragment = PendingQuery<Row[]>

export const NUMERIC_VALUE_OUT_OF_RANGE = '22003'

/**
 * The mean of `r.value`. avg() adds squares, so it overflows above 1e154, and one device that reports the largest double for "no value" would spoil
 * every chart of its machine. Large values are then scaled by a power of two, which is exact. Half as fast, hence only after avg() has failed.
 */
export const meanOf = (tx: Sql | TransactionSql, areExtreme: boolean): Fragment =>
  areExtreme
    ? tx`coalesce(sum(r.value * 2::float8 ^ -64) filter (where abs(r.value) > 1e140), 0) / count(*) * 2::float8 ^ 64
        + coalesce(sum(r.value) filter (where abs(r.value) <= 1e140), 0) / count(*)`
    : tx`avg(r.value)`

/** The sum of the squared deviations of `r.value` from its mean, by Youngs and Cramer's stable method; null where it is beyond a double. */
export const deviationsOf = (tx: Sql | TransactionSql, areExtreme: boolean): Fragment =>
  areExtreme
    ? tx`case when max(abs(r.value)) <= 1e140 then var_pop(r.value) filter (where abs(r.value) <= 1e140) * count(*) end`
    : tx`var_pop(r.value) * count(*)`

/** What is known of some readings of a series, without the readings. */
export interface Part {
  n: number
  mean: number
}

/** The mean of both together; never beyond the larger of the two. */
export function joined<T extends Part>(a: T, b: Part): T {
  const n = a.n + b.n
  return { ...a, n, mean: a.mean * (a.n / n) + b.mean * (b.n / n) }
}
