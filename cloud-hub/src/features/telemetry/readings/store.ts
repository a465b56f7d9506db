import type { Sql, TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { saveLatest } from './anomalies/save-latest.ts'
import type { Columns } from './codec/columns.ts'
import { type ColumnsByMetric, columnsByMetric, columnsOfRange, countsOf, type MetricRange } from './columns.ts'
import { type LatestReading, latestOfMachine } from './latest.ts'
import { neighbours } from './neighbours.ts'
import type { NeighbourRequest, Range } from './range.ts'
import { type Bucket, bucketsOf } from './rollups/buckets.ts'
import { type LateHours, lateHours } from './rollups/marks.ts'
import { type Total, totalsOf } from './rollups/totals.ts'
import { sampleOf, valuesOf } from './sample.ts'
import type { SeriesSpan, SortedReadings } from './sorted-readings.ts'
import { type WalkedReading, walkReadings } from './walk.ts'

/** A series of a machine. */
export interface Series {
  id: number
  metric: string
  unit: string
}

/** The outcome of {@link ReadingStore.claim}. */
export interface Claimed {
  spans: ReadonlySet<SeriesSpan>
  /** indexes of the readings of these spans that are new */
  fresh: ReadonlySet<number>
}

/**
 * The storage of readings. Every statement on readings and latest readings is behind these calls and the fragments of
 * `latest.ts`. Hence another layout can replace rows. Readings are reached through series, which a tenant owns; so reads name
 * their tenant.
 */
export interface ReadingStore {
  /** Creates partitions for instants that have none yet; outside the flush. */
  prepare(timestamps: Float64Array): Promise<void>
  /** After a statement failed as stale: reloads what this process caches of rollups and partitions. */
  refresh(): Promise<void>
  /** The hours that the flush has to mark for the rollups, as far as this process knows; the transaction asserts it. */
  lateHours(readings: SortedReadings): LateHours
  /** Whether all readings of a span are newer than the newest stored one that the context knows. */
  isLive(readings: SortedReadings, span: SeriesSpan): boolean
  /**
   * Determines which readings of these spans are new. With rows an insert decides it, so this stores the readings of all spans.
   */
  claim(tx: TransactionSql, readings: SortedReadings, spans: ReadonlySet<SeriesSpan>, late: LateHours): Promise<Claimed>
  /**
   * Stores the readings that no claim has stored. Existing readings stay unchanged. Sent, not awaited: a failure fails the
   * transaction.
   * @param claimed null: there was no claim
   */
  append(tx: TransactionSql, readings: SortedReadings, claimed: Claimed | null, late: LateHours): void
  /** The stored neighbours of some instants, for each request in its order. */
  neighbours(tx: TransactionSql, requests: readonly NeighbourRequest[]): Promise<Columns[]>
  /** The newest reading of each series of a machine; null when the tenant has no such machine. */
  latest(tx: TransactionSql, tenantId: string, machineId: string): Promise<LatestReading[] | null>
  /** The series of a machine, by metric and unit; null when the tenant has no such machine. */
  seriesOf(tx: TransactionSql, tenantId: string, machineId: string): Promise<Series[] | null>
  /** The number of readings of each series, counted up to `max`. */
  counts(tx: TransactionSql, range: Range, max: number): Promise<number[]>
  /** The first `max` readings of each series. */
  columns(tx: TransactionSql, range: Range, max: number): Promise<Columns[]>
  /** The first `max` readings of all series of some metrics of a machine, by unit. */
  columnsByMetric(tx: TransactionSql, range: MetricRange, max: number): Promise<ColumnsByMetric[]>
  /** The mean per bucket of the UTC grid, with the bucket's start; empty buckets are absent. See {@link bucketsOf}. */
  buckets(tx: TransactionSql, range: Range, bucketMs: number, areExtreme: boolean): Promise<Bucket[]>
  /** Count, mean, deviation, extremes and last reading of each series. See {@link totalsOf}. */
  totals(tx: TransactionSql, range: Range, areExtreme: boolean): Promise<Total[]>
  /** All readings of some series, in pages that are short transactions. See {@link walkReadings}. */
  walk(scope: TenantScope, seriesIds: readonly number[], from: number, until: number): AsyncGenerator<WalkedReading[]>
  /** All values of each series, in any order. */
  values(tx: TransactionSql, range: Range): Promise<number[][]>
  /** Some values of each series: up to `each` from each of `moments` equal parts of the time between its first and last reading. */
  sample(tx: TransactionSql, range: Range, moments: number, each: number): Promise<number[][]>
}

/** Narrow rows in time partitions (migration 0001). */
export function rowStore(ingest: Sql): ReadingStore {
  let partitions: { lower: number; upper: number }[] = []
  /** readings before this instant are marked for the rollups; the database reports when it has moved */
  let markedUntil = Number.NEGATIVE_INFINITY

  return {
    async prepare(timestamps) {
      let last: { lower: number; upper: number } | undefined
      for (const at of timestamps) {
        if (last && last.lower <= at && at < last.upper) continue
        last = partitions.find((p) => p.lower <= at && at < p.upper)
        if (last) continue
        const [part] = await ingest<
          { lower: Date; upper: Date }[]
        >`select lower, upper from ensure_reading_partition(${new Date(at)})`
        if (!part) continue
        last = { lower: part.lower.getTime(), upper: part.upper.getTime() }
        partitions = [...partitions, last].sort((a, b) => b.upper - a.upper)
      }
    },

    async refresh() {
      partitions = []
      const [state] = await ingest<{ until: Date }[]>`select marked_until as until from rollup_state`
      if (state) markedUntil = state.until.getTime()
    },

    lateHours: (readings) => lateHours(readings, markedUntil),
    isLive: ({ timestamps }, { from, newestAt }) => (timestamps[from] as number) > newestAt,
    claim,
    append,
    neighbours,
    latest: latestOfMachine,

    async seriesOf(tx, tenantId, machineId) {
      const rows = await tx<(Series | { id: null })[]>`
        select s.id, s.metric, s.unit from machines m left join series s on s.tenant_id = m.tenant_id and s.machine_id = m.id
        where m.tenant_id = ${tenantId} and m.id = ${machineId} order by s.metric, s.unit`
      return rows.length === 0 ? null : rows.filter((row): row is Series => row.id !== null)
    },

    counts: countsOf,
    columns: columnsOfRange,
    columnsByMetric,
    buckets: bucketsOf,
    totals: totalsOf,
    walk: walkReadings,
    values: valuesOf,
    sample: sampleOf,
  }
}

async function claim(
  tx: TransactionSql,
  readings: SortedReadings,
  claimed: ReadonlySet<SeriesSpan>,
  late: LateHours,
): Promise<Claimed> {
  insertMarks(tx, late)
  const ids = `{${[...claimed].map(({ seriesId }) => seriesId).join()}}`
  const stored = await tx<{ s: number; t: string }[]>`
    with stored as (${insert(tx, readings)} returning series_id, ts)
    select series_id as s, extract(epoch from ts) * 1000 as t from stored where series_id = any(${ids}::text::int[])`
  const keys = new Set(stored.map((row) => `${row.s} ${Math.round(Number(row.t))}`))
  const fresh = new Set<number>()
  for (const { seriesId, from, to } of claimed)
    for (let i = from; i < to; i++) if (keys.delete(`${seriesId} ${readings.timestamps[i]}`)) fresh.add(i)
  const latest = saveLatest(tx, readings)
  if (latest) tx`with nothing as (select) ${latest.also} ${latest.last}`.execute()
  return { spans: claimed, fresh }
}

/**
 * Readings are locked before latest readings, as {@link claim} does; otherwise two flushes of the same readings could deadlock.
 * PostgreSQL runs a data-modifying CTE that no query reads after the main statement. Hence readings are the main statement.
 */
function append(tx: TransactionSql, readings: SortedReadings, claimed: Claimed | null, late: LateHours): void {
  if (claimed) return
  insertMarks(tx, late)
  const latest = saveLatest(tx, readings)
  if (latest) tx`with nothing as (select) ${latest.also}, latest as (${latest.last}) ${insert(tx, readings)}`.execute()
  else insert(tx, readings).execute()
}

function insertMarks(tx: TransactionSql, { marks }: LateHours): void {
  if (marks.length > 0)
    tx`insert into rollup_marks (series_id, hour) select s, to_timestamp(h) from unnest(
      ${`{${marks.map((m) => m.seriesId).join()}}`}::text::int[], ${`{${marks.map((m) => m.hour / 1000).join()}}`}::text::float8[]) m(s, h)`.execute()
}

/** One statement inserts all readings in their order, so that every flush locks them in the same order. */
const insert = (tx: TransactionSql, { spans, timestamps, values }: SortedReadings) => tx`
  insert into readings (series_id, ts, value)
  select s, to_timestamp(t / 1000), v from unnest(${idsOf(spans)}::text::int[], ${`{${timestamps.join()}}`}::text::float8[],
    ${`{${values.join()}}`}::text::float8[]) n(s, t, v)
  on conflict do nothing`

/** Arrays as PostgreSQL text. Otherwise postgres.js serializes each element, which costs a microsecond per row. */
const idsOf = (spans: readonly SeriesSpan[]): string =>
  `{${spans
    .map(({ seriesId, from, to }) => `${seriesId},`.repeat(to - from))
    .join('')
    .slice(0, -1)}}`
