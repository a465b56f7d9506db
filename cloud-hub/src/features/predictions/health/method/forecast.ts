import { medianOf } from './points.ts'
import { levelAt, type Trend } from './trend.ts'

/** Days until the values of a series reach a limit. */
export interface Forecast {
  /** 0: they are there */
  days: number
  /** the interval; `high` null: the slope may be too flat to reach the limit at all */
  low: number
  high: number | null
}

/** Trends carry a forecast at most this many times as far as the longest of them reaches back. */
const MAX_REACH = 3
/** No forecast reaches farther, in days. */
const MAX_DAYS = 365

/**
 * When a series reaches `limit`: the median of what its trends say, so that a single window or model decides nothing. The
 * interval holds the estimates of all trends, and the median of the intervals that follow from the confidence of their slopes.
 * @param trends see {@link trendsOf}
 * @param now days since the epoch
 * @returns null when they move away from the limit, or reach it farther ahead than the data carry
 */
export function forecastOf(trends: readonly Trend[], now: number, limit: number, isHigh: boolean): Forecast | null {
  const all = trends.map((trend) => forecastOfTrend(trend, now, limit, isHigh)).filter((one) => one !== null)
  if (all.length === 0) return null
  const known = all.map(({ days }) => days)
  const days = medianOf(known)
  if (days > Math.min(MAX_DAYS, MAX_REACH * Math.max(...trends.map(({ spanDays }) => spanDays)))) return null
  const high = Math.max(medianOf(all.map((one) => one.high ?? Number.POSITIVE_INFINITY)), ...known)
  return { days, low: Math.min(medianOf(all.map(({ low }) => low)), ...known), high: high <= MAX_DAYS ? high : null }
}

function forecastOfTrend(trend: Trend, now: number, limit: number, isHigh: boolean): Forecast | null {
  if (trend.direction !== (isHigh ? 1 : -1)) return null
  const level = levelAt(trend, now)
  if (isHigh ? level >= limit : level <= limit) return { days: 0, low: 0, high: 0 }
  const distance = distanceOf(trend, level, limit)
  const { slope, low, high } = trend.line
  const days = distance / slope
  const [fast, slow] = Math.abs(low) > Math.abs(high) ? [low, high] : [high, low]
  const [earliest, latest] = [distance / fast, distance / slow]
  // differences of values near the largest double are not finite
  if (!(days >= 0) || !Number.isFinite(days) || !Number.isFinite(earliest)) return null
  return { days, low: earliest, high: latest >= days ? latest : null }
}

/** The distance to the limit on the scale of the slope; it has the slope's sign. */
function distanceOf({ model, reference }: Trend, level: number, limit: number): number {
  return model === 'linear' ? limit - level : Math.log((limit - reference) / (level - reference))
}
