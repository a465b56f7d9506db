import type { TenantScope } from '../../../db/scope.ts'
import type { Bucket, Columns, Range, ReadingStore, StoredSeries } from '../../../readings/index.ts'
import { dayRanges, maxPointsOf } from '../../../readings/index.ts'
import { fieldError, Unprocessable } from '../../../support/errors.ts'

/** Approximate maximum of points in memory for one response. */
const CHUNK_POINTS = 4_000
/** Readings of one series that are decoded at once: a block is decoded as a whole, and a reading takes 16 bytes. */
const PAGE_READINGS = 32_768
export const MAX_RAW_POINTS = 100_000

/** The query: readings of one machine between two instants, both inclusive. */
export interface SeriesQuery {
  series: readonly StoredSeries[]
  start: Date
  end: Date
  /** undefined: the readings themselves */
  bucketSeconds: number | undefined
}

/** A series, and its machine where an answer has several. */
export interface MachineSeries extends StoredSeries {
  machineId?: string
}

/** The next points of one series. All chunks of a series are consecutive, and series follow the order of the query. */
export interface SeriesChunk {
  series: MachineSeries
  /** Unix ms, ascending */
  times: Float64Array
  /** as many */
  values: Float64Array
}

/**
 * Reads in chunks, each in a short transaction of its own, so that a slow client occupies neither memory nor a connection. No
 * bucket spans two chunks: each is exact at the moment of its transaction.
 * @throws Unprocessable before the first chunk for more than 100,000 raw points
 */
export async function* readSeries(scope: TenantScope, store: ReadingStore, query: SeriesQuery): AsyncGenerator<SeriesChunk> {
  if (query.series.length === 0) return
  const [from, until] = [query.start.getTime(), query.end.getTime() + 1]
  if (query.bucketSeconds === undefined) yield* rawChunks(scope, store, query.series, from, until)
  else yield* bucketChunks(scope, store, query.series, from, until, query.bucketSeconds)
}

/**
 * Where the buckets of the range are more than a chunk, the stored days say how many points there can be, so that empty buckets cost
 * nothing: as many series as fit a chunk are read at once, and larger ones by ranges of days.
 */
async function* bucketChunks(
  scope: TenantScope,
  store: ReadingStore,
  series: readonly StoredSeries[],
  from: number,
  until: number,
  bucketSeconds: number,
) {
  const bucketMs = bucketSeconds * 1_000
  const read = async (some: readonly StoredSeries[], begin: number, end: number) => {
    const range = rangeOf(scope, some, Math.max(from, begin), Math.min(until, end))
    return chunksOfBuckets(some, await scope.read((tx) => store.buckets(tx, range, bucketMs)))
  }
  const count = Math.ceil((until - from) / bucketMs) + 1
  if (count * series.length <= CHUNK_POINTS) return yield* await read(series, from, until)
  const days = await scope.read((tx) => store.days(tx, rangeOf(scope, series, from, until)))
  const bySeries = Map.groupBy(days, (day) => day.series)
  let together: StoredSeries[] = []
  let points = 0
  for (const [i, one] of series.entries()) {
    const own = bySeries.get(i) ?? []
    const most = own.reduce((sum, day) => sum + maxPointsOf(day, bucketMs), 0)
    if (together.length > 0 && points + most > CHUNK_POINTS) {
      yield* await read(together, from, until)
      ;[together, points] = [[], 0]
    }
    if (most > CHUNK_POINTS)
      for (const range of dayRanges(own, bucketMs, CHUNK_POINTS)) yield* await read([one], range.from, range.until)
    else if (most > 0) {
      together.push(one)
      points += most
    }
  }
  if (together.length > 0) yield* await read(together, from, until)
}

async function* rawChunks(scope: TenantScope, store: ReadingStore, series: readonly StoredSeries[], from: number, until: number) {
  const max = MAX_RAW_POINTS + 1
  const counts = await scope.read((tx) => store.counts(tx, rangeOf(scope, series, from, until), max))
  checkPoints(counts)
  for (let i = 0; i < series.length; ) {
    let to = i + 1
    for (let sum = counts[i] as number; to < series.length && sum + (counts[to] as number) <= CHUNK_POINTS; to++)
      sum += counts[to] as number
    const some = series.slice(i, to)
    const isPaged = some.length === 1
    for (let after = from; ; ) {
      const range = rangeOf(scope, some, after, until)
      const columns = await scope.read((tx) => store.columns(tx, range, isPaged ? PAGE_READINGS : max))
      for (const [s, own] of columns.entries()) yield* chunksOf(some[s] as StoredSeries, own)
      const [page] = columns as [Columns]
      if (!isPaged || page.length < PAGE_READINGS) break
      after = (page.times.at(-1) as number) + 1
    }
    i = to
  }
}

export const rangeOf = (scope: TenantScope, series: readonly StoredSeries[], from: number, until: number): Range => ({
  tenantId: scope.tenantId,
  seriesIds: series.map(({ id }) => id),
  from,
  until,
})

/** @throws Unprocessable where there are more points in all series together than one answer may have */
export function checkPoints(counts: readonly number[]): void {
  if (counts.reduce((sum, n) => sum + n, 0) > MAX_RAW_POINTS)
    throw new Unprocessable([fieldError('query.interval', 'too_many_points', { limit: MAX_RAW_POINTS })])
}

/** Cuts points of a series into chunks, because formatting one blocks the event loop. */
export function* chunksOf(series: MachineSeries, { length, times, values }: Columns): Generator<SeriesChunk> {
  for (let at = 0; at < length; at += CHUNK_POINTS) {
    const end = Math.min(length, at + CHUNK_POINTS)
    yield { series, times: times.subarray(at, end), values: values.subarray(at, end) }
  }
}

/** The chunks of buckets that are ascending by series. */
export function* chunksOfBuckets(series: readonly MachineSeries[], buckets: readonly Bucket[]): Generator<SeriesChunk> {
  for (let i = 0; i < buckets.length; ) {
    const { series: s } = buckets[i] as Bucket
    const first = i
    while (buckets[i]?.series === s) i++
    const [times, values] = [new Float64Array(i - first), new Float64Array(i - first)]
    for (let k = first; k < i; k++) {
      const { at, mean } = buckets[k] as Bucket
      times[k - first] = at
      values[k - first] = mean
    }
    yield* chunksOf(series[s] as MachineSeries, { length: times.length, times, values })
  }
}
