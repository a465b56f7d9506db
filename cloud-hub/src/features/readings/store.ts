import { dbError } from '../../db/errors.ts'
import type { Sql, TransactionSql } from '../../db/pools.ts'
import { type JudgedSpan, saveLatest } from './anomalies/save-latest.ts'
import { bucketsOf } from './rollups/buckets.ts'
import { lateHours } from './rollups/marks.ts'
import { NUMERIC_VALUE_OUT_OF_RANGE } from './rollups/statistics.ts'

/** Readings `from` to `to` (exclusive) of {@link SortedReadings} are those of one series. */
export interface SeriesSpan {
  seriesId: number
  from: number
  to: number
  /** Unix ms of a reading that is stored already, the newest that was seen; -Infinity for none */
  newestAt: number
  /** where the series has a baseline, or an anomaly stands: what to make of these readings */
  judged?: JudgedSpan
}

/** Readings whose series are known, in columns. */
export interface SortedReadings {
  /** ascending by series id, none empty, together all readings */
  spans: SeriesSpan[]
  /** Unix ms, ascending within a span; of equal instants the first is the one that counts */
  timestamps: Float64Array
  values: Float64Array
  rawTags: (string | null)[]
}

export interface SeriesPoints {
  metric: string
  unit: string
  points: { timestamp: number; value: number }[]
}

export interface LatestReading {
  metric: string
  unit: string
  timestamp: Date
  value: number
  rawTag: string | null
}

/** Which readings: those of one machine between two instants, both inclusive. */
export interface Range {
  machineId: string
  start: Date
  end: Date
  metric?: string | undefined
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
  append(tx: TransactionSql, readings: SortedReadings, asked: ReadonlySet<SeriesSpan>): Promise<Set<number>>
  /** After an append failed because this process did not know how far rollups are (`memory_is_out_of_date`). */
  learn(): Promise<void>
  /** The newest reading of each series of a machine; null when the tenant has no such machine. */
  latest(tx: TransactionSql, tenantId: string, machineId: string): Promise<LatestReading[] | null>
  /** Raw points ascending, or null when there are more than `limit`. */
  range(tx: TransactionSql, tenantId: string, range: Range, limit: number): Promise<SeriesPoints[] | null>
  /** The mean per bucket of `bucketSeconds` (UTC grid), bucket start as timestamp; empty buckets are absent. */
  aggregate(tx: TransactionSql, tenantId: string, range: Range, bucketSeconds: number): Promise<SeriesPoints[]>
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
      const [state] = await ingest<{ until: Date }[]>`select marked_until as until from rollup_state`
      if (state) markedUntil = state.until.getTime()
    },

    async append(tx, readings, asked) {
      const { marks, oldest } = lateHours(readings, markedUntil)
      if (marks.length > 0)
        tx`insert into rollup_marks (series_id, hour) select s, to_timestamp(h) from unnest(
          ${`{${marks.map((m) => m.seriesId).join()}}`}::text::int[], ${`{${marks.map((m) => m.hour / 1000).join()}}`}::text::float8[]) m(s, h)`.execute()
      if (oldest < Number.POSITIVE_INFINITY) tx`select hold_marks(to_timestamp(${oldest / 1000}))`.execute()
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

    async range(tx, tenantId, range, limit) {
      const rows = await tx<{ metric: string; unit: string; timestamp: Date; value: number }[]>`
        select s.metric, s.unit, r.ts as timestamp, r.value from series s join readings r on r.series_id = s.id
        where ${inRange(tx, tenantId, range)} order by s.metric, s.unit, r.ts limit ${limit + 1}`
      return rows.length > limit ? null : grouped(rows)
    },

    async aggregate(tx, tenantId, range, bucketSeconds) {
      const series = await tx<{ id: number; metric: string; unit: string }[]>`
        select id, metric, unit from series where tenant_id = ${tenantId} and machine_id = ${range.machineId}
        ${range.metric === undefined ? tx`` : tx`and metric = ${range.metric}`} order by metric, unit`
      const stretch = {
        tenantId,
        seriesIds: series.map(({ id }) => id),
        from: range.start.getTime(),
        until: range.end.getTime() + 1,
      }
      const found = await forExtremes(tx, (on, areExtreme) => bucketsOf(on, stretch, bucketSeconds, areExtreme))
      return grouped(
        found.map(({ place, at, mean }) => ({
          ...(series[place] as { metric: string; unit: string }),
          timestamp: new Date(at),
          value: mean,
        })),
      )
    },
  }
}

/** Asks again where squares of the largest values overflow. */
async function forExtremes<T>(tx: TransactionSql, ask: (on: TransactionSql, areExtreme: boolean) => Promise<T>): Promise<T> {
  try {
    return (await tx.savepoint((plain) => ask(plain, false))) as T
  } catch (error) {
    if (dbError(error)?.code !== NUMERIC_VALUE_OUT_OF_RANGE) throw error
    return ask(tx, true)
  }
}

const inRange = (tx: TransactionSql, tenantId: string, range: Range) => tx`
  s.tenant_id = ${tenantId} and s.machine_id = ${range.machineId} and r.ts >= ${range.start} and r.ts <= ${range.end}
  ${range.metric === undefined ? tx`` : tx`and s.metric = ${range.metric}`}`

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

function grouped(rows: readonly { metric: string; unit: string; timestamp: Date; value: number }[]): SeriesPoints[] {
  const result: SeriesPoints[] = []
  for (const { metric, unit, timestamp, value } of rows) {
    let last = result.at(-1)
    if (last?.metric !== metric || last.unit !== unit) {
      last = { metric, unit, points: [] }
      result.push(last)
    }
    last.points.push({ timestamp: timestamp.getTime(), value })
  }
  return result
}
