import { compareNames } from '../../i18n/compare-names.ts'
export interface Range {
  /** ms since 1970 */
  from: number
  to: number
}

export interface Series {
  metric: string
  unit: string
  /** seconds since 1970, ascending */
  times: number[]
  /** null where nothing was measured */
  values: (number | null)[]
}

export const keyOf = ({ metric, unit }: Pick<Series, 'metric' | 'unit'>): string => `${metric} ${unit}`

/** The index of the first instant that is not before `at`; the length where there is none. */
function indexFrom(times: readonly number[], at: number): number {
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((times[middle] as number) < at) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Replaces what is known from `part.from` on by what was loaded, and leaves out what is older than `from`: a window that moves
 * keeps the readings of its length and no more.
 * @param from seconds since 1970
 */
export function continued(known: readonly Series[], part: { from: number; series: readonly Series[] }, from: number): Series[] {
  const added = new Map(part.series.map((one) => [keyOf(one), one]))
  const kept = known.map((one) => {
    const next = added.get(keyOf(one))
    added.delete(keyOf(one))
    const [first, last] = [indexFrom(one.times, from), indexFrom(one.times, part.from)]
    return {
      ...one,
      times: [...one.times.slice(first, last), ...(next?.times ?? [])],
      values: [...one.values.slice(first, last), ...(next?.values ?? [])],
    }
  })
  return byMetric([...kept, ...added.values()].filter(({ times }) => times.length > 0))
}

export const byMetric = (series: readonly Series[]): Series[] => series.toSorted((a, b) => compareNames(a.metric, b.metric))

/** How many times longer than usual the distance of two points is where something is missing. */
const GAP_FACTOR = 5
const BUCKET_GAP_FACTOR = 1.5
/** The usual distance is that of so many of the points. */
const SAMPLES = 200

/** Puts a null where readings are missing, so that a chart shows a gap. @param bucketMs 0 for readings themselves */
export function withGaps(series: Series, bucketMs: number): Series {
  const { times, values } = series
  const limit = bucketMs > 0 ? (bucketMs / 1000) * BUCKET_GAP_FACTOR : usualStep(times) * GAP_FACTOR
  const isGap = (at: number, index: number) => index > 0 && at - (times[index - 1] as number) > limit
  if (!times.some(isGap)) return series
  const gapped: Series = { ...series, times: [], values: [] }
  times.forEach((at, index) => {
    if (isGap(at, index)) {
      gapped.times.push((at + (times[index - 1] as number)) / 2)
      gapped.values.push(null)
    }
    gapped.times.push(at)
    gapped.values.push(values[index] as number | null)
  })
  return gapped
}

/** The median distance of neighbouring points, seconds; infinite for fewer than two. */
function usualStep(times: readonly number[]): number {
  const stride = Math.max(1, Math.floor(times.length / SAMPLES))
  const steps: number[] = []
  for (let index = 1; index < times.length; index += stride) steps.push((times[index] as number) - (times[index - 1] as number))
  steps.sort((a, b) => a - b)
  return steps[steps.length >> 1] ?? Number.POSITIVE_INFINITY
}

/** Adds a reading that is newer than all others; points that are `span` seconds older leave. */
export function withNewest(series: Series, at: number, value: number, span: number): Series {
  const { times, values } = series
  if (at <= (times.at(-1) ?? 0)) return series
  const first = indexFrom(times, at - span)
  return { ...series, times: [...times.slice(first), at], values: [...values.slice(first), value] }
}
