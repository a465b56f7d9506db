import { BatchError } from './batch-error.ts'
import { type BitReader, type BitWriter, RICE_MAX, riceBits, zigzag } from './bits.ts'
import type { ByteReader, ByteWriter } from './bytes.ts'
import type { RunStarts } from './timestamp-column.ts'

/**
 * How the values of one run are written; the first byte of the run.
 * - `0 + d` decimal: value = n / 10^d, the correctly rounded float64, whole n with at most 2^51 as magnitude, written as differences
 * - `16 + d` decimal single: value = float32(n / 10^d), what a PLC that computes in singles says; differences again
 * - 64 more than these: the differences stand Rice-coded among the bits behind the body (a byte tells the exponent, the first n stays
 *   in the body). Noise compresses better so; what repeats is better left to deflate
 * - `32` double, `33` single: IEEE 754 bits, each XORed with the one before, byte planes apart (all lowest bytes first)
 */
const DECIMAL = 0
const DECIMAL_SINGLE = 16
const DOUBLE = 32
const SINGLE = 33
const RICE = 64

const MAX_DECIMALS = 9
/** Two of these are at most 2^52 apart, which a signed varint holds exactly. */
export const WHOLE_LIMIT = 2 ** 51
export const POWERS = Float64Array.from({ length: MAX_DECIMALS + 1 }, (_, d) => 10 ** d)

/** Below this average difference, or with fewer values than this, deflate compresses better. */
const NOISE_MEAN_MIN = 3
const NOISE_COUNT_MIN = 16

/** Writes the values of every run, each in the shortest mode that gives every value back bit by bit. */
export function writeValues(out: ByteWriter, bits: BitWriter, values: Float64Array, starts: RunStarts): void {
  const wholes = new Float64Array(values.length)
  for (let run = 0; run + 1 < starts.length; run++) {
    const column = values.subarray(starts[run] as number, starts[run + 1] as number)
    let isSingle = true
    for (let i = 0; i < column.length; i++) {
      const value = column[i] as number
      if (!Number.isFinite(value)) throw new BatchError('bad_number', `value ${value} is not finite`)
      if (Math.fround(value) !== value) isSingle = false
    }
    const decimals = decimalsOf(column, wholes, false)
    if (decimals >= 0) {
      writeWholes(out, bits, DECIMAL + decimals, wholes, column.length)
      continue
    }
    const singleDecimals = isSingle ? decimalsOf(column, wholes, true) : -1
    if (singleDecimals >= 0) writeWholes(out, bits, DECIMAL_SINGLE + singleDecimals, wholes, column.length)
    else writeBits(out, column, isSingle)
  }
}

/**
 * The fewest decimals with which every value of a column is n / 10^d, and those n in `wholes`.
 * @param fewest decimals to begin with
 * @returns -1 when there are none; that includes negative zero, which no whole number stands for
 */
export function decimalsOf(column: Float64Array, wholes: Float64Array, isSingle: boolean, fewest = 0): number {
  let decimals = fewest
  let checked = 0
  // A value that needs more decimals sends us back to the start: the n before it must be counted in the same power.
  while (checked < column.length) {
    const power = POWERS[decimals] as number
    let i = 0
    for (; i < column.length; i++) {
      const value = column[i] as number
      const whole = Math.round(value * power)
      const again = isSingle ? Math.fround(whole / power) : whole / power
      if (again !== value || whole > WHOLE_LIMIT || whole < -WHOLE_LIMIT || (value === 0 && 1 / value < 0)) break
      wholes[i] = whole
    }
    checked = i
    if (checked < column.length && ++decimals > MAX_DECIMALS) return -1
  }
  return decimals
}

function writeWholes(out: ByteWriter, bits: BitWriter, mode: number, wholes: Float64Array, count: number): void {
  const exponent = riceExponent(wholes, count)
  out.byte(exponent < 0 ? mode : mode + RICE)
  if (exponent >= 0) out.byte(exponent)
  let last = 0
  for (let i = 0; i < count; i++) {
    const whole = wholes[i] as number
    if (exponent < 0 || i === 0) out.signedVarint(whole - last)
    else bits.rice(zigzag(whole - last), exponent)
    last = whole
  }
}

/** The best exponent for these differences, or -1 where deflate does better: few of them, small ones, or a pattern that repeats. */
function riceExponent(wholes: Float64Array, count: number): number {
  if (count < NOISE_COUNT_MIN) return -1
  let sum = 0
  for (let i = 1; i < count; i++) sum += zigzag((wholes[i] as number) - (wholes[i - 1] as number))
  const mean = sum / (count - 1)
  if (mean < NOISE_MEAN_MIN || repeats(wholes, count)) return -1
  // For a geometric distribution the best exponent lies within one of this.
  const guess = Math.min(RICE_MAX, Math.floor(Math.log2(mean)))
  let best = -1
  let fewest = Number.POSITIVE_INFINITY
  for (let k = Math.max(0, guess - 1); k <= guess; k++) {
    let total = 0
    for (let i = 1; i < count; i++) total += riceBits(zigzag((wholes[i] as number) - (wholes[i - 1] as number)), k)
    if (total < fewest) {
      fewest = total
      best = k
    }
  }
  return best
}

