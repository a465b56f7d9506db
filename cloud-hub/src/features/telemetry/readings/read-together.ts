import type { TenantScope } from '../../../db/scope.ts'
import { maxPointsOf, type ReadingStore } from '../../../readings/index.ts'
import { NotFound } from '../../../support/errors.ts'
import {
  checkPoints,
  chunksOf,
  chunksOfBuckets,
  MAX_RAW_POINTS,
  type MachineSeries,
  rangeOf,
  type SeriesChunk,
} from './read-series.ts'

/** A metric of a machine, in all its units. */
export interface WantedSeries {
  machineId: string
  metric: string
}

/** The query: series of any machines between two instants, both inclusive. */
export interface TogetherQuery {
  series: readonly WantedSeries[]
  start: Date
  end: Date
  /** undefined: the readings themselves */
  bucketSeconds: number | undefined
}

/**
 * Reads several series from one snapshot: one statement reads the points of all of them. So they are in memory together, and a maximum
 * bounds all of them, also where buckets are asked for.
 * @throws NotFound for a machine that the tenant does not have; Unprocessable for more than 100,000 points
 */
export async function* readTogether(scope: TenantScope, store: ReadingStore, query: TogetherQuery): AsyncGenerator<SeriesChunk> {
  const series = await seriesOf(scope, store, query.series)
  if (series.length === 0) return
  const range = rangeOf(scope, series, query.start.getTime(), query.end.getTime() + 1)
  if (query.bucketSeconds === undefined) {
    checkPoints(await scope.read((tx) => store.counts(tx, range, MAX_RAW_POINTS + 1)))
    const columns = await scope.read((tx) => store.columns(tx, range, MAX_RAW_POINTS + 1))
    for (const [i, own] of columns.entries()) yield* chunksOf(series[i] as MachineSeries, own)
    return
  }
  const bucketMs = query.bucketSeconds * 1_000
  const count = Math.ceil((range.until - range.from) / bucketMs) + 1
  // the stored days say how many there can be: empty buckets cost nothing
  if (count * series.length > MAX_RAW_POINTS)
    checkPoints((await scope.read((tx) => store.days(tx, range))).map((day) => maxPointsOf(day, bucketMs)))
  yield* chunksOfBuckets(series, await scope.read((tx) => store.buckets(tx, range, bucketMs)))
}

/** In the order of `wanted`, each once. */
async function seriesOf(scope: TenantScope, store: ReadingStore, wanted: readonly WantedSeries[]) {
  const machineIds = [...new Set(wanted.map(({ machineId }) => machineId))]
  const stored = await scope.read((tx) => Promise.all(machineIds.map((id) => store.seriesOf(tx, scope.tenantId, id))))
  const missing = machineIds.find((_, i) => stored[i] === null)
  if (missing) throw new NotFound('machine', missing)
  const byMachine = new Map(machineIds.map((id, i) => [id, stored[i] ?? []]))
  const found = wanted.flatMap(({ machineId, metric }) =>
    (byMachine.get(machineId) ?? []).filter((one) => one.metric === metric).map((one): MachineSeries => ({ ...one, machineId })),
  )
  return [...new Map(found.map((one) => [one.id, one])).values()]
}
