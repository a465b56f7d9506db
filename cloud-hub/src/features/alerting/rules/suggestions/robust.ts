/** Location and spread of values that a few outliers do not affect. */
export interface RobustStatistics {
  median: number
  /** estimates the standard deviation of a normal distribution */
  sigma: number
}

/** MAD times this is the standard deviation of a normal distribution (Hampel 1974); likewise the mean deviation times the square root of pi / 2. */
const MAD_TO_SIGMA = 1.4826
const MEAN_TO_SIGMA = Math.sqrt(Math.PI / 2)

/**
 * Median and median absolute deviation: up to half of the values may be outliers. If more than half are equal, the mean absolute
 * deviation replaces the median one.
 * @returns null without values, or when all values are equal
 */
export function robustStatistics(values: readonly number[]): RobustStatistics | null {
  if (values.length === 0) return null
  const median = medianOf(values)
  const deviations = values.map((value) => Math.abs(value - median))
  const mean = deviations.reduce((sum, one) => sum + one, 0) / deviations.length
  const sigma = medianOf(deviations) * MAD_TO_SIGMA || mean * MEAN_TO_SIGMA
  return sigma > 0 && Number.isFinite(sigma) ? { median, sigma } : null
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? (sorted[middle] as number) : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}

/**
 * Rounds to the largest power of ten below a twentieth of `sigma`, also before the decimal point. The data do not justify more
 * digits.
 */
export function roundToResolution(value: number, sigma: number): number {
  const step = Math.floor(Math.log10(sigma / 20))
  const digits = Math.floor(Math.log10(Math.abs(value))) - step
  if (digits >= 0) return Number(value.toExponential(Math.min(digits, 15)))
  return Math.abs(value) < 10 ** step / 2 ? 0 : Math.sign(value) * 10 ** step
}
