import type { Sql, TransactionSql } from '../../../db/pools.ts'
import { saveLatest } from './anomalies/save-latest.ts'
import { type Bucket, bucketsOf } from './rollups/buckets.ts'
import { type LateHours, lateHours, type Mark } from './rollups/marks.ts'
import type { Stretch } from './rollups/ranges.ts'
import { type Total, totalsOf } from './rollups/totals.ts'
import type { SeriesSpan, SortedReadings } from './sorted-readings.ts'

/** What readings of a machine hang on. */
export interface Series {
  id: number
  metric: string
  unit: string
}

/** `place` is that of its series among those that were asked for, `at` Unix ms. */
export interface Point {
  place: number
  at: number
  value: number
}

export interface LatestReading {
  metric: string
  unit: string
  timestamp: Date
  value: number
  rawTag: string | null
}

/**
 * Where readings are kept. Callers know only these calls, so that another layout (packed blocks, rollups) can take this one's place.
 * Every read names its tenant, because readings are reached through series, which is tenant-owned.
 */
export interface ReadingStore {
  /** Makes room for instants that no partition holds yet; outside the flush. */
  prepare(timestamps: Float64Array): Promise<void>
  /**
   * Stores readings inside a flush; what is stored already stays as it was. Statements whose answers nobody asked for are sent and not waited
   * for: a failure of theirs fails the transaction.
   * @returns of the spans in `asked` the readings that are new, as indexes
   */
  append(
    tx: TransactionSql,
    readings: SortedReadings,
    marks: readonly Mark[],
    asked: ReadonlySet<SeriesSpan>,
  ): Promise<Set<number>>
  /** What an append has to mark for the rollups as far as this process knows, which the transaction has to confirm. */
  lateHours(readings: SortedReadings): LateHours
  /** After an append failed because what this process knew did not hold any more: how far rollups are, or which partitions there are. */
  learn(): Promise<void>
  /** The newest reading of each series of a machine; null when the tenant has no such machine. */
  latest(tx: TransactionSql, tenantId: string, machineId: string): Promise<LatestReading[] | null>
  /** The series of a machine, by metric and unit; null when the tenant has no such machine. */
  seriesOf(tx: TransactionSql, tenantId: string, machineId: string): Promise<Series[] | null>
  /** How many readings each of these series has in a stretch, counted up to `most`. */
  counts(tx: TransactionSql, stretch: Stretch, most: number): Promise<number[]>
  /** The readings of a stretch, ascending by place and time, of each series the first `most`. */
  points(tx: TransactionSql, stretch: Stretch, most: number): Promise<Point[]>
  /** The mean per bucket of `bucketSeconds` (UTC grid), bucket start as `at`; empty buckets are absent. See {@link bucketsOf}. */
  buckets(tx: TransactionSql, stretch: Stretch, bucketSeconds: number, areExtreme: boolean): Promise<Bucket[]>
  /** What all readings of each series come to. See {@link totalsOf}. */
  totals(tx: TransactionSql, stretch: Stretch, areExtreme: boolean): Promise<Total[]>
}

