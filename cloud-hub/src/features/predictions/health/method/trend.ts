import { lastOf, medianOf, noiseOf, type Points } from './points.ts'
import { afterLastStep } from './steps.ts'
import { mannKendall, type RobustLine, theilSen } from './theil-sen.ts'

/** A trend that the data show with confidence. */
export interface Trend {
  /**
   * `linear`: value = intercept + slope * time. `exponential`: the natural logarithm of the distance from `reference` is
   * intercept + slope * time.
   */
  model: 'linear' | 'exponential'
  line: RobustLine
  /** the score of the Mann-Kendall test, of the sign of the change */
  z: number
  /** 1: the values rise; -1: they fall */
  direction: 1 | -1
  /** the level before the trend */
  reference: number
  /** standard deviation of the noise of the points */
  noise: number
  /** days from the first point of the trend to the last */
  spanDays: number
  /** the number of its points */
  count: number
  /** the median absolute residual */
  error: number
}

/** Windows that a trend may cover, in points from the newest one back. */
const WINDOWS = [7, 8, 10, 12, 14, 17, 20, 24, 28, 34, 40, 56, 80, 112, 160, 224, 320, 400]
/** Two-sided significance of 1 %. */
export const Z_99 = 2.575829
/** The median residual of each third of the window stays within this many of its standard errors, otherwise the line does not describe it. */
const MAX_BIAS = 2.5
/** The standard error of a median of n normal values is this multiple of sigma / sqrt(n). */
const MEDIAN_ERROR = 1.2533
/** Points closer to the reference than this multiple of the noise have no usable logarithm. */
const MIN_EXCESS = 1

/**
 * The trends of the newest points: a line and an exponential over each window that shows it with confidence and that it still
 * describes, longest first. All begin after the last step. See docs/predictions.md.
 * @param points at most 400
 */
export function trendsOf(points: Points): Trend[] {
  const segment = lastOf(points, points.values.length - afterLastStep(points))
  const noise = noiseOf(segment.values)
  if (noise === 0 || !Number.isFinite(noise)) return []
  const reference = referenceOf(segment.values)
  const sizes = [...new Set(WINDOWS.map((size) => Math.min(size, segment.values.length)))].filter(
    (size) => size >= (WINDOWS[0] as number),
  )
  return sizes.reverse().flatMap((size) => {
    const window = lastOf(segment, size)
    return [linearOf(window, noise, reference), exponentialOf(window, noise, reference)].filter((one) => one !== null)
  })
}

/** The level at the begin of the segment: the median of its first third, at least of 7 values. */
export const referenceOf = (values: readonly number[]): number =>
  medianOf(values.slice(0, Math.max(7, Math.floor(values.length / 3))))

function linearOf(window: Points, noise: number, reference: number): Trend | null {
  const line = theilSen(window)
  const z = line ? mannKendall(window, line).z : 0
  if (!line || Math.abs(z) < Z_99) return null
  const fitted = window.times.map((time) => line.intercept + line.slope * time)
  return candidateOf('linear', window, { line, z, fitted, direction: z > 0 ? 1 : -1 }, noise, reference)
}

function exponentialOf(window: Points, noise: number, reference: number): Trend | null {
  const direction = (window.values.at(-1) as number) >= reference ? 1 : -1
  const kept = window.values.flatMap((value, i) => (direction * (value - reference) > MIN_EXCESS * noise ? [i] : []))
  if (kept.length < Math.max(WINDOWS[0] as number, window.values.length * 0.7)) return null
  const logs = {
    times: kept.map((i) => window.times[i] as number),
    values: kept.map((i) => Math.log(direction * ((window.values[i] as number) - reference))),
  }
  const line = theilSen(logs)
  const z = line ? mannKendall(logs, line).z : 0
  if (!line || z < Z_99) return null
  const fitted = window.times.map((time) => reference + direction * Math.exp(line.intercept + line.slope * time))
  return candidateOf('exponential', window, { line, z: direction * z, fitted, direction }, noise, reference)
}

function candidateOf(
  model: Trend['model'],
  { times, values }: Points,
  fit: Pick<Trend, 'line' | 'z' | 'direction'> & { fitted: number[] },
  noise: number,
  reference: number,
): Trend | null {
  const { fitted, ...rest } = fit
  const residuals = values.map((value, i) => value - (fitted[i] as number))
  const third = Math.floor(residuals.length / 3)
  const parts = [residuals.slice(0, third), residuals.slice(third, -third), residuals.slice(-third)]
  if (parts.some((part) => Math.abs(medianOf(part)) > (MAX_BIAS * MEDIAN_ERROR * noise) / Math.sqrt(part.length))) return null
  const spanDays = (times.at(-1) as number) - (times[0] as number)
  return { model, ...rest, reference, noise, spanDays, count: values.length, error: medianOf(residuals.map(Math.abs)) }
}

/** The level that the trend has at an instant (days since the epoch). */
export function levelAt({ model, line, direction, reference }: Trend, time: number): number {
  const at = line.intercept + line.slope * time
  return model === 'linear' ? at : reference + direction * Math.exp(at)
}
