import { byteaArray } from '../../db/binary-array.ts'
import type { TransactionSql } from '../../db/pools.ts'
import type { Columns } from '../codec/columns.ts'
import { decodeInstants, encodeInstants } from '../codec/instants.ts'
import { combineStatistics, decodeStatistics, encodeStatistics, type Statistics, statisticsOf } from '../codec/statistics.ts'
import { arrayOf } from './arrays.ts'
import { HOUR_MS, MINUTE_MS } from './limits.ts'

/** A series on a UTC day. */
export interface SeriesDay {
  seriesId: number
  /** Unix ms of its start */
  day: number
}

/** Encoded statistics of removed readings, as in the tables; null where the level is not kept. */
export interface Remains extends SeriesDay {
  hours: { n: number; bytes: Buffer } | null
  /** with the instants of the readings */
  minutes: { bytes: Buffer; times: Buffer } | null
}

/** Stored rows of `reading_hours` and `reading_minutes`, by {@link dayKey}. */
export type StoredRemains = ReadonlyMap<string, { hours: Buffer | null; minutes: Buffer | null; times: Buffer | null }>

export const dayKey = ({ seriesId, day }: SeriesDay): string => `${seriesId} ${day}`

const columnsOf = (days: readonly SeriesDay[]) => ({
  ids: arrayOf(days.map(({ seriesId }) => seriesId)),
  days: arrayOf(days.map(({ day }) => dateOf(day))),
})
const dateOf = (day: number) => new Date(day).toISOString().slice(0, 10)

export async function storedRemains(tx: TransactionSql, tenantId: string, days: readonly SeriesDay[]): Promise<StoredRemains> {
  const column = columnsOf(days)
  const rows = await tx<(SeriesDay & { hours: Buffer | null; minutes: Buffer | null; times: Buffer | null })[]>`
    select d.series_id as "seriesId", (extract(epoch from d.day) * 1000)::float8 as day, h.hours, m.minutes, m.times
    from unnest(${column.ids}::text::int[], ${column.days}::text::date[]) d(series_id, day)
    left join reading_hours h on h.tenant_id = ${tenantId} and h.series_id = d.series_id and h.day = d.day
    left join reading_minutes m on m.tenant_id = ${tenantId} and m.series_id = d.series_id and m.day = d.day`
  return new Map(rows.map((row) => [dayKey(row), row]))
}

/**
 * Adds readings of a series and day to the statistics that are stored.
 * @param keeps the levels that are kept of this day
 * @throws CorruptReadings; RangeError when the instants of removed readings hold one of these readings
 */
export function remainsOf(
  { seriesId, day }: SeriesDay,
  { times, values, length }: Columns,
  stored: StoredRemains,
  keeps: { hours: boolean; minutes: boolean },
): Remains {
  const before = stored.get(dayKey({ seriesId, day }))
  const remains: Remains = { seriesId, day, hours: null, minutes: null }
  if (keeps.hours) {
    const known = decodeStatistics(before?.hours ?? NONE, HOUR_MS)
    const hours = combined(known, statisticsOf(times, values, 0, length, HOUR_MS))
    remains.hours = { n: hours.reduce((sum, { n }) => sum + n, 0), bytes: encodeStatistics(hours, HOUR_MS) }
  }
  if (keeps.minutes) {
    const known = decodeStatistics(before?.minutes ?? NONE, MINUTE_MS)
    const minutes = combined(known, statisticsOf(times, values, 0, length, MINUTE_MS))
    const removed = before?.times?.length ? decodeInstants(before.times) : new Float64Array(0)
    const instants = new Float64Array(removed.length + length)
    instants.set(removed)
    instants.set(times.subarray(0, length), removed.length)
    remains.minutes = { bytes: encodeStatistics(minutes, MINUTE_MS), times: encodeInstants(instants.sort()) }
  }
  return remains
}

const NONE = Buffer.alloc(0)

function combined(a: readonly Statistics[], b: readonly Statistics[]): Statistics[] {
  const byBucket = new Map(a.map((one) => [one.at, one]))
  for (const one of b) {
    const known = byBucket.get(one.at)
    byBucket.set(one.at, known ? combineStatistics(known, one) : one)
  }
  return [...byBucket.values()].sort((x, y) => x.at - y.at)
}

/** Stores statistics in place of those that are there. The partitions of `reading_minutes` exist already. */
export async function saveRemains(tx: TransactionSql, tenantId: string, remains: readonly Remains[]): Promise<void> {
  const hours = remains.filter((one) => one.hours !== null)
  if (hours.length > 0) {
    const column = columnsOf(hours)
    await tx`
      insert into reading_hours (tenant_id, series_id, day, n, hours)
      select ${tenantId}, s, day, n, hours
      from unnest(${column.ids}::text::int[], ${column.days}::text::date[], ${arrayOf(hours.map((one) => one.hours?.n ?? 0))}::text::int[],
        ${byteaArray(
          tx,
          hours.map((one) => one.hours?.bytes ?? NONE),
        )}) r(s, day, n, hours)
      on conflict (tenant_id, series_id, day) do update set n = excluded.n, hours = excluded.hours`
  }
  const minutes = remains.filter((one) => one.minutes !== null)
  if (minutes.length === 0) return
  const column = columnsOf(minutes)
  await tx`
    insert into reading_minutes (tenant_id, series_id, day, minutes, times)
    select ${tenantId}, s, day, minutes, times
    from unnest(${column.ids}::text::int[], ${column.days}::text::date[],
      ${byteaArray(
        tx,
        minutes.map((one) => one.minutes?.bytes ?? NONE),
      )},
      ${byteaArray(
        tx,
        minutes.map((one) => one.minutes?.times ?? NONE),
      )}) r(s, day, minutes, times)
    on conflict (tenant_id, series_id, day) do update set minutes = excluded.minutes, times = excluded.times`
}
