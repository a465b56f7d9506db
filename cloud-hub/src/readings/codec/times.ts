import type { ByteReader } from './byte-reader.ts'
import type { ByteWriter } from './byte-writer.ts'
import { CorruptReadings } from './corrupt.ts'
import { assertRange, type Form } from './format.ts'
import { readPlanes, skipPlanes, writePlanes } from './planes.ts'
import { scratchResiduals } from './scratch.ts'

/** Instants between about -140,000 and 140,000 AD, so that every difference is a safe integer. */
const LIMIT_MS = 2 ** 52
/** `STEP`: a constant step with exceptions. `DELTAS`: byte planes of the differences, less the smallest one. */
const [STEP, DELTAS] = [0, 1]

/**
 * Encodes instants `from` to `to` (exclusive): Unix ms, whole, strictly ascending. At 1 Hz a day takes 10 bytes.
 * @throws RangeError for other instants
 */
export function encodeTimes(out: ByteWriter, times: Float64Array, from: number, to: number, form: Form): void {
  assertRange(times, from, to - from)
  const first = times[from] as number
  if (!(Math.abs(first) < LIMIT_MS && Math.abs(times[to - 1] as number) < LIMIT_MS && first % 1 === 0)) throw unordered()
  out.zigzag(first)
  if (!encodeStep(out, times, from, to)) encodeDeltas(out, times, from, to, form)
}

/** @returns whether it wrote; false when more than a sixteenth of the differences are exceptions */
function encodeStep(out: ByteWriter, times: Float64Array, from: number, to: number): boolean {
  const step = to - from === 1 ? 1 : (times[from + 1] as number) - (times[from] as number)
  const most = (to - from) >> 4
  let exceptions = 0
  for (let i = from + 1; i < to; i++)
    if ((times[i] as number) - (times[i - 1] as number) !== step && ++exceptions > most) return false
  if (!isDifference(step)) throw unordered()
  out.byte(STEP)
  out.varint(step)
  out.varint(exceptions)
  for (let i = from + 1, last = from; exceptions > 0 && i < to; i++) {
    const difference = (times[i] as number) - (times[i - 1] as number)
    if (difference === step) continue
    if (!isDifference(difference)) throw unordered()
    out.varint(i - last)
    out.varint(difference)
    last = i
    exceptions--
  }
  return true
}

function encodeDeltas(out: ByteWriter, times: Float64Array, from: number, to: number, form: Form): void {
  let [low, high, isWhole] = [Number.POSITIVE_INFINITY, 0, true]
  for (let i = from + 1; i < to; i++) {
    const difference = (times[i] as number) - (times[i - 1] as number)
    if (difference < low) low = difference
    if (difference > high) high = difference
    if (difference !== Math.floor(difference)) isWhole = false
  }
  if (!isWhole || !isDifference(low)) throw unordered()
  const deltas = scratchResiduals(to - from)
  for (let i = from + 1; i < to; i++) deltas[i - from - 1] = (times[i] as number) - (times[i - 1] as number) - low
  out.byte(DELTAS)
  out.varint(low)
  writePlanes(out, deltas, to - from - 1, high - low, form)
}

const isDifference = (ms: number) => ms >= 1 && ms % 1 === 0 && ms < 2 * LIMIT_MS
const unordered = () => new RangeError('instants are not whole milliseconds in strictly ascending order')

/** Decodes `count` instants into an array, from index `at` on. They ascend strictly. */
export function decodeTimes(input: ByteReader, into: Float64Array, at: number, count: number, form: Form): void {
  assertRange(into, at, count)
  const first = input.zigzag()
  into[at] = first
  if (readKind(input) === STEP) decodeStep(input, into, at, count)
  else decodeDeltas(input, into, at, count, form)
  // differences are positive, so the last instant is the largest
  if (!(first > -LIMIT_MS && (into[at + count - 1] as number) < LIMIT_MS)) throw new CorruptReadings('an instant is out of range')
}

function decodeStep(input: ByteReader, into: Float64Array, at: number, count: number): void {
  const to = at + count
  const step = readDifference(input)
  let [time, from] = [into[at] as number, at]
  for (let exceptions = input.varint(); exceptions > 0; exceptions--) {
    const place = from + input.varint()
    const difference = readDifference(input)
    if (place <= from || place >= to) throw new CorruptReadings('an exception is out of place')
    for (let i = from; i < place; i++) into[i] = time + step * (i - from)
    time += step * (place - 1 - from) + difference
    from = place
  }
  for (let i = from; i < to; i++) into[i] = time + step * (i - from)
}

function decodeDeltas(input: ByteReader, into: Float64Array, at: number, count: number, form: Form): void {
  const low = readDifference(input)
  const n = count - 1
  const { bytes, offset, width } = readPlanes(input, n, form)
  let time = into[at] as number
  if (width === 1)
    for (let i = 0; i < n; i++) {
      time += low + (bytes[offset + i] as number)
      into[at + 1 + i] = time
    }
  else if (width === 2)
    for (let i = 0, second = offset + n; i < n; i++) {
      time += low + ((bytes[offset + i] as number) | ((bytes[second + i] as number) << 8))
      into[at + 1 + i] = time
    }
  else
    for (let i = 0; i < n; i++) {
      let delta = 0
      for (let w = width - 1; w >= 0; w--) delta = delta * 256 + (bytes[offset + w * n + i] as number)
      time += low + delta
      into[at + 1 + i] = time
    }
}

/**
 * Finds which of some instants are among `count` encoded ones. A constant step costs one division for each instant, not one write for each
 * encoded instant.
 * @param wanted Unix ms, ascending from index `from` to `to` (exclusive)
 */
export function findTimes(
  input: ByteReader,
  count: number,
  wanted: { times: Float64Array; from: number; to: number },
  found: (index: number) => void,
): void {
  const { times, to } = wanted
  const start = input.position
  let time = input.zigzag()
  let i = wanted.from
  const matchRun = (step: number, length: number) => {
    const last = time + step * (length - 1)
    for (; i < to && (times[i] as number) <= last; i++) {
      const since = (times[i] as number) - time
      if (since >= 0 && since % step === 0) found(i)
    }
  }
  if (readKind(input) === DELTAS) {
    const decoded = new Float64Array(count)
    input.position = start
    decodeTimes(input, decoded, 0, count, 'sealed')
    for (const at of decoded) {
      time = at
      matchRun(1, 1)
    }
    return
  }
  const step = readDifference(input)
  let left = count
  for (let exceptions = input.varint(); exceptions > 0; exceptions--) {
    const length = input.varint()
    if (length < 1 || length >= left) throw new CorruptReadings('an exception is out of place')
    matchRun(step, length)
    time += step * (length - 1) + readDifference(input)
    left -= length
  }
  matchRun(step, left)
}

/** Passes over what {@link decodeTimes} reads. */
export function skipTimes(input: ByteReader, count: number, form: Form): void {
  input.zigzag()
  const kind = readKind(input)
  readDifference(input)
  if (kind === DELTAS) skipPlanes(input, count - 1, form)
  else
    for (let exceptions = input.varint(); exceptions > 0; exceptions--) {
      input.varint()
      input.varint()
    }
}

function readKind(input: ByteReader): number {
  const kind = input.byte()
  if (kind !== STEP && kind !== DELTAS) throw new CorruptReadings(`times of kind ${kind}`)
  return kind
}

function readDifference(input: ByteReader): number {
  const difference = input.varint()
  if (difference < 1) throw new CorruptReadings('instants do not ascend')
  return difference
}
