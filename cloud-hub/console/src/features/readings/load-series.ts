import { queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../../api/client.ts'
import { isApiError } from '../../api/error.ts'
import { latestQuery } from './latest-query.ts'
import { byMetric, continued, keyOf, type Range, type Series } from './series.ts'

type Interval = '1m' | '5m' | '15m' | '1h' | '6h' | '1d'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The longest span of each interval: a chart gets about a thousand points, or the readings of two hours. */
const STEPS: readonly (Resolution & { spanMs: number })[] = [
  { spanMs: 2 * HOUR, interval: null, bucketMs: 0 },
  { spanMs: 16 * HOUR, interval: '1m', bucketMs: MINUTE },
  { spanMs: 3.5 * DAY, interval: '5m', bucketMs: 5 * MINUTE },
  { spanMs: 10 * DAY, interval: '15m', bucketMs: 15 * MINUTE },
  { spanMs: 45 * DAY, interval: '1h', bucketMs: HOUR },
  { spanMs: 250 * DAY, interval: '6h', bucketMs: 6 * HOUR },
  { spanMs: Number.POSITIVE_INFINITY, interval: '1d', bucketMs: DAY },
]
const MINUTES = STEPS[1] as Resolution
/** The API answers at most 90 days at once. */
const MAX_SPAN = 90 * DAY

interface Resolution {
  /** null: every reading */
  interval: Interval | null
  bucketMs: number
}

export interface LoadedSeries extends Resolution {
  series: Series[]
}

const resolutionOf = ({ from, to }: Range): Resolution => STEPS.find(({ spanMs }) => to - from <= spanMs) as Resolution

/** Loads the readings of a machine over a range of any length, as means of buckets where it is long. */
async function loadSeries(machineId: string, range: Range, { interval, bucketMs }: Resolution, signal: AbortSignal) {
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
  return { interval, bucketMs, series: joined(answers) }
}

/** As `loadSeries` in the best resolution. A machine with too many readings for one answer is shown in means of minutes. */
async function loadBest(machineId: string, range: Range, signal: AbortSignal): Promise<LoadedSeries> {
  const best = resolutionOf(range)
  return loadSeries(machineId, range, best, signal).catch((error) => {
    const hasTooMany = best.interval === null && isApiError(error) && 'interval' in error.fields
    if (!hasTooMany) throw error
    return loadSeries(machineId, range, MINUTES, signal)
  })
}

/** Joins the parts of each series. */
function joined(parts: readonly (readonly Schemas['ReadingSeries'][])[]): Series[] {
  const found = new Map<string, Series>()
  for (const part of parts)
    for (const { metric_name, unit, data_points } of part) {
      const key = keyOf({ metric: metric_name, unit })
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
  return byMetric([...found.values()])
}

const PATH = '/machines/{machine_id}/readings'

/** Ranges that a person zooms through are many: each leaves the cache soon. */
const KEPT_MS = MINUTE

/** The readings of a machine over a fixed range. */
export const seriesQuery = (machineId: string, range: Range) =>
  queryOptions({
    queryKey: [PATH, machineId, range.from, range.to],
    staleTime: MINUTE,
    gcTime: KEPT_MS,
    // comparing thousands of points with those of before costs more than drawing them
    structuralSharing: false,
    queryFn: ({ signal }) => loadBest(machineId, range, signal),
  })

interface LiveSeries extends LoadedSeries {
  /** up to when readings were loaded, ms since 1970 */
  until: number
  /** when the whole window was loaded */
  wholeAt: number
}

const LIVE_MS = 10 * SECOND
const LIVE_MAX_MS = 5 * MINUTE
/** An agent that was away sends older readings: now and then the whole window is loaded. */
const WHOLE_MS = 5 * MINUTE
/** Readings that a running agent sends arrive within this. */
const DELAY_MS = 30 * SECOND

/**
 * From when readings are missing, ms since 1970. The newest ones tell where an agent that was away continues.
 * @returns null for the whole window: a series is not known yet
 */
function missingFrom(
  { series, until }: LiveSeries,
  latest: Schemas['LatestReadings'] | undefined,
  windowFrom: number,
): number | null {
  let from = until - DELAY_MS
  for (const [metric, { timestamp, unit }] of Object.entries(latest?.readings ?? {})) {
    const last = series.find((one) => one.metric === metric && one.unit === unit)?.times.at(-1)
    if (last === undefined && Date.parse(timestamp) > windowFrom) return null
    if (last !== undefined && Date.parse(timestamp) > last * 1000) from = Math.min(from, last * 1000)
  }
  return from
}

/**
 * The readings of the last `span` ms. The window moves on by itself: of readings themselves only the newest are loaded again, and
 * those that leave the window leave the memory.
 */
export const liveSeriesQuery = (machineId: string, span: number) =>
  queryOptions({
    queryKey: [PATH, machineId, 'live', span],
    gcTime: 0,
    structuralSharing: false,
    refetchInterval: ({ state: { data } }: { state: { data?: LiveSeries } }) =>
      Math.min(LIVE_MAX_MS, Math.max(LIVE_MS, data?.bucketMs ?? 0)),
    queryFn: async ({ client, queryKey, signal }): Promise<LiveSeries> => {
      const known = client.getQueryData<LiveSeries>(queryKey)
      const to = Date.now()
      const from = to - span
      if (!known || known.interval !== null || to - known.wholeAt > WHOLE_MS)
        return { ...(await loadBest(machineId, { from, to }, signal)), until: to, wholeAt: to }
      const { queryKey: latestKey } = latestQuery(machineId)
      const missing = missingFrom(known, client.getQueryData<Schemas['LatestReadings']>(latestKey), from)
      if (missing === null) return { ...(await loadBest(machineId, { from, to }, signal)), until: to, wholeAt: to }
      const newest = { from: Math.max(from, missing), to }
      const part = await loadSeries(machineId, newest, known, signal)
      return {
        ...known,
        series: continued(known.series, { from: newest.from / 1000, series: part.series }, from / 1000),
        until: to,
      }
    },
  })
