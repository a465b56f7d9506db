import type { TransactionSql } from '../db/pools.ts'
import type { TenantScope } from '../db/scope.ts'
import { appendLive, isLive } from './append.ts'
import { type Claimed, claim } from './claim.ts'
import type { Columns } from './codec/columns.ts'
import type { Inserts } from './insert-readings.ts'
import { type LatestReading, latestByMachine } from './latest/readers.ts'
import type { SavedLatest } from './latest/save.ts'
import { type ColumnsByMetric, columnsByMetric, columnsOfRange, countsOf, type MetricRange } from './query/columns.ts'
import { neighbours } from './query/neighbours.ts'
import { sampleOf, valuesOf } from './query/sample.ts'
import { type Bucket, bucketsOf, type Total, totalsOf } from './query/statistics.ts'
import { type StoredDay, storedDays } from './query/stored-days.ts'
import { type WalkedReading, walkReadings } from './query/walk.ts'
import type { NeighbourRequest, Range } from './range.ts'
import type { SeriesSpan, SortedReadings } from './sorted-readings.ts'

/** A series of a machine. */
export interface StoredSeries {
  id: number
  metric: string
  unit: string
}

/**
 * The storage of readings. Every statement on readings and newest readings is behind these calls and the fragments of
 * `latest/readers.ts`. All name their tenant.
 */
export interface ReadingStore {
  /** Whether the readings of a span can be stored without reading what is stored. See {@link isLive}. */
  isLive(readings: SortedReadings, span: SeriesSpan): boolean
  /** Stores all readings, of these spans only new ones. See {@link claim}. */
  claim(tx: TransactionSql, readings: SortedReadings, spans: ReadonlySet<SeriesSpan>): Promise<Claimed>
  /**
   * Stores the readings that no claim has stored. Sent, not awaited: a failure fails the transaction, also where one is not newer
   * than everything stored.
   * @param claimed null: there was no claim
   * @param isRepeated the flush failed as stale before
   */
  append(tx: TransactionSql, readings: SortedReadings, claimed: Claimed | null, isRepeated: boolean): SavedLatest
  /** The stored neighbours of some instants, for each request in its order. */
  neighbours(tx: TransactionSql, requests: readonly NeighbourRequest[]): Promise<Columns[]>
  /** The newest reading of each series of some machines, in the order of the ids; null where the tenant has no such machine. */
  latest(tx: TransactionSql, tenantId: string, machineIds: readonly string[]): Promise<(LatestReading[] | null)[]>
  /** The series of a machine, by metric and unit; null when the tenant has no such machine. */
  seriesOf(tx: TransactionSql, tenantId: string, machineId: string): Promise<StoredSeries[] | null>
  /** The number of readings of each series, counted up to `max`. */
  counts(tx: TransactionSql, range: Range, max: number): Promise<number[]>
  /** The first `max` readings of each series. */
  columns(tx: TransactionSql, range: Range, max: number): Promise<Columns[]>
  /** The first `max` readings of all series of some metrics of a machine, by unit. */
  columnsByMetric(tx: TransactionSql, range: MetricRange, max: number): Promise<ColumnsByMetric[]>
  /** The mean per bucket of the UTC grid, with the bucket's start; empty buckets are absent. See {@link bucketsOf}. */
  buckets(tx: TransactionSql, range: Range, bucketMs: number): Promise<Bucket[]>
  /** The UTC days on which something is stored of each series. See {@link storedDays}. */
  days(tx: TransactionSql, range: Range): Promise<StoredDay[]>
  /** Count, mean, deviation, extremes and last reading of each series. See {@link totalsOf}. */
  totals(tx: TransactionSql, range: Range): Promise<Total[]>
  /** All readings of some series, in pages that are short transactions. See {@link walkReadings}. */
  walk(scope: TenantScope, seriesIds: readonly number[], from: number, until: number): AsyncGenerator<WalkedReading[]>
  /** All values of each series, in any order. */
  values(tx: TransactionSql, range: Range): Promise<number[][]>
  /** Some values of each series: up to `each` from each of `moments` equal parts of the time between its first and last reading. */
  sample(tx: TransactionSql, range: Range, moments: number, each: number): Promise<number[][]>
}

/** Packed readings: arrivals and a tail of recent sections, and sealed blocks. See README.md. */
export const packedStore = (inserts: Inserts): ReadingStore => ({
  isLive,
  claim: (tx, readings, spans) => claim(tx, readings, spans, inserts),
  append: (tx, readings, claimed, isRepeated) => claimed?.saved ?? appendLive(tx, readings, isRepeated, inserts),
  neighbours,
  latest: latestByMachine,

  async seriesOf(tx, tenantId, machineId) {
    const rows = await tx<(StoredSeries | { id: null })[]>`
      select s.id, s.metric, s.unit from machines m left join series s on s.tenant_id = m.tenant_id and s.machine_id = m.id
      where m.tenant_id = ${tenantId} and m.id = ${machineId} order by s.metric, s.unit`
    return rows.length === 0 ? null : rows.filter((row): row is StoredSeries => row.id !== null)
  },

  counts: countsOf,
  columns: columnsOfRange,
  columnsByMetric,
  buckets: bucketsOf,
  days: storedDays,
  totals: totalsOf,
  walk: walkReadings,
  values: valuesOf,
  sample: sampleOf,
})
