import { evaluateSpan, isAnomalousAt, newestAt, type SeriesSpan, type SortedReadings } from '../../../readings/index.ts'
import type { LoadedContext, SeriesContext } from '../series/index.ts'
import type { IngestRequest } from './request.ts'

/** Evaluates the readings of series that have a baseline, or that have an open anomaly from a former one. */
export function evaluateBaselines(readings: SortedReadings, { series }: LoadedContext): void {
  for (const span of readings.spans) {
    const of = series[span.slot]
    if (!of || (!of.baseline && !isAnomalousAt(of.latest.row.body, of.latest.index))) continue
    const { tenantId, machine, metric, unit, baseline } = of
    span.evaluated = { ...evaluateSpan(readings, span, baseline), tenantId, machineId: machine.id, metric, unit, baseline }
  }
}

type Requests = readonly Pick<IngestRequest, 'submission'>[]
type SortedSeries = Pick<SeriesContext, 'seriesId' | 'latest' | 'rules' | 'stopSignal'>
type Skip = readonly (ReadonlySet<number> | undefined)[]

/**
 * Sorts the readings of a flush by series id, then by time; of equal instants the first to arrive comes first. It omits readings
 * of unknown machines, and those that `skip` names by request and index. A counting sort places series: readings of a machine
 * usually ascend within each series, and only spans that do not are sorted.
 * @param slots for each request, by its own series index: the slot in `context`
 */
export function sortReadings(
  requests: Requests,
  context: readonly (SortedSeries | null)[],
  slots: readonly (readonly number[])[],
  skip: Skip = [],
): SortedReadings {
  const counts = new Uint32Array(context.length)
  eachReading(requests, slots, skip, (slot) => {
    counts[slot] = (counts[slot] as number) + 1
  })
  const next = new Uint32Array(context.length)
  const spans: SeriesSpan[] = []
  let from = 0
  for (const slot of slotsById(context)) {
    const { seriesId, latest, rules, stopSignal } = context[slot] as SortedSeries
    const to = from + (counts[slot] as number)
    if (to === from) continue
    spans.push({
      slot,
      seriesId,
      from,
      to,
      latest,
      newestAt: newestAt(latest.row.body, latest.index),
      needsNewest: rules.length > 0 || stopSignal !== null,
    })
    next[slot] = from
    from = to
  }
  const timestamps = new Float64Array(from)
  const values = new Float64Array(from)
  const rawTags: (string | null)[] = new Array(from)
  eachReading(requests, slots, skip, (slot, { columns }, i) => {
    if (!context[slot]) return
    const at = next[slot] as number
    next[slot] = at + 1
    timestamps[at] = columns.timestamps[i] as number
    values[at] = columns.values[i] as number
    rawTags[at] = columns.series[columns.seriesIndex[i] as number]?.rawTag ?? null
  })
  const sorted = { spans, timestamps, values, rawTags }
  for (const span of spans) if (!isAscending(timestamps, span)) sortSpan(sorted, span)
  return sorted
}

/** The slots of known series, by series id. Those of a sender usually ascend already. */
function slotsById(context: readonly (Pick<SeriesContext, 'seriesId'> | null)[]): Uint32Array {
  const all = new Uint32Array(context.length)
  let count = 0
  let last = 0
  let isAscending = true
  for (let slot = 0; slot < context.length; slot++) {
    const id = context[slot]?.seriesId
    if (id === undefined) continue
    if (id < last) isAscending = false
    last = id
    all[count++] = slot
  }
  const slots = all.subarray(0, count)
  const idOf = (slot: number) => (context[slot] as Pick<SeriesContext, 'seriesId'>).seriesId
  return isAscending ? slots : slots.sort((a, b) => idOf(a) - idOf(b))
}

function eachReading(
  requests: Requests,
  slots: readonly (readonly number[])[],
  skip: Skip,
  visit: (slot: number, submission: IngestRequest['submission'], i: number) => void,
): void {
  requests.forEach(({ submission }, r) => {
    const { seriesIndex } = submission.columns
    const own = slots[r] as readonly number[]
    const skipped = skip[r]
    for (let i = 0; i < seriesIndex.length; i++)
      if (!skipped?.has(i)) visit(own[seriesIndex[i] as number] as number, submission, i)
  })
}

function isAscending(timestamps: Float64Array, { from, to }: SeriesSpan): boolean {
  for (let i = from + 1; i < to; i++) if ((timestamps[i] as number) < (timestamps[i - 1] as number)) return false
  return true
}

function sortSpan({ timestamps, values, rawTags }: SortedReadings, { from, to }: SeriesSpan): void {
  const [times, its, tags] = [timestamps.slice(from, to), values.slice(from, to), rawTags.slice(from, to)]
  const order = Array.from(times.keys()).sort((a, b) => (times[a] as number) - (times[b] as number))
  order.forEach((old, i) => {
    timestamps[from + i] = times[old] as number
    values[from + i] = its[old] as number
    rawTags[from + i] = tags[old] as string | null
  })
}
