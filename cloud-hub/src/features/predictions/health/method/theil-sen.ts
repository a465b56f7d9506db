import { medianOf, medianOfSorted, type Points } from './points.ts'

/** A robust straight line: `value = intercept + slope * time`. */
export interface RobustLine {
  slope: number
  /** the confidence interval of the slope, 95 % */
  low: number
  high: number
  intercept: number
}

/** Of the standard normal distribution, for a two-sided interval of 95 %. */
const Z_95 = 1.959964

/**
 * The slope is the median of the slopes between all pairs of points, the intercept the median of `value - slope * time`. Up to
 * 29 % of the values may be outliers. The interval are the slopes at the ranks (N - C) / 2 and (N + C) / 2 + 1, where C is the
 * normal quantile times the standard deviation of Kendall's S.
 * Sources: Theil, A rank-invariant method of linear regression analysis (1950); Sen, Estimates of the regression coefficient
 * based on Kendall's tau, JASA 63 (1968), section 4.
 * @returns null for fewer than two instants
 */
export function theilSen({ times, values }: Points): RobustLine | null {
  const n = times.length
  const slopes = new Float64Array((n * (n - 1)) / 2)
  let count = 0
  for (let i = 0; i < n; i++)
    for (let j = i + 1; j < n; j++) {
      const span = (times[j] as number) - (times[i] as number)
      if (span > 0) slopes[count++] = ((values[j] as number) - (values[i] as number)) / span
    }
  if (count === 0) return null
  const sorted = slopes.subarray(0, count).sort()
  const slope = medianOfSorted(sorted)
  const c = Z_95 * Math.sqrt(varianceOfS(values))
  const rank = (position: number) => sorted[Math.min(count - 1, Math.max(0, Math.round(position)))] as number
  return {
    slope,
    low: rank((count - c) / 2 - 1),
    high: rank((count + c) / 2),
    intercept: medianOf(values.map((value, i) => value - slope * (times[i] as number))),
  }
}

/** The result of the Mann-Kendall test for a monotonic trend. */
export interface MannKendall {
  /** pairs that rise less pairs that fall */
  s: number
  /** standard normal score of S with continuity correction, after the correction for autocorrelation; 0 for no trend */
  z: number
}

/**
 * Mann-Kendall test, with ties. Consecutive values that resemble each other carry less information than independent ones, so
 * the variance grows by (1 + r) / (1 - r), where r is the lag-1 autocorrelation of the residuals from the line, when positive.
 * Sources: Mann, Econometrica 13 (1945); Kendall, Rank Correlation Methods (1975); Yue and Wang, Water Resources Management 18
 * (2004), for the correction by effective sample size.
 */
export function mannKendall(points: Points, line: RobustLine): MannKendall {
  const { times, values } = points
  let s = 0
  for (let i = 0; i < values.length; i++)
    for (let j = i + 1; j < values.length; j++) s += Math.sign((values[j] as number) - (values[i] as number))
  const residuals = values.map((value, i) => value - line.intercept - line.slope * (times[i] as number))
  const deviation = Math.sqrt(varianceOfS(values) * inflationOf(residuals))
  return { s, z: s === 0 || deviation === 0 ? 0 : (s - Math.sign(s)) / deviation }
}

/** n (n - 1) (2n + 5) / 18, less the same of each group of equal values. */
export function varianceOfS(values: readonly number[]): number {
  const term = (n: number) => n * (n - 1) * (2 * n + 5)
  const groups = new Map<number, number>()
  for (const value of values) groups.set(value, (groups.get(value) ?? 0) + 1)
  return [...groups.values()].reduce((sum, size) => sum - term(size), term(values.length)) / 18
}

/** At most this autocorrelation counts, so that the variance stays finite. */
const MAX_AUTOCORRELATION = 0.95

function inflationOf(residuals: readonly number[]): number {
  const mean = residuals.reduce((sum, one) => sum + one, 0) / residuals.length
  let products = 0
  let squares = 0
  for (let i = 0; i < residuals.length; i++) {
    const own = (residuals[i] as number) - mean
    squares += own * own
    if (i > 0) products += own * ((residuals[i - 1] as number) - mean)
  }
  const r = squares > 0 ? Math.min(MAX_AUTOCORRELATION, Math.max(0, products / squares)) : 0
  return (1 + r) / (1 - r)
}
