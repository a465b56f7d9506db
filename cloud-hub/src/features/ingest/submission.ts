import { isStorableText, READING_LIMITS, type ReadingColumns, type Rejection, type Series } from '@haltless/protocol'

/** Readings that passed the checks which need no database, in columns; `index` is each one's place in what the caller sent. */
export interface Submission {
  columns: ReadingColumns
  index: Uint32Array
  /** UUIDs, or null where the caller sent none; the whole column null when nobody did */
  keys: (string | null)[] | null
  rejections: Rejection[]
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const TIMESTAMP = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/

const shortText = (value: unknown, max: number): value is string =>
  typeof value === 'string' && value.length > 0 && (value.length <= max || [...value].length <= max) && isStorableText(value)

/** ISO 8601 with a zone, to whole milliseconds (what is below is cut off); NaN for anything else, 30 February included. */
export function parseTimestamp(value: unknown): number {
  if (typeof value !== 'string' || value.length > 40) return Number.NaN
  const match = TIMESTAMP.exec(value)
  if (!match) return Number.NaN
  const day = Number(match[3])
  if (day > 28 && day > new Date(Date.UTC(Number(match[1]), Number(match[2]), 0)).getUTCDate()) return Number.NaN
  return Date.parse(value)
}

interface Checked {
  series: Series
  timestamp: number
  value: number
  key: string | null
}

type Fault = { code: string; error: string }
const fault = (code: string, error: string): Fault => ({ code, error })

function timestampFault(at: number, now: number): Fault | null {
  if (at > now + READING_LIMITS.futureMs)
    return fault('timestamp_in_future', 'timestamp is more than 5 minutes in the future: check the clock of the sender')
  if (at < now - READING_LIMITS.pastMs) return fault('timestamp_too_old', 'timestamp is more than 3,650 days in the past')
  return null
}

/** What is wrong with the names of a series. */
function nameFault({
  machine,
  metric,
  unit,
  rawTag,
}: {
  machine: unknown
  metric: unknown
  unit: unknown
  rawTag: unknown
}): Fault | null {
  if (!shortText(machine, READING_LIMITS.machineIdentifierChars))
    return fault('invalid_machine_identifier', 'machine_identifier must be text of 1-255 characters')
  if (!shortText(metric, READING_LIMITS.metricNameChars))
    return fault('invalid_metric_name', 'metric_name must be text of 1-255 characters')
  if (!shortText(unit, READING_LIMITS.unitChars))
    return fault('invalid_unit', `unit must be text of 1-${READING_LIMITS.unitChars} characters`)
  if (rawTag != null && rawTag !== '' && !shortText(rawTag, READING_LIMITS.rawTagChars))
    return fault('invalid_raw_tag', 'raw_tag must be text of at most 500 characters')
  return null
}

/** Remembers the last text: the metrics of a machine share their instants, and parsing is most of the work of checking. */
function timestampParser(): (value: unknown) => number {
  let [text, at] = ['', Number.NaN]
  return (value) => {
    if (value === text) return at
    const parsed = parseTimestamp(value)
    if (typeof value === 'string') [text, at] = [value, parsed]
    return parsed
  }
}

/** One item of `POST /ingest`, checked by hand: zod takes three times as long, and this is the hot path. */
function checkItem(item: unknown, now: number, parse: (value: unknown) => number): Checked | Fault {
  if (typeof item !== 'object' || item === null || Array.isArray(item))
    return fault('invalid_reading', 'a reading must be an object')
  const r = item as Record<string, unknown>
  const misnamed = nameFault({ machine: r.machine_identifier, metric: r.metric_name, unit: r.unit, rawTag: r.raw_tag })
  if (misnamed) return misnamed
  if (typeof r.value !== 'number' || !Number.isFinite(r.value)) return fault('invalid_value', 'value must be a finite number')
  if (r.idempotency_key != null && !(typeof r.idempotency_key === 'string' && UUID.test(r.idempotency_key)))
    return fault('invalid_idempotency_key', 'idempotency_key must be a UUID')
  const timestamp = parse(r.timestamp)
  if (Number.isNaN(timestamp))
    return fault('invalid_timestamp', 'timestamp must be ISO 8601 with a zone, such as 2026-01-31T12:00:00Z')
  const late = timestampFault(timestamp, now)
  if (late) return late
  const series = {
    machine: r.machine_identifier as string,
    metric: r.metric_name as string,
    unit: r.unit as string,
    rawTag: (r.raw_tag as string | null | undefined) || null,
  }
  return { series, timestamp, value: r.value, key: (r.idempotency_key as string | null | undefined)?.toLowerCase() ?? null }
}

/** Reads the items of `POST /ingest` into columns; bad ones become rejections by index and never hold up their neighbours. */
export function fromJson(items: readonly unknown[], now: number): Submission {
  const rejections: Rejection[] = []
  const series: Series[] = []
  const places = new Map<string, number>()
  const seriesIndex = new Uint32Array(items.length)
  const timestamps = new Float64Array(items.length)
  const values = new Float64Array(items.length)
  const index = new Uint32Array(items.length)
  let keys: (string | null)[] | null = null
  const parse = timestampParser()
  let n = 0
  for (let i = 0; i < items.length; i++) {
    const checked = checkItem(items[i], now, parse)
    if ('error' in checked) {
      rejections.push({ index: i, machine_identifier: identifierOf(items[i]), ...checked })
      continue
    }
    const { machine, metric, unit, rawTag } = checked.series
    const name = `${machine}\u0000${metric}\u0000${unit}\u0000${rawTag ?? ''}`
    let place = places.get(name)
    if (place === undefined) {
      place = series.push(checked.series) - 1
      places.set(name, place)
    }
    if (checked.key) {
      keys ??= new Array(items.length).fill(null)
      keys[n] = checked.key
    }
    seriesIndex[n] = place
    timestamps[n] = checked.timestamp
    values[n] = checked.value
    index[n++] = i
  }
  const columns = {
    series,
    seriesIndex: seriesIndex.subarray(0, n),
    timestamps: timestamps.subarray(0, n),
    values: values.subarray(0, n),
  }
  return { columns, index: index.subarray(0, n), keys, rejections }
}

const identifierOf = (item: unknown): string | null => {
  const value = (item as { machine_identifier?: unknown } | null)?.machine_identifier
  return typeof value === 'string' && value !== '' ? value.toWellFormed().slice(0, READING_LIMITS.machineIdentifierChars) : null
}

/** A decoded batch: the codec has checked shapes, so only the instants are left. */
export function fromBatch(batch: ReadingColumns, now: number): Submission {
  const rejections: Rejection[] = []
  const good: number[] = []
  const nameFaults = batch.series.map(nameFault)
  for (let i = 0; i < batch.timestamps.length; i++) {
    const s = batch.seriesIndex[i] as number
    const found = nameFaults[s] ?? timestampFault(batch.timestamps[i] as number, now)
    if (found)
      rejections.push({ index: i, machine_identifier: identifierOf({ machine_identifier: batch.series[s]?.machine }), ...found })
    else good.push(i)
  }
  if (rejections.length === 0) return { columns: batch, index: Uint32Array.from(good), keys: null, rejections }
  const columns = {
    series: batch.series,
    seriesIndex: Uint32Array.from(good, (i) => batch.seriesIndex[i] as number),
    timestamps: Float64Array.from(good, (i) => batch.timestamps[i] as number),
    values: Float64Array.from(good, (i) => batch.values[i] as number),
  }
  return { columns, index: Uint32Array.from(good), keys: null, rejections }
}

/** A part of a submission: the readings at these places of its columns. */
export function partOf(s: Submission, from: number, to: number): Submission {
  const { series, seriesIndex, timestamps, values } = s.columns
  return {
    columns: {
      series,
      seriesIndex: seriesIndex.subarray(from, to),
      timestamps: timestamps.subarray(from, to),
      values: values.subarray(from, to),
    },
    index: s.index.subarray(from, to),
    keys: s.keys?.slice(from, to) ?? null,
    rejections: [],
  }
}
