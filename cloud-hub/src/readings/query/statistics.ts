import type { TransactionSql } from '../../db/pools.ts'
import { addToMean, decodeMeans, type Mean, meansOf } from '../codec/means.ts'
import { combineStatistics, decodeStatistics, type Statistics, statisticsOfBucket } from '../codec/statistics.ts'
import type { Range } from '../range.ts'
import { readingsOfParts, type VisitReadings } from './read-parts.ts'
import { HOURS, MINUTES, type StoredPart, storedIn } from './stored-parts.ts'
import { visitRows } from './visit-rows.ts'

const [HOUR_MS, MINUTE_MS] = [3_600_000, 60_000]

/** Number and mean of the readings of a series in a bucket; `series` is the index in `seriesIds`. */
export interface Bucket extends Mean {
  series: number
}

/** Statistics of all readings of a series in a range; `series` is the index in `seriesIds`. */
export interface Total extends Omit<Statistics, 'at'> {
  series: number
}

/**
 * The mean per bucket of the UTC grid, ascending by series and bucket; empty buckets are absent. Buckets at the ends of the
 * range have its readings only. Readings that retention removed count by the minute, in buckets of whole hours by the hour.
 */
export async function bucketsOf(tx: TransactionSql, range: Range, bucketMs: number): Promise<Bucket[]> {
  const buckets = range.seriesIds.map((): Bucket[] => [])
  const add = (series: number, at: number, n: number, mean: number) => {
    const start = Math.floor(at / bucketMs) * bucketMs
    const own = buckets[series] as Bucket[]
    const last = own.at(-1)
    if (last?.at === start) addToMean(last, n, mean)
    else own.push({ series, at: start, n, mean })
  }
  await visitStatistics(tx, range, bucketMs % HOUR_MS === 0, {
    readings: (place, times, values, begin, end) =>
      meansOf(times, values, begin, end, bucketMs, (at, n, mean) => add(place, at, n, mean)),
    encoded: (place, bytes, widthMs, isCounted) =>
      decodeMeans(bytes, widthMs, (at, n, mean) => {
        if (isCounted(at)) add(place, at, n, mean)
      }),
  })
  return buckets.flatMap(inOrder)
}

/** Sorts the buckets of a series and combines those of one start. Most come in order already: only the tail comes before the blocks. */
function inOrder(buckets: Bucket[]): Bucket[] {
  if (buckets.every((bucket, i) => i === 0 || bucket.at > (buckets[i - 1] as Bucket).at)) return buckets
  const combined: Bucket[] = []
  for (const bucket of buckets.sort((a, b) => a.at - b.at)) {
    const last = combined.at(-1)
    if (last?.at === bucket.at) addToMean(last, bucket.n, bucket.mean)
    else combined.push(bucket)
  }
  return combined
}

/** The totals of each series, in their order; series without readings are absent. They count what {@link bucketsOf} counts. */
export async function totalsOf(tx: TransactionSql, range: Range): Promise<Total[]> {
  const totals: (Statistics | undefined)[] = range.seriesIds.map(() => undefined)
  const add = (place: number, one: Statistics) => {
    const known = totals[place]
    totals[place] = known ? combineStatistics(known, one) : one
  }
  await visitStatistics(tx, range, true, {
    readings: (place, times, values, begin, end) => add(place, statisticsOfBucket(0, times, values, begin, end)),
    encoded: (place, bytes, widthMs, isCounted) => {
      for (const one of decodeStatistics(bytes, widthMs)) if (isCounted(one.at)) add(place, one)
    },
  })
  return totals.flatMap((total, series) => {
    if (!total) return []
    const { at: _, ...rest } = total
    return [{ series, ...rest }]
  })
}

/** Receives parts of the range; `place` is the index of the series. No part is visited twice. */
interface StatisticsVisitor {
  readings: VisitReadings
  /** @param isCounted whether the bucket that starts at an instant is part of the range */
  encoded(place: number, bytes: Buffer, widthMs: number, isCounted: (at: number) => boolean): void
}

const isAny = () => true

/**
 * Visits what the statistics of a range consist of. Blocks inside whole hours come as statistics by hour where `areHours` permits.
 * Readings are decoded of other blocks and of the tail.
 * @param areHours a bucket is made of whole hours, or all of the range is one bucket
 */
async function visitStatistics(tx: TransactionSql, range: Range, areHours: boolean, visitor: StatisticsVisitor): Promise<void> {
  const { from, until } = range
  const wholeFrom = Math.ceil(from / HOUR_MS) * HOUR_MS
  const wholeUntil = areHours ? Math.max(wholeFrom, Math.floor(until / HOUR_MS) * HOUR_MS) : wholeFrom
  const isWhole = (at: number) => at >= wholeFrom && at < wholeUntil
  /** a minute inside the range that no whole hour counts */
  const isOpen = (at: number) => at >= from && at + MINUTE_MS <= until && !isWhole(at)

  const visitReadings = readingsOfParts(range, visitor.readings)
  const visit = (part: StoredPart) => {
    const { kind, place, stats } = part
    if (!stats) visitReadings(part)
    else if (kind === MINUTES) visitor.encoded(place, stats, MINUTE_MS, isOpen)
    else visitor.encoded(place, stats, HOUR_MS, kind === HOURS ? isWhole : isAny)
  }
  const minutes = areHours ? 'ends' : 'all'
  await visitRows(storedIn(tx, range, { what: 'statistics', wholeFrom, wholeUntil, minutes }), visit)
}
