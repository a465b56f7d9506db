import type { Points } from './method/index.ts'
import { medianOf } from './method/index.ts'

/** The mean of a series in an hour. */
export interface HourlyMean {
  /** Unix ms of the hour's begin */
  at: number
  /** readings */
  n: number
  mean: number
}

/** Daily medians of a series: one value a day from `firstDay` on (days since the epoch); null for a day without readings. */
export interface DailyMedians {
  firstDay: number
  medians: readonly (number | null)[]
}

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000]
/** Days that a trend may reach back; older medians are dropped. */
export const PERIOD_DAYS = 120
/** A series with fewer days of values is analyzed by parts of a day. */
export const YOUNG_DAYS = 14
const PART_HOURS = 4
/** Today counts as a day from this many hours with values on. */
const MIN_HOURS_TODAY = 12

export const dayOf = (at: number): number => Math.floor(at / DAY_MS)
export const startOfDay = (day: number): number => day * DAY_MS

/** Updates daily medians by the hours from `fromDay` up to `today`, exclusive; earlier days stay as they were. */
export function updateMedians(
  known: DailyMedians | null,
  hours: readonly HourlyMean[],
  fromDay: number,
  today: number,
): DailyMedians {
  const byDay = Map.groupBy(hours, ({ at }) => dayOf(at))
  const firstKnown = known && known.medians.length > 0 ? known.firstDay : fromDay
  const firstDay = Math.max(Math.min(firstKnown, fromDay), today - PERIOD_DAYS)
  const medians = Array.from({ length: today - firstDay }, (_, i) => {
    const day = firstDay + i
    if (day < fromDay) return known?.medians[day - known.firstDay] ?? null
    const of = byDay.get(day)
    return of ? medianOf(of.map(({ mean }) => mean)) : null
  })
  const leading = medians.findIndex((value) => value !== null)
  return leading < 0 ? { firstDay: today, medians: [] } : { firstDay: firstDay + leading, medians: medians.slice(leading) }
}

/** The points of a trend: daily medians, or those of parts of a day while a series is young. */
export function trendPointsOf({ firstDay, medians }: DailyMedians, hours: readonly HourlyMean[], today: number): Points {
  const days = medians.flatMap((value, i) => (value === null ? [] : [{ time: firstDay + i + 0.5, value }]))
  if (days.length < YOUNG_DAYS) return unzip(partsOf(hours.filter(({ at }) => at >= startOfDay(today - YOUNG_DAYS))))
  const ofToday = hours.filter(({ at }) => at >= startOfDay(today)).map(({ mean }) => mean)
  if (ofToday.length >= MIN_HOURS_TODAY) days.push({ time: today + 0.5, value: medianOf(ofToday) })
  return unzip(days)
}

/** Medians of four hours of the UTC day, at least two of them with values. */
function partsOf(hours: readonly HourlyMean[]): { time: number; value: number }[] {
  const length = PART_HOURS * HOUR_MS
  return [...Map.groupBy(hours, ({ at }) => Math.floor(at / length))]
    .filter(([, of]) => of.length >= PART_HOURS / 2)
    .map(([part, of]) => ({ time: ((part + 0.5) * length) / DAY_MS, value: medianOf(of.map(({ mean }) => mean)) }))
}

const unzip = (points: readonly { time: number; value: number }[]): Points => ({
  times: points.map(({ time }) => time),
  values: points.map(({ value }) => value),
})

/** The mean of the readings from `since` on (Unix ms); null without any. */
export function meanSince(hours: readonly HourlyMean[], since: number): number | null {
  const recent = hours.filter(({ at }) => at >= since)
  const count = recent.reduce((sum, { n }) => sum + n, 0)
  return count === 0 ? null : recent.reduce((sum, { n, mean }) => sum + mean * (n / count), 0)
}
