import { BatchError } from './batch-error.ts'
import type { ByteReader, ByteWriter } from './bytes.ts'

/** Runs of readings, in batch order: run `r` covers readings `starts[r]` to `starts[r + 1] - 1`. */
export type RunStarts = readonly number[]

/** The first byte of a run's timestamps: 0 delta of deltas, 1 raw, k + 2 the same as the first ones of run k. */
const DELTA_OF_DELTAS = 0
const RAW = 1
const SHARED = 2

/** Up to here (the year 37,648) the delta of two deltas is exact in a float64; others are written raw. */
const DELTA_LIMIT = 2 ** 50
/** How many earlier columns are compared, so that a batch of many odd series does not cost the square of its length. */
const COLUMNS_COMPARED = 8

/** Writes the timestamps of every run. Series that are polled together share one column. */
export function writeTimestamps(out: ByteWriter, timestamps: Float64Array, starts: RunStarts): void {
  const own: number[] = []
  for (let run = 0; run + 1 < starts.length; run++) {
    const start = starts[run] as number
    const end = starts[run + 1] as number
    const same = own.slice(-COLUMNS_COMPARED).find((other) => startsAlike(timestamps, starts, other, start, end))
    if (same !== undefined) {
      out.varint(same + SHARED)
      continue
    }
    own.push(run)
    writeColumn(out, timestamps.subarray(start, end))
  }
}

function startsAlike(timestamps: Float64Array, starts: RunStarts, other: number, start: number, end: number): boolean {
  const first = starts[other] as number
  if (first + (end - start) > (starts[other + 1] as number)) return false
  for (let i = start; i < end; i++) if (timestamps[i] !== timestamps[first + (i - start)]) return false
  return true
}

function writeColumn(out: ByteWriter, column: Float64Array): void {
  let isSmall = true
  for (const at of column) {
    if (!Number.isSafeInteger(at)) throw new BatchError('bad_number', `timestamp ${at} is not a whole number of milliseconds`)
    if (Math.abs(at) > DELTA_LIMIT) isSmall = false
  }
  if (!isSmall) {
    out.varint(RAW)
    const raw = new DataView(new ArrayBuffer(column.length * 8))
    column.forEach((at, i) => {
      raw.setFloat64(i * 8, at, true)
    })
    out.append(new Uint8Array(raw.buffer))
    return
  }
  out.varint(DELTA_OF_DELTAS)
  let last = 0
  let lastDelta = 0
  for (let i = 0; i < column.length; i++) {
    const at = column[i] as number
    const delta = at - last
    out.signedVarint(delta - lastDelta)
    last = at
    // The first timestamp is a distance from 1970, no measure of what comes next.
    lastDelta = i === 0 ? 0 : delta
  }
}

/** Reads what {@link writeTimestamps} wrote. */
export function readTimestamps(from: ByteReader, timestamps: Float64Array, starts: RunStarts): void {
  for (let run = 0; run + 1 < starts.length; run++) {
    const start = starts[run] as number
    const end = starts[run + 1] as number
    const mode = from.varint()
    if (mode === DELTA_OF_DELTAS) readDeltaOfDeltas(from, timestamps, start, end)
    else if (mode === RAW) readRaw(from, timestamps, start, end)
    else {
      const other = mode - SHARED
      const first = starts[other] as number
      if (other >= run || first + (end - start) > (starts[other + 1] as number)) {
        throw new BatchError('malformed', 'a series shares the timestamps of one that has too few')
      }
      timestamps.copyWithin(start, first, first + (end - start))
    }
  }
}

function readDeltaOfDeltas(from: ByteReader, timestamps: Float64Array, start: number, end: number): void {
  let at = 0
  let delta = 0
  for (let i = start; i < end; i++) {
    const step = from.signedVarint()
    delta += step
    at += delta
    if (at > DELTA_LIMIT || at < -DELTA_LIMIT) throw new BatchError('bad_number', 'a timestamp is out of range')
    timestamps[i] = at
    if (i === start) delta = 0
  }
}

function readRaw(from: ByteReader, timestamps: Float64Array, start: number, end: number): void {
  const bytes = from.take((end - start) * 8)
  const raw = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let i = start; i < end; i++) {
    const at = raw.getFloat64((i - start) * 8, true)
    if (!Number.isSafeInteger(at)) throw new BatchError('bad_number', 'a timestamp is not a whole number of milliseconds')
    timestamps[i] = at
  }
}