/** Hashes of pairs of differences, by their low bits; kept, because every run of every batch uses it. */
const seen = new Int32Array(512)

/** Whether more than about a third of all triples of neighbours was there before. A lost hash only costs some compression. */
function repeats(wholes: Float64Array, count: number): boolean {
  seen.fill(0)
  let repeated = 0
  for (let i = 2; i < count; i++) {
    const [a, b, c] = [wholes[i - 2] as number, wholes[i - 1] as number, wholes[i] as number]
    const hash = Math.imul(b - a, 0x9e3779b1) ^ Math.imul(c - b, 0x85ebca6b)
    const slot = hash >>> 23
    if (seen[slot] === hash) repeated++
    seen[slot] = hash
  }
  return repeated > (count - 2) / 3
}

function writeBits(out: ByteWriter, column: Float64Array, isSingle: boolean): void {
  const width = isSingle ? 4 : 8
  const count = column.length
  const raw = new DataView(new ArrayBuffer(count * width))
  for (let i = 0; i < count; i++) {
    if (isSingle) raw.setFloat32(i * 4, column[i] as number, true)
    else raw.setFloat64(i * 8, column[i] as number, true)
  }
  const bits = new Uint8Array(raw.buffer)
  out.byte(isSingle ? SINGLE : DOUBLE)
  out.reserve(bits.length)
  for (let plane = 0; plane < width; plane++) {
    for (let at = plane, last = 0; at < bits.length; at += width) {
      const byte = bits[at] as number
      out.bytes[out.length++] = byte ^ last
      last = byte
    }
  }
}

/** Reads what {@link writeValues} wrote; throws `bad_number` for a value that is not finite. */
export function readValues(from: ByteReader, bits: BitReader, values: Float64Array, starts: RunStarts): void {
  for (let run = 0; run + 1 < starts.length; run++) {
    const start = starts[run] as number
    const end = starts[run + 1] as number
    const told = from.byte()
    const isRice = told >= RICE
    const mode = isRice ? told - RICE : told
    const wholes = isRice ? riceDifferences(from, bits) : () => from.signedVarint()
    if (isRice && (mode === DOUBLE || mode === SINGLE)) throw new BatchError('malformed', `there is no value mode ${told}`)
    if (mode === DOUBLE || mode === SINGLE) readBits(from, values, start, end, mode === SINGLE)
    else if (mode <= DECIMAL + MAX_DECIMALS) readWholes(wholes, values, start, end, mode - DECIMAL, false)
    else if (mode >= DECIMAL_SINGLE && mode <= DECIMAL_SINGLE + MAX_DECIMALS) {
      readWholes(wholes, values, start, end, mode - DECIMAL_SINGLE, true)
    } else throw new BatchError('malformed', `there is no value mode ${told}`)
  }
}

/** The first from the body, the others from the bits. */
function riceDifferences(from: ByteReader, bits: BitReader): () => number {
  const exponent = from.byte()
  if (exponent > RICE_MAX) throw new BatchError('malformed', `there is no Rice exponent ${exponent}`)
  let isFirst = true
  return () => {
    if (isFirst) {
      isFirst = false
      return from.signedVarint()
    }
    const code = bits.rice(exponent)
    return code % 2 === 0 ? code / 2 : -(code + 1) / 2
  }
}

function readWholes(
  next: () => number,
  values: Float64Array,
  start: number,
  end: number,
  decimals: number,
  isSingle: boolean,
): void {
  const power = POWERS[decimals] as number
  let whole = 0
  for (let i = start; i < end; i++) {
    whole += next()
    if (whole > WHOLE_LIMIT || whole < -WHOLE_LIMIT) throw new BatchError('bad_number', 'a value is out of range')
    values[i] = isSingle ? Math.fround(whole / power) : whole / power
  }
}

function readBits(from: ByteReader, values: Float64Array, start: number, end: number, isSingle: boolean): void {
  const width = isSingle ? 4 : 8
  const count = end - start
  const planes = from.take(count * width)
  const raw = new DataView(new ArrayBuffer(count * width))
  for (let plane = 0; plane < width; plane++) {
    for (let i = 0, last = 0; i < count; i++) {
      last ^= planes[plane * count + i] as number
      raw.setUint8(i * width + plane, last)
    }
  }
  for (let i = 0; i < count; i++) {
    const value = isSingle ? raw.getFloat32(i * 4, true) : raw.getFloat64(i * 8, true)
    if (!Number.isFinite(value)) throw new BatchError('bad_number', 'a value is not finite')
    values[start + i] = value
  }
}
