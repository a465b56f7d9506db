import { ByteReader, ByteWriter } from '@haltless/protocol/bytes'

/**
 * Readings as a poll brings them: many series, few readings of each. On disk they name their series by the numbers of the
 * {@link SeriesDictionary}; a batch would tell a name for every reading. Quick to write rather than small: what waits for long is packed into
 * batches by compaction.
 *
 * Body: magic, version, mode of the values, varint count; runs of consecutive series numbers (signed varint from the end of the last run,
 * varint length) up to count; runs of equal timestamps (signed varint from the last, varint length) up to count; the values as an array of
 * the mode's type, in the byte order of this computer, which the file does not leave.
 */
export interface Poll {
  readonly seriesIds: Uint32Array
  /** Unix milliseconds, whole numbers */
  readonly timestamps: Float64Array
  /** finite */
  readonly values: Float64Array
}

const MAGIC = 0x50 // P; a batch begins with H
const VERSION = 1

/** The narrowest of these that holds every value exactly. */
const TYPES = [Uint16Array, Int16Array, Float32Array, Float64Array] as const
const [UNSIGNED, SIGNED, SINGLE, DOUBLE] = [0, 1, 2, 3] as const
type Mode = typeof UNSIGNED | typeof SIGNED | typeof SINGLE | typeof DOUBLE

/** The readings from `start` to before `end` as bytes. */
export function writePoll({ seriesIds, timestamps, values }: Poll, start: number, end: number): Uint8Array {
  const column = values.subarray(start, end)
  const mode = modeOf(column)
  const out = new ByteWriter()
  out.reserve(64 + column.length * TYPES[mode].BYTES_PER_ELEMENT)
  out.byte(MAGIC)
  out.byte(VERSION)
  out.byte(mode)
  out.varint(end - start)
  for (let at = start, last = 0; at < end; ) {
    const first = seriesIds[at] as number
    const from = at++
    while (at < end && (seriesIds[at] as number) === first + (at - from)) at++
    out.signedVarint(first - last)
    out.varint(at - from)
    last = first + (at - from)
  }
  for (let at = start, last = 0; at < end; ) {
    const time = timestamps[at] as number
    const from = at++
    while (at < end && timestamps[at] === time) at++
    out.signedVarint(time - last)
    out.varint(at - from)
    last = time
  }
  out.append(new Uint8Array(new TYPES[mode](column).buffer))
  return out.written()
}

function modeOf(values: Float64Array): Mode {
  let isUnsigned = true
  let isSigned = true
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number
    if (Math.fround(value) !== value) return DOUBLE
    // Negative zero is a value of its own, and no whole number
    const isWhole = value !== 0 || 1 / value > 0
    if (isUnsigned && !(isWhole && (value & 0xffff) === value)) isUnsigned = false
    if (isSigned && !(isWhole && (value << 16) >> 16 === value)) isSigned = false
  }
  if (isUnsigned) return UNSIGNED
  return isSigned ? SIGNED : SINGLE
}

export const isPoll = (body: Uint8Array): boolean => body[0] === MAGIC

/** Reads what {@link writePoll} wrote. @throws BatchError, RangeError or Error for bytes that are none */
export function readPoll(body: Uint8Array): Poll {
  const from = new ByteReader(body)
  from.take(2)
  const type = TYPES[from.byte() as Mode]
  if (body[1] !== VERSION || type === undefined) throw new Error('this is no poll of a version that we know')
  const count = from.varint()
  if (count > from.remaining) throw new Error('the poll ends too early')
  const seriesIds = new Uint32Array(count)
  for (let at = 0, last = 0; at < count; ) {
    const first = last + from.signedVarint()
    const length = runLength(from, count - at)
    for (let i = 0; i < length; i++) seriesIds[at++] = first + i
    last = first + length
  }
  const timestamps = new Float64Array(count)
  for (let at = 0, time = 0; at < count; ) {
    time += from.signedVarint()
    const length = runLength(from, count - at)
    timestamps.fill(time, at, at + length)
    at += length
  }
  // A copy, for an array of numbers must begin at a multiple of their size
  const bytes = Uint8Array.from(from.take(count * type.BYTES_PER_ELEMENT))
  return { seriesIds, timestamps, values: Float64Array.from(new type(bytes.buffer)) }
}

function runLength(from: ByteReader, most: number): number {
  const length = from.varint()
  if (length === 0 || length > most) throw new Error('a run of the poll has an impossible length')
  return length
}
