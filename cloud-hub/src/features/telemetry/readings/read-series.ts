import { dbError } from '../../../db/errors.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { Unprocessable } from '../../../support/errors.ts'
import { NUMERIC_VALUE_OUT_OF_RANGE } from './rollups/statistics.ts'
import type { Point, ReadingStore, Series } from './store.ts'

/** Points that are in memory at once for one answer, about. */
const PORTION = 4_000
export const MAX_RAW_POINTS = 100_000

/** What is read: readings of one machine between two instants, both inclusive. */
export interface Asked {
  series: readonly Series[]
  start: Date
  end: Date
  /** undefined: the readings themselves */
  bucketSeconds: number | undefined
}

/** The next points of one series; those of a series come one after the other, the series in the order in which they were asked. */
export interface Portion {
  series: Series
  points: { at: number; value: number }[]
}

/**
 * Reads in portions, each in a short transaction of its own, so that neither memory nor a connection is held for as long as a client takes. A bucket
 * never lies in two of them: each is exact as of the moment when it was read.
 * @throws Unprocessable before the first portion for more than 100,000 raw points
 */
export async function* readSeries(scope: TenantScope, store: ReadingStore, asked: Asked): AsyncGenerator<Portion> {
  if (asked.series.length === 0) return
  const [from, until] = [asked.start.getTime(), asked.end.getTime() + 1]
  if (asked.bucketSeconds === undefined) yield* rawPortions(scope, store, asked.series, from, until)
  else yield* bucketPortions(scope, store, asked.series, from, until, asked.bucketSeconds)
}

async function* bucketPortions(
  scope: TenantScope,
  store: ReadingStore,
  series: readonly Series[],
  from: number,
  until: number,
  bucketSeconds: number,
) {
  const bucketMs = bucketSeconds * 1_000
  const first = Math.floor(from / bucketMs) * bucketMs
  const count = Math.ceil((until - first) / bucketMs)
  const together = Math.max(1, Math.floor(PORTION / count))
  for (let i = 0; i < series.length; i += together) {
    const some = series.slice(i, i + together)
    for (let at = first; at < until; at += PORTION * bucketMs) {
      const stretch = stretchOf(scope, some, Math.max(from, at), Math.min(until, at + PORTION * bucketMs))
      const buckets = await forExtremes(scope, (tx, areExtreme) => store.buckets(tx, stretch, bucketSeconds, areExtreme))
      yield* bySeries(
        some,
        buckets.map((bucket) => ({ place: bucket.place, at: bucket.at, value: bucket.mean })),
      )
    }
  }
}

async function* rawPortions(scope: TenantScope, store: ReadingStore, series: readonly Series[], from: number, until: number) {
  const most = MAX_RAW_POINTS + 1
  const counts = await scope.rawRead((tx) => store.counts(tx, stretchOf(scope, series, from, until), most))
  if (counts.reduce((sum, n) => sum + n, 0) > MAX_RAW_POINTS)
    throw new Unprocessable([
      {
        path: 'query.interval',
        message: `there are more than ${MAX_RAW_POINTS} raw points: give an interval, or a shorter range`,
      },
    ])
  for (let i = 0; i < series.length; ) {
    let to = i + 1
    for (let sum = counts[i] as number; to < series.length && sum + (counts[to] as number) <= PORTION; to++)
      sum += counts[to] as number
    const some = series.slice(i, to)
    const isPaged = some.length === 1
    for (let after = from; ; ) {
      const stretch = stretchOf(scope, some, after, until)
      const points = await scope.rawRead((tx) => store.points(tx, stretch, isPaged ? PORTION : most))
      yield* bySeries(some, points)
      if (!isPaged || points.length < PORTION) break
      after = (points.at(-1) as Point).at + 1
    }
    i = to
  }
}

export const stretchOf = (scope: TenantScope, series: readonly Series[], from: number, until: number) => ({
  tenantId: scope.tenantId,
  seriesIds: series.map(({ id }) => id),
  from,
  until,
})

function* bySeries(series: readonly Series[], points: readonly Point[]): Generator<Portion> {
  for (let i = 0; i < points.length; ) {
    const { place } = points[i] as Point
    let to = i + 1
    while (points[to]?.place === place) to++
    yield { series: series[place] as Series, points: points.slice(i, to) }
    i = to
  }
}

/** Asks again, in a way that takes longer, where squares of the largest values overflow. */
export async function forExtremes<T>(
  scope: TenantScope,
  ask: (tx: TransactionSql, areExtreme: boolean) => Promise<T>,
): Promise<T> {
  try {
    return await scope.rawRead((tx) => ask(tx, false))
  } catch (error) {
    if (dbError(error)?.code !== NUMERIC_VALUE_OUT_OF_RANGE) throw error
    return scope.rawRead((tx) => ask(tx, true))
  }
}
