import { queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../../api/client.ts'

type Interval = '1m' | '5m' | '15m' | '1h' | '6h' | '1d'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The longest span of each interval: a chart gets about a thousand points, or the readings of two hours. */
const STEPS: readonly [spanMs: number, interval: Interval | null, bucketMs: number][] = [
  [2 * HOUR, null, 0],
  [16 * HOUR, '1m', MINUTE],
  [3.5 * DAY, '5m', 5 * MINUTE],
  [10 * DAY, '15m', 15 * MINUTE],
  [45 * DAY, '1h', HOUR],
  [250 * DAY, '6h', 6 * HOUR],
  [Number.POSITIVE_INFINITY, '1d', DAY],
]
/** The API answers at most 90 days at once. */
const MAX_SPAN = 90 * DAY

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

export const resolutionOf = ({ from, to }: Range): { interval: Interval | null; bucketMs: number } => {
  const [, interval, bucketMs] = STEPS.find(([span]) => to - from <= span) as (typeof STEPS)[number]
  return { interval, bucketMs }
}

/**
 * Loads the readings of a machine over a range of any length, as means of buckets where it is long. A range that moves with the time
 * does not come again, so its readings leave the cache with the page, or with the next range.
 */
export const seriesQuery = (machineId: string, range: Range, isLive = false) =>
  queryOptions({
    queryKey: ['/machines/{machine_id}/readings', machineId, range.from, range.to],
    staleTime: 60_000,
    ...(isLive ? { gcTime: 0 } : {}),
    queryFn: async ({ signal }) => {
      const { interval, bucketMs } = resolutionOf(range)
      const parts: Range[] = []
      for (let from = range.from; from < range.to; from += MAX_SPAN) parts.push({ from, to: Math.min(range.to, from + MAX_SPAN) })
      const answers = await Promise.all(
        parts.map(({ from, to }, index) => {
          // both ends are inclusive
          const start = new Date(index === 0 ? from : from + 1).toISOString()
          const query = { start, end: new Date(to).toISOString(), interval: interval ?? undefined }
          const params = { path: { machine_id: machineId }, query }
          return unwrap(api.GET('/machines/{machine_id}/readings', { params, signal })) as Promise<Schemas['ReadingSeries'][]>
        }),
      )
      return join(answers, bucketMs)
    },
  })

/** Joins the parts of each series, and puts a null where readings are missing, so that a chart shows a gap. */
function join(parts: readonly (readonly Schemas['ReadingSeries'][])[], bucketMs: number): Series[] {
  const found = new Map<string, Series>()
  for (const part of parts)
    for (const { metric_name, unit, data_points } of part) {
      const key = `${metric_name} ${unit}`
      const series = found.get(key) ?? { metric: metric_name, unit, times: [], values: [] }
      found.set(key, series)
      for (const { timestamp, value } of data_points) {
        const at = Date.parse(timestamp) / 1000
        // 6h and 1d buckets at the seam of two requests
        if (series.times.at(-1) === at) continue
        series.times.push(at)
        series.values.push(value)
      }
    }
  return [...found.values()].map((series) => withGaps(series, bucketMs)).toSorted((a, b) => a.metric.localeCompare(b.metric))
}

/** How many times longer than usual the distance of two points is where something is missing. */
const GAP_FACTOR = 5

export function withGaps(series: Series, bucketMs: number): Series {
  const { times } = series
  const steps = times.slice(1).map((at, index) => at - (times[index] as number))
  if (steps.length === 0) return series
  const usual = bucketMs > 0 ? bucketMs / 1000 : (steps.toSorted((a, b) => a - b)[steps.length >> 1] as number)
  const limit = bucketMs > 0 ? usual * 1.5 : usual * GAP_FACTOR
  if (!steps.some((step) => step > limit)) return series
  const gapped: Series = { ...series, times: [], values: [] }
  times.forEach((at, index) => {
    const step = steps[index - 1]
    if (step !== undefined && step > limit) {
      gapped.times.push(at - step / 2)
      gapped.values.push(null)
    }
    gapped.times.push(at)
    gapped.values.push(series.values[index] as number | null)
  })
  return gapped
}
