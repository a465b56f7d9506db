import { judgeSpan, type SeriesSpan, type SortedReadings } from '../readings/index.ts'
import type { FlushSeries, Known } from './look-up.ts'
import type { Request } from './request.ts'

/** Where a series of a flush lies among its sorted readings; `place` is the series' place in the flush. */
export interface FlushSpan extends SeriesSpan {
  place: number
}

export interface SortedFlush extends SortedReadings {
  spans: FlushSpan[]
}

/** Judges the readings of series that have a baseline, or had one while an anomaly began. */
export function judgeByBaselines(readings: SortedFlush, known: Known): void {
  for (const span of readings.spans) {
    const of = known[span.place]
    if (!of || (!of.baseline && !of.isAnomalous)) continue
    const { tenantId, machine, metric, unit, baseline } = of
    span.judged = { ...judgeSpan(readings, span, baseline), tenantId, machineId: machine.id, metric, unit, baseline }
  }
}

type Requests = readonly Pick<Request, 'submission'>[]
type Skip = readonly (ReadonlySet<number> | undefined)[]

/**
 * The readings of a flush, series by series in the order of their ids, each ascending by time; of equal instants the first to arrive comes
 * first. Readings of unknown machines and those that `skip` names by request and index are left out. Counting, not comparing: what a machine
 * sends is ascending within each series already, and only what is not is sorted.
 * @param places for each request, by its own series index: the place in `known`
 */
export function sortReadings(
  requests: Requests,
  known: readonly (Pick<FlushSeries, 'seriesId' | 'newest'> | null)[],
  places: readonly (readonly number[])[],
  skip: Skip = [],
): SortedFlush {
  const counts = new Uint32Array(known.length)
  eachReading(requests, places, skip, (place) => {
    counts[place] = (counts[place] as number) + 1
  })
  const next = new Uint32Array(known.length)
  const spans: FlushSpan[] = []
  let from = 0
  for (const { place, seriesId, newest } of byId(known)) {
    const to = from + (counts[place] as number)
    if (to === from) continue
    spans.push({ place, seriesId, from, to, newestAt: newest?.timestamp ?? Number.NEGATIVE_INFINITY })
    next[place] = from
    from = to
  }
  const timestamps = new Float64Array(from)
  const values = new Float64Array(from)
  const rawTags: (string | null)[] = new Array(from)
  eachReading(requests, places, skip, (place, { columns }, i) => {
    if (!known[place]) return
    const at = next[place] as number
    next[place] = at + 1
    timestamps[at] = columns.timestamps[i] as number
    values[at] = columns.values[i] as number
    rawTags[at] = columns.series[columns.seriesIndex[i] as number]?.rawTag ?? null
  })
  const sorted = { spans, timestamps, values, rawTags }
  for (const span of spans) if (!isAscending(timestamps, span)) sortSpan(sorted, span)
  return sorted
}

const byId = (known: readonly (Pick<FlushSeries, 'seriesId' | 'newest'> | null)[]) =>
  known.flatMap((one, place) => (one ? { ...one, place } : [])).sort((a, b) => a.seriesId - b.seriesId)

function eachReading(
  requests: Requests,
  places: readonly (readonly number[])[],
  skip: Skip,
  visit: (place: number, submission: Request['submission'], i: number) => void,
): void {
  requests.forEach(({ submission }, r) => {
    const { seriesIndex } = submission.columns
    const own = places[r] as readonly number[]
    for (let i = 0; i < seriesIndex.length; i++)
      if (!skip[r]?.has(i)) visit(own[seriesIndex[i] as number] as number, submission, i)
  })
}

function isAscending(timestamps: Float64Array, { from, to }: SeriesSpan): boolean {
  for (let i = from + 1; i < to; i++) if ((timestamps[i] as number) < (timestamps[i - 1] as number)) return false
  return true
}

function sortSpan({ timestamps, values, rawTags }: SortedFlush, { from, to }: SeriesSpan): void {
  const [times, its, tags] = [timestamps.slice(from, to), values.slice(from, to), rawTags.slice(from, to)]
  const order = Array.from(times.keys()).sort((a, b) => (times[a] as number) - (times[b] as number))
  order.forEach((old, i) => {
    timestamps[from + i] = times[old] as number
    values[from + i] = its[old] as number
    rawTags[from + i] = tags[old] as string | null
  })
}
