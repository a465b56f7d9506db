import type { TransactionSql } from '../../../../db/pools.ts'
import { combineStatistics, decodeStatistics, type Statistics, statisticsOf, statisticsOfBucket } from '../codec/statistics.ts'
import type { Range } from '../range.ts'
import { decodeLegacyStatistics } from './legacy.ts'
import { readingsOfParts } from './read-parts.ts'
import { HOURS, LEGACY_HOURS, LEGACY_MINUTES, MINUTES, type StoredPart, storedIn } from './stored-parts.ts'
import { visitRows } from './visit-rows.ts'

const [HOUR_MS, MINUTE_MS] = [3_600_000, 60_000]

/** Statistics of the readings of a series in a bucket; `series` is the index in `seriesIds`, `at` the bucket's start in Unix ms. */
export interface Bucket extends Statistics {
  series: number
}

/** Statistics of all readings of a series in a range; `series` is the index in `seriesIds`. */
export type Total = Omit<Bucket, 'at'>

/**
 * The statistics per bucket of the UTC grid, ascending by series and bucket; empty buckets are absent. Buckets at the ends of the
 * range have its readings only. Readings that retention removed count by the minute, in buckets of whole hours by the hour.
 */
export async function bucketsOf(tx: TransactionSql, range: Range, bucketMs: number): Promise<Bucket[]> {
  const buckets = range.seriesIds.map(() => new Map<number, Bucket>())
  await visitStatistics(tx, range, bucketMs, (place, one) => {
    const at = Math.floor(one.at / bucketMs) * bucketMs
    const own = buckets[place] as Map<number, Bucket>
    const known = own.get(at)
    const { n, mean, m2, low, high, lastAt, last } = known ? combineStatistics(known, one) : one
    own.set(at, { series: place, at, n, mean, m2, low, high, lastAt, last })
  })
  return buckets.flatMap((own) => [...own.values()].sort((a, b) => a.at - b.at))
}

/** The totals of each series, in their order; series without readings are absent. They count what {@link bucketsOf} counts. */
export async function totalsOf(tx: TransactionSql, range: Range): Promise<Total[]> {
  const totals: (Statistics | undefined)[] = range.seriesIds.map(() => undefined)
  await visitStatistics(tx, range, null, (place, one) => {
    const known = totals[place]
    totals[place] = known ? combineStatistics(known, one) : one
  })
  return totals.flatMap((total, series) => {
    if (!total) return []
    const { at: _, ...rest } = total
    return [{ series, ...rest }]
  })
}

/**
 * Visits statistics of parts of the range, each inside a bucket; null: one bucket. Blocks inside whole hours come as statistics by
 * hour where a bucket is made of hours. Readings are decoded of other blocks and of the tail.
 */
async function visitStatistics(
  tx: TransactionSql,
  range: Range,
  bucketMs: number | null,
  add: (place: number, one: Statistics) => void,
): Promise<void> {
  const { from, until } = range
  const isOfHours = bucketMs === null || bucketMs % HOUR_MS === 0
  const wholeFrom = Math.ceil(from / HOUR_MS) * HOUR_MS
  const wholeUntil = isOfHours ? Math.max(wholeFrom, Math.floor(until / HOUR_MS) * HOUR_MS) : wholeFrom
  const isWhole = (at: number) => at >= wholeFrom && at < wholeUntil
  /** a minute inside the range that no whole hour counts */
  const isOpen = (at: number) => at >= from && at + MINUTE_MS <= until && !isWhole(at)

  const visitReadings = readingsOfParts(range, (place, times, values, begin, end) => {
    if (bucketMs === null) add(place, statisticsOfBucket(0, times, values, begin, end))
    else for (const one of statisticsOf(times, values, begin, end, bucketMs)) add(place, one)
  })
  const visit = (part: StoredPart) => {
    if (!part.stats) visitReadings(part)
    else if (part.kind === LEGACY_HOURS) {
      for (const hour of decodeLegacyStatistics(part.stats)) if (isWhole(hour.at)) add(part.place, hour)
    } else if (part.kind === LEGACY_MINUTES) {
      for (const minute of decodeLegacyStatistics(part.stats)) if (isOpen(minute.at)) add(part.place, minute)
    } else if (part.kind === MINUTES) {
      for (const minute of decodeStatistics(part.stats, MINUTE_MS)) if (isOpen(minute.at)) add(part.place, minute)
    } else {
      for (const hour of decodeStatistics(part.stats, HOUR_MS)) if (part.kind !== HOURS || isWhole(hour.at)) add(part.place, hour)
    }
  }
  const minutes = isOfHours ? 'ends' : 'all'
  await visitRows(storedIn(tx, range, { what: 'statistics', wholeFrom, wholeUntil, minutes }), visit)
}