/** Narrow rows in time partitions (migration 0001). */
export function rowStore(ingest: Sql): ReadingStore {
  let partitions: { lower: number; upper: number }[] = []
  /** readings before this instant are marked for the rollups; the database says when it has become another */
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

    async learn() {
      partitions = []
      const [state] = await ingest<{ until: Date }[]>`select marked_until as until from rollup_state`
      if (state) markedUntil = state.until.getTime()
    },

    lateHours: (readings) => lateHours(readings, markedUntil),

    async append(tx, readings, marks, asked) {
      if (marks.length > 0)
        tx`insert into rollup_marks (series_id, hour) select s, to_timestamp(h) from unnest(
          ${`{${marks.map((m) => m.seriesId).join()}}`}::text::int[], ${`{${marks.map((m) => m.hour / 1000).join()}}`}::text::float8[]) m(s, h)`.execute()
      const insert = (spans: readonly SeriesSpan[]) => tx`
        insert into readings (series_id, ts, value)
        select s, to_timestamp(t / 1000), v from unnest(${idsOf(spans)}::text::int[], ${textOf(readings, spans, 'timestamps')}::text::float8[],
          ${textOf(readings, spans, 'values')}::text::float8[]) n(s, t, v)
        on conflict do nothing`
      const latest = saveLatest(tx, readings)
      const fresh = new Set<number>()
      if (asked.size === 0) {
        if (latest) tx`with stored as (${insert(readings.spans)}) ${latest.also} ${latest.last}`.execute()
        else insert(readings.spans).execute()
        return fresh
      }
      const plain = readings.spans.filter((span) => !asked.has(span))
      if (plain.length > 0) insert(plain).execute()
      const spans = readings.spans.filter((span) => asked.has(span))
      const stored = await tx<{ s: number; t: string }[]>`
        with stored as (${insert(spans)} returning series_id, ts) select series_id as s, extract(epoch from ts) * 1000 as t from stored`
      const keys = new Set(stored.map((row) => `${row.s} ${Math.round(Number(row.t))}`))
      for (const { seriesId, from, to } of spans)
        for (let i = from; i < to; i++) if (keys.delete(`${seriesId} ${readings.timestamps[i]}`)) fresh.add(i)
      if (latest) tx`with nothing as (select) ${latest.also} ${latest.last}`.execute()
      return fresh
    },

    async latest(tx, tenantId, machineId) {
      // One question for the machine and its readings: a machine without any answers one row of nulls.
      const rows = await tx<(LatestReading | { metric: null })[]>`
        select l.metric, l.unit, l.timestamp, l.value, l.raw_tag as "rawTag"
        from machines m left join lateral (
          select s.metric, s.unit, l.ts as timestamp, l.value, l.raw_tag from series s join latest_readings l on l.series_id = s.id
          where s.tenant_id = m.tenant_id and s.machine_id = m.id) l on true
        where m.tenant_id = ${tenantId} and m.id = ${machineId} order by l.metric, l.timestamp, l.unit`
      return rows.length === 0 ? null : rows.filter((row): row is LatestReading => row.metric !== null)
    },

    async seriesOf(tx, tenantId, machineId) {
      const rows = await tx<(Series | { id: null })[]>`
        select s.id, s.metric, s.unit from machines m left join series s on s.tenant_id = m.tenant_id and s.machine_id = m.id
        where m.tenant_id = ${tenantId} and m.id = ${machineId} order by s.metric, s.unit`
      return rows.length === 0 ? null : rows.filter((row): row is Series => row.id !== null)
    },

    async counts(tx, stretch, most) {
      const rows = await tx<{ n: number }[]>`
        select c.n from ${wanted(tx, stretch)} cross join lateral (select count(*)::int as n from (
          select from readings r where r.series_id = s.id and ${within(tx, stretch)} limit ${most}) readings) c order by w.place`
      return rows.map(({ n }) => n)
    },

    points: (tx, stretch, most) => tx<Point[]>`
      select w.place::int - 1 as place, (extract(epoch from r.ts) * 1000)::float8 as at, r.value from ${wanted(tx, stretch)} cross join lateral (
        select r.ts, r.value from readings r where r.series_id = s.id and ${within(tx, stretch)} order by r.ts limit ${most}) r order by w.place, r.ts`,

    buckets: bucketsOf,
    totals: totalsOf,
  }
}

const wanted = (tx: TransactionSql, { tenantId, seriesIds }: Stretch) => tx`
  unnest(${`{${seriesIds.join()}}`}::text::int[]) with ordinality w(id, place) join series s on s.tenant_id = ${tenantId} and s.id = w.id`
const within = (tx: TransactionSql, { from, until }: Stretch) => tx`r.ts >= ${new Date(from)} and r.ts < ${new Date(until)}`

/** Arrays as PostgreSQL text: postgres.js serializes element by element otherwise, which costs a microsecond a row. */
const idsOf = (spans: readonly SeriesSpan[]): string =>
  `{${spans
    .map(({ seriesId, from, to }) => `${seriesId},`.repeat(to - from))
    .join('')
    .slice(0, -1)}}`
const textOf = (readings: SortedReadings, spans: readonly SeriesSpan[], column: 'timestamps' | 'values'): string =>
  spans === readings.spans
    ? `{${readings[column].join()}}`
    : `{${spans.map(({ from, to }) => readings[column].subarray(from, to).join()).join()}}`
