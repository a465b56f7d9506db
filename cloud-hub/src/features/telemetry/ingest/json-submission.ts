import { normalizeInstant, type Rejection, type Series } from '@haltless/protocol'
import { recentRequests } from './recent-series.ts'
import { RequestSeries, tagOf, UNKNOWN } from './request-series.ts'
import { checkNames, checkTimestamp, type Faults, identifierOf, rejectionOf, type Submission } from './submission.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const TIMESTAMP = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/

/**
 * Parses a date-time of RFC 3339, also without seconds. Truncates to whole milliseconds. NaN for anything else, 30 February included.
 */
export function parseTimestamp(value: unknown): number {
  if (typeof value !== 'string' || value.length > 40) return Number.NaN
  const at = parseCommon(value)
  return Number.isNaN(at) ? parseCommon(normalizeInstant(value)) : at
}

function parseCommon(value: string): number {
  const match = TIMESTAMP.exec(value)
  if (!match) return Number.NaN
  const day = Number(match[3])
  if (day > 28 && day > new Date(Date.UTC(Number(match[1]), Number(match[2]), 0)).getUTCDate()) return Number.NaN
  return Date.parse(value)
}

/** `2026-01-31T` */
const DATE_LENGTH = 11

/**
 * Caches the last text, because the metrics of a machine share their instants, and the last date. Instants of that date in the form of
 * `toISOString`, as most programs send them, are computed from their digits: parsing is most of the validation time.
 */
function timestampParser(): (value: unknown) => number {
  let [text, at, date, midnight] = ['', Number.NaN, '', Number.NaN]
  return (value) => {
    if (value === text) return at
    if (typeof value !== 'string') return Number.NaN
    text = value
    at = date !== '' && value.startsWith(date) ? midnight + timeOfDay(value) : Number.NaN
    if (!Number.isNaN(at)) return at
    at = parseTimestamp(value)
    const sinceMidnight = timeOfDay(value)
    if (!Number.isNaN(at + sinceMidnight)) [date, midnight] = [value.slice(0, DATE_LENGTH), at - sinceMidnight]
    return at
  }
}

/** @returns the milliseconds of `2026-01-31T12:00:00.000Z` since midnight; NaN for another form */
function timeOfDay(text: string): number {
  if (text.length !== 24 || text[13] !== ':' || text[16] !== ':' || text[19] !== '.' || text[23] !== 'Z') return Number.NaN
  const [hours, minutes, seconds] = [number(text, 11, 13), number(text, 14, 16), number(text, 17, 19)]
  if (!(hours < 24 && minutes < 60 && seconds < 60)) return Number.NaN
  return ((hours * 60 + minutes) * 60 + seconds) * 1_000 + number(text, 20, 23)
}

/** The number of decimal digits; NaN where another character is among them. */
function number(text: string, from: number, to: number): number {
  let result = 0
  for (let i = from; i < to; i++) {
    const digit = text.charCodeAt(i) - 48
    if (!(digit >= 0 && digit <= 9)) return Number.NaN
    result = 10 * result + digit
  }
  return result
}

/** Validates what an item has beside its names, without zod, which takes three times as long on this hot path. @returns its timestamp */
function checkItem(item: Record<string, unknown>, now: number, parse: (value: unknown) => number, faults: Faults): number {
  if (typeof item.value !== 'number' || !Number.isFinite(item.value))
    faults.push({ code: 'invalid_value', error: 'value must be a finite number' })
  if (item.idempotency_key != null && !(typeof item.idempotency_key === 'string' && UUID.test(item.idempotency_key)))
    faults.push({ code: 'invalid_idempotency_key', error: 'idempotency_key must be a UUID' })
  const timestamp = parse(item.timestamp)
  if (Number.isNaN(timestamp))
    faults.push({ code: 'invalid_timestamp', error: 'timestamp must be ISO 8601 with a zone, such as 2026-01-31T12:00:00Z' })
  else checkTimestamp(timestamp, now, faults)
  return timestamp
}

/**
 * Parses the items of `POST /ingest` into columns. Invalid items become rejections by index and do not affect the others. A request that
 * names the series of an earlier one of the tenant gets the same array of series.
 */
export function submissionFromJson(tenantId: string, items: readonly unknown[], now: number): Submission {
  const rejections: Rejection[] = []
  const recent = recentRequests(tenantId)
  const first = isRecord(items[0]) ? namesOf(items[0]) : null
  const table = new RequestSeries(first && areTexts(first) ? recent.get(first, items.length) : undefined)
  const seriesIndex = new Uint32Array(items.length)
  const timestamps = new Float64Array(items.length)
  const values = new Float64Array(items.length)
  const index = new Uint32Array(items.length)
  let keys: (string | null)[] | null = null
  const parse = timestampParser()
  const faults: Faults = []
  let n = 0
  for (let i = 0; i < items.length; i++) {
    const item = items[i]
    let [slot, timestamp] = [UNKNOWN, Number.NaN]
    if (isRecord(item)) {
      slot = table.find(item)
      if (slot === UNKNOWN) checkNames(namesOf(item), faults)
      timestamp = checkItem(item, now, parse, faults)
    } else faults.push({ code: 'invalid_reading', error: 'a reading must be an object' })
    if (faults.length > 0) {
      rejections.push({ index: i, machine_identifier: identifierOf(item), ...rejectionOf(faults) })
      faults.length = 0
      continue
    }
    const { value, idempotency_key: key } = item as { value: number; idempotency_key?: string | null }
    if (key) {
      keys ??= new Array(items.length).fill(null)
      keys[n] = key.toLowerCase()
    }
    seriesIndex[n] = slot === UNKNOWN ? table.add(namesOf(item as Record<string, unknown>)) : slot
    timestamps[n] = timestamp
    values[n] = value
    index[n++] = i
  }
  const series = table.series()
  recent.set(series, items.length)
  const columns = {
    series,
    seriesIndex: seriesIndex.subarray(0, n),
    timestamps: timestamps.subarray(0, n),
    values: values.subarray(0, n),
  }
  return { columns, index: index.subarray(0, n), keys, rejections }
}

const isRecord = (item: unknown): item is Record<string, unknown> =>
  typeof item === 'object' && item !== null && !Array.isArray(item)

/** An object as a name may have no text form, so it must not reach the key of a cache. */
const areTexts = (names: Series): boolean => Object.values(names).every((name) => name === null || typeof name === 'string')

/** The names of an item; only {@link checkNames} tells whether they are texts. */
const namesOf = ({ machine_identifier, metric_name, unit, raw_tag }: Record<string, unknown>): Series =>
  ({ machine: machine_identifier, metric: metric_name, unit, rawTag: tagOf(raw_tag) }) as Series
