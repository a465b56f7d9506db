import type { PendingQuery, Row } from 'postgres'
import { dbError } from '../../db/errors.ts'
import type { Sql, TransactionSql } from '../../db/pools.ts'

type Fragment = PendingQuery<Row[]>

/** A reading whose series is known. */
export interface StoredReading {
  seriesId: number
  /** Unix ms */
  timestamp: number
  value: number
  rawTag: string | null
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
 * Where readings are kept. Callers know only these five calls, so that another layout (packed blocks, rollups) can take this one's place.
 * Every read names its tenant, because readings are reached through series, which is tenant-owned.
 */
export interface ReadingStore {
  /** Makes room for instants that no partition holds yet; outside the flush. */
  prepare(timestamps: Float64Array): Promise<void>
  /**
   * Stores readings inside a flush; what is stored already stays as it was.
   * @param rows sorted by series, then timestamp
   * @returns for rows of `watched` series those that are new, as indexes into `rows`
   */
  append(tx: TransactionSql, rows: readonly StoredReading[], watched: ReadonlySet<number>): Promise<Set<number>>
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

  const holds = (at: number) => partitions.some((p) => p.lower <= at && at < p.upper)

  return {
    async prepare(timestamps) {
      for (const at of timestamps) {
        if (holds(at)) continue
        const [part] = await ingest<
          { lower: Date; upper: Date }[]
        >`select lower, upper from ensure_reading_partition(${new Date(at)})`
        if (part)
          partitions = [...partitions, { lower: part.lower.getTime(), upper: part.upper.getTime() }].sort(
            (a, b) => b.upper - a.upper,
          )
      }
    },

    async append(tx, rows, watched) {
      const insert = (part: readonly StoredReading[]) => tx`
        insert into readings (series_id, ts, value)
        select s, to_timestamp(t / 1000), v from unnest(${numbers(part, 'seriesId')}::text::int[], ${numbers(part, 'timestamp')}::text::float8[],
          ${numbers(part, 'value')}::text::float8[]) n(s, t, v)
        on conflict do nothing`
      const plain = rows.filter((row) => !watched.has(row.seriesId))
      const seen = rows.length === plain.length ? [] : rows.filter((row) => watched.has(row.seriesId))
      if (plain.length > 0) await insert(plain)
      const fresh = new Set<number>()
      if (seen.length > 0) {
        const stored = await tx<{ s: number; t: string }[]>`
          with stored as (${insert(seen)} returning series_id, ts) select series_id as s, extract(epoch from ts) * 1000 as t from stored`
        const keys = new Set(stored.map((row) => `${row.s} ${Math.round(Number(row.t))}`))
        rows.forEach((row, i) => {
          if (watched.has(row.seriesId) && keys.delete(`${row.seriesId} ${row.timestamp}`)) fresh.add(i)
        })
      }
      await saveLatest(tx, rows)
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
      const means = (on: TransactionSql, mean: Fragment) => on<
        { metric: string; unit: string; timestamp: Date; value: number }[]
      >`
        select s.metric, s.unit, b.bucket as timestamp, b.mean as value
        from series s cross join lateral (
          select date_bin(${`${bucketSeconds} seconds`}::interval, r.ts, 'epoch'::timestamptz) as bucket, ${mean} as mean
          from readings r where r.series_id = s.id and r.ts >= ${range.start} and r.ts <= ${range.end} group by 1) b
        where s.tenant_id = ${tenantId} and s.machine_id = ${range.machineId} ${range.metric === undefined ? on`` : on`and s.metric = ${range.metric}`}
        order by s.metric, s.unit, b.bucket`
      try {
        return grouped(await tx.savepoint((plain) => means(plain, plain`avg(r.value)`)))
      } catch (error) {
        if (dbError(error)?.code !== NUMERIC_VALUE_OUT_OF_RANGE) throw error
        return grouped(await means(tx, meanOfExtremes(tx)))
      }
    },
  }
}

const NUMERIC_VALUE_OUT_OF_RANGE = '22003'

/**
 * avg() adds squares, so it overflows above 1e154, and one device that reports the largest double for "no value" would spoil every chart of
 * its machine. Large values are scaled by a power of two, which is exact. Half as fast, hence only after avg() has failed.
 */
const meanOfExtremes = (tx: TransactionSql): Fragment => tx`
  coalesce(sum(r.value * 2::float8 ^ -64) filter (where abs(r.value) > 1e140), 0) / count(*) * 2::float8 ^ 64
    + coalesce(sum(r.value) filter (where abs(r.value) <= 1e140), 0) / count(*)`

const inRange = (tx: TransactionSql, tenantId: string, range: Range) => tx`
  s.tenant_id = ${tenantId} and s.machine_id = ${range.machineId} and r.ts >= ${range.start} and r.ts <= ${range.end}
  ${range.metric === undefined ? tx`` : tx`and s.metric = ${range.metric}`}`

/** An array as PostgreSQL text: postgres.js serializes element by element otherwise, which costs a microsecond a row. */
const numbers = (rows: readonly StoredReading[], key: 'seriesId' | 'timestamp' | 'value'): string =>
  `{${rows.map((row) => row[key]).join()}}`

/** The newest of each series, if it is newer than what stands; of equal instants the first, which is the one that was stored. */
async function saveLatest(tx: TransactionSql, rows: readonly StoredReading[]): Promise<void> {
  const bySeries = new Map<number, StoredReading>()
  for (const row of rows)
    if (row.timestamp > (bySeries.get(row.seriesId)?.timestamp ?? Number.NEGATIVE_INFINITY)) bySeries.set(row.seriesId, row)
  const newest = [...bySeries.values()]
  await tx`
    insert into latest_readings as l (series_id, ts, value, raw_tag)
    select s, to_timestamp(t / 1000), v, tag from unnest(${numbers(newest, 'seriesId')}::text::int[], ${numbers(newest, 'timestamp')}::text::float8[],
      ${numbers(newest, 'value')}::text::float8[], ${newest.map((row) => row.rawTag)}::text[]) n(s, t, v, tag)
    on conflict (series_id) do update set ts = excluded.ts, value = excluded.value, raw_tag = excluded.raw_tag where excluded.ts > l.ts`
}

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
