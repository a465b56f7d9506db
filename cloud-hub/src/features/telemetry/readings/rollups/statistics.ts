import type { PendingQuery, Row } from 'postgres'
import type { Sql, TransactionSql } from '../../../../db/pools.ts'

type Fragment = PendingQuery<Row[]>

/** What PostgreSQL answers to a number that is larger than the largest double, or smaller than the smallest. */
export const NUMERIC_VALUE_OUT_OF_RANGE = '22003'

/**
 * The mean of `value`, each of which stands for `n`, where their squares, sums or parts leave the range of a double: large values are scaled by a
 * power of two, which is exact, and what is smaller than 1e-140 counts as 0, because PostgreSQL refuses what comes out as less than the smallest
 * double.
 */
export const extremeMean = (tx: Sql | TransactionSql, value: Fragment, n: Fragment, all: Fragment): Fragment =>
  tx`coalesce(sum(${n} * (${value} * 2::float8 ^ -64)) filter (where abs(${value}) > 1e140), 0) / ${all} * 2::float8 ^ 64
      + coalesce(sum(${n} * ${value}) filter (where abs(${value}) between 1e-140 and 1e140), 0) / ${all}`

/**
 * The mean of `r.value`. avg() adds squares, so it overflows above 1e154, and one device that reports the largest double for "no value" would spoil
 * every chart of its machine. The other way is half as fast, hence only after avg() has failed.
 */
export const meanOf = (tx: Sql | TransactionSql, areExtreme: boolean): Fragment =>
  areExtreme ? extremeMean(tx, tx`r.value`, tx`1`, tx`count(*)`) : tx`avg(r.value)`

/** The sum of the squared deviations of `r.value` from its mean, by Youngs and Cramer's stable method; null where it is beyond a double. */
export const deviationsOf = (tx: Sql | TransactionSql, areExtreme: boolean): Fragment =>
  areExtreme
    ? tx`case when max(abs(r.value)) <= 1e140 then var_pop(r.value) filter (where abs(r.value) <= 1e140) * count(*) end`
    : tx`var_pop(r.value) * count(*)`

/** What is known of some readings of a series, without the readings. */
export interface PartialStatistics {
  n: number
  mean: number
}

/** The mean of both together; never beyond the larger of the two. */
export function combineStatistics<T extends PartialStatistics>(a: T, b: PartialStatistics): T {
  const n = a.n + b.n
  return { ...a, n, mean: a.mean * (a.n / n) + b.mean * (b.n / n) }
}
