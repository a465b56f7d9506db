import { isStorableText, READING_LIMITS, type ReadingColumns, type Rejection, type Series } from '@haltless/protocol'

/**
 * Readings that passed all checks without the database, in columns. `index` is the index of each reading in the caller's array.
 */
export interface Submission {
  columns: ReadingColumns
  index: Uint32Array
  /** UUIDs; null for a reading without a key, and for the whole column without any key */
  keys: (string | null)[] | null
  rejections: Rejection[]
}

const shortText = (value: unknown, max: number): value is string =>
  typeof value === 'string' && value.length > 0 && (value.length <= max || [...value].length <= max) && isStorableText(value)

/** All faults of one reading, in the order of its fields. The caller reuses the list, so that a valid reading allocates none. */
export type Faults = { code: string; error: string }[]

/** @returns the code of the first fault, and all of them as one sentence */
export const rejectionOf = (faults: Faults) => ({
  code: faults[0]?.code ?? '',
  error: faults.map(({ error }) => error).join('; '),
})

const isInTime = (at: number, now: number): boolean => at <= now + READING_LIMITS.futureMs && at >= now - READING_LIMITS.pastMs

export function checkTimestamp(at: number, now: number, faults: Faults): void {
  if (at > now + READING_LIMITS.futureMs)
    faults.push({
      code: 'timestamp_in_future',
      error: 'timestamp is more than 5 minutes in the future: check the clock of the sender',
    })
  if (at < now - READING_LIMITS.pastMs)
    faults.push({ code: 'timestamp_too_old', error: 'timestamp is more than 3,650 days in the past' })
}

export function checkNames(
  { machine, metric, unit, rawTag }: { machine: unknown; metric: unknown; unit: unknown; rawTag: unknown },
  faults: Faults,
): void {
  if (!shortText(machine, READING_LIMITS.machineIdentifierChars))
    faults.push({ code: 'invalid_machine_identifier', error: 'machine_identifier must be text of 1-255 characters' })
  if (!shortText(metric, READING_LIMITS.metricNameChars))
    faults.push({ code: 'invalid_metric_name', error: 'metric_name must be text of 1-255 characters' })
  if (!shortText(unit, READING_LIMITS.unitChars))
    faults.push({ code: 'invalid_unit', error: `unit must be text of 1-${READING_LIMITS.unitChars} characters` })
  if (rawTag != null && rawTag !== '' && !shortText(rawTag, READING_LIMITS.rawTagChars))
    faults.push({ code: 'invalid_raw_tag', error: 'raw_tag must be text of at most 500 characters' })
}

export const identifierOf = (item: unknown): string | null => {
  const value = (item as { machine_identifier?: unknown } | null)?.machine_identifier
  return typeof value === 'string' && value !== '' ? value.slice(0, READING_LIMITS.machineIdentifierChars).toWellFormed() : null
}

/** 0 to `count` - 1. */
function allIndexes(count: number): Uint32Array {
  const indexes = new Uint32Array(count)
  for (let i = 1; i < count; i++) indexes[i] = i
  return indexes
}

/** Series of batches whose names are valid. */
const areValid = new WeakSet<readonly Series[]>()

/** Validates names and instants of a decoded batch. The codec has validated its shape. */
export function submissionFromBatch(batch: ReadingColumns, now: number): Submission {
  const rejections: Rejection[] = []
  const good: number[] = []
  if (areValid.has(batch.series) && batch.timestamps.every((at) => isInTime(at, now)))
    return { columns: batch, index: allIndexes(batch.timestamps.length), keys: null, rejections }
  const ofSeries = batch.series.map((series) => {
    const faults: Faults = []
    checkNames(series, faults)
    return faults
  })
  if (ofSeries.every((faults) => faults.length === 0)) areValid.add(batch.series)
  const ofTime: Faults = []
  for (let i = 0; i < batch.timestamps.length; i++) {
    const s = batch.seriesIndex[i] as number
    const ofNames = ofSeries[s] as Faults
    checkTimestamp(batch.timestamps[i] as number, now, ofTime)
    if (ofNames.length + ofTime.length === 0) {
      good.push(i)
      continue
    }
    const machine_identifier = identifierOf({ machine_identifier: batch.series[s]?.machine })
    rejections.push({ index: i, machine_identifier, ...rejectionOf([...ofNames, ...ofTime]) })
    ofTime.length = 0
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

/** The readings of a submission from one index of its columns to another (exclusive). */
export function sliceSubmission(s: Submission, from: number, to: number): Submission {
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
