/** Condensed values of a series, ascending by time and without gaps in the arrays. */
export interface Points {
  /** days since the epoch, with fractions for hourly points */
  readonly times: readonly number[]
  readonly values: readonly number[]
}

/** MAD times this is the standard deviation of a normal distribution. Source: Hampel, The Influence Curve, JASA 69 (1974). */
const MAD_TO_SIGMA = 1.4826

/** @returns NaN of nothing */
export function medianOf(values: readonly number[]): number {
  return medianOfSorted(Float64Array.from(values).sort())
}

/** @returns NaN of nothing */
export function medianOfSorted(sorted: Float64Array): number {
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  // halves first: the sum of two large values would be infinite
  return sorted.length % 2 === 1 ? upper : (sorted[middle - 1] ?? Number.NaN) / 2 + upper / 2
}

/**
 * The standard deviation of the noise of a series, from the differences of consecutive values, which a trend or a step hardly
 * changes: 1.4826 times the median absolute difference, divided by the square root of 2. If more than half of the differences
 * are 0, their mean replaces the median.
 * @returns 0 for fewer than two values, and where all are equal
 */
export function noiseOf(values: readonly number[]): number {
  if (values.length < 2) return 0
  const differences = values.slice(1).map((value, i) => Math.abs(value - (values[i] as number)))
  const mean = differences.reduce((sum, one) => sum + one, 0) / differences.length
  return (medianOf(differences) * MAD_TO_SIGMA || mean * Math.sqrt(Math.PI / 2)) / Math.SQRT2
}

/** The last `count` points. */
export const lastOf = ({ times, values }: Points, count: number): Points => ({
  times: times.slice(-count),
  values: values.slice(-count),
})
