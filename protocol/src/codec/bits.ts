import { BatchError } from './batch-error.ts'

/** A number larger than 23 times the divisor is written in full: one outlier must not cost kilobytes of ones. */
const ONES_MAX = 24
const HALF = 27
/** Bits that one write takes beside up to seven pending ones. */
const WRITE_MAX = 24
const TWO_27 = 2 ** 27

/** The largest exponent of a Rice divisor: what 32-bit operations hold. */
export const RICE_MAX = 26

/** Numbers as bits, lowest bit of a byte first. */
export class BitWriter {
  bytes = new Uint8Array(2_048)
  #length = 0
  #pending = 0
  #count = 0

  /** @param value less than 2^bits @param bits 0 to 24 */
  write(value: number, bits: number): void {
    this.#pending |= value << this.#count
    this.#count += bits
    while (this.#count >= 8) this.#flush()
  }

  /**
   * Rice code of a whole number from 0 to 2^53: its quotient by 2^k in unary (ones, then a zero), then its k low bits. From a
   * quotient of 24 on: 24 ones, then the number in 54 bits.
   */
  rice(value: number, k: number): void {
    const quotient = quotientOf(value, k)
    if (quotient + 1 + k <= WRITE_MAX) {
      this.write((((value & ((1 << k) - 1)) << (quotient + 1)) | ((1 << quotient) - 1)) >>> 0, quotient + 1 + k)
    } else if (quotient < ONES_MAX) {
      this.write((1 << quotient) - 1, quotient)
      this.write(0, 1)
      this.#writeLong(value % TWO_27, k)
    } else {
      this.write((1 << ONES_MAX) - 1, ONES_MAX)
      this.#writeLong(value % TWO_27, HALF)
      this.#writeLong(Math.floor(value / TWO_27), HALF)
    }
  }

  /** The low bits of a value, up to 27. */
  #writeLong(value: number, bits: number): void {
    const first = Math.min(bits, 14)
    this.write(value & ((1 << first) - 1), first)
    if (bits > first) this.write((value >>> first) & ((1 << (bits - first)) - 1), bits - first)
  }

  written(): Uint8Array {
    if (this.#count > 0) this.#flush()
    return this.bytes.subarray(0, this.#length)
  }

  #flush(): void {
    if (this.#length === this.bytes.length) {
      const grown = new Uint8Array(this.bytes.length * 2)
      grown.set(this.bytes)
      this.bytes = grown
    }
    this.bytes[this.#length++] = this.#pending
    this.#pending >>>= 8
    this.#count -= 8
  }
}

/** Shifts where 32 bits hold the value: this runs for every reading. */
const quotientOf = (value: number, k: number): number => (value < 0x80000000 ? value >>> k : Math.floor(value / 2 ** k))

/** How many bits {@link BitWriter.rice} takes. */
export function riceBits(value: number, k: number): number {
  const quotient = quotientOf(value, k)
  return quotient < ONES_MAX ? quotient + 1 + k : ONES_MAX + 2 * HALF
}

/** Bits that one load of four bytes gives at any position. */
const LOAD_BITS = 25

/** Reads what {@link BitWriter} wrote. Reading past the end throws `truncated`. */
export class BitReader {
  /** followed by zeros, so that a load never leaves the array */
  readonly #bytes: Uint8Array
  readonly #end: number
  /** in bits */
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = new Uint8Array(bytes.length + 8)
    this.#bytes.set(bytes)
    this.#end = bytes.length * 8
  }

  /** @param bits 0 to 27 */
  read(bits: number): number {
    const first = Math.min(bits, LOAD_BITS)
    let value = this.#load() & ((1 << first) - 1)
    this.#skip(first)
    if (bits > first) {
      value |= (this.#load() & ((1 << (bits - first)) - 1)) << first
      this.#skip(bits - first)
    }
    return value
  }

  /** See {@link BitWriter.rice}; throws `malformed` above 2^53. */
  rice(k: number): number {
    // The lowest zero bit; bit 24 counts as one where there is none before.
    const zeros = ~this.#load() | (1 << ONES_MAX)
    const ones = 31 - Math.clz32(zeros & -zeros)
    if (ones < ONES_MAX) {
      this.#skip(ones + 1)
      return ones * 2 ** k + this.read(k)
    }
    this.#skip(ONES_MAX)
    const value = this.read(HALF) + this.read(HALF) * TWO_27
    if (value > 2 ** 53) throw new BatchError('malformed', 'a number is larger than 2^53')
    return value
  }

  /** Refuses bytes after the last number, and bits other than zero in its byte. */
  end(): void {
    if (this.#end - this.#at >= 8) throw new BatchError('trailing_bytes', 'bytes are left over after the last value')
    if ((this.#load() & ((1 << (this.#end - this.#at)) - 1)) !== 0)
      throw new BatchError('malformed', 'the last byte is not filled up with zeros')
  }

  /** At least {@link LOAD_BITS} bits from here on, zeros beyond the end. */
  #load(): number {
    const bytes = this.#bytes
    const at = this.#at >>> 3
    return (
      ((bytes[at] as number) |
        ((bytes[at + 1] as number) << 8) |
        ((bytes[at + 2] as number) << 16) |
        ((bytes[at + 3] as number) << 24)) >>>
      (this.#at & 7)
    )
  }

  #skip(bits: number): void {
    this.#at += bits
    if (this.#at > this.#end) throw new BatchError('truncated', 'the batch ends too early')
  }
}

export const zigzag = (n: number): number => (n < 0 ? -2 * n - 1 : 2 * n)
const unzigzag = (code: number): number => (code % 2 === 0 ? code / 2 : -(code + 1) / 2)

/** In place of a Rice exponent: all numbers are zero, and take no bits. */
const ALL_ZERO = RICE_MAX + 1
const EXPONENT_BITS = 5

/** Writes zigzagged numbers with the best common exponent before them. */
export function writeResiduals(bits: BitWriter, codes: Float64Array, count: number): void {
  const k = bestExponent(codes, count)
  bits.write(k, EXPONENT_BITS)
  if (k === ALL_ZERO) return
  for (let i = 0; i < count; i++) bits.rice(codes[i] as number, k)
}

/** Reads the numbers that {@link writeResiduals} wrote, one at each call. */
export function readResiduals(bits: BitReader): () => number {
  const k = bits.read(EXPONENT_BITS)
  if (k > ALL_ZERO) throw new BatchError('malformed', `there is no Rice exponent ${k}`)
  return k === ALL_ZERO ? () => 0 : () => unzigzag(bits.rice(k))
}

/** What {@link writeResiduals} takes, without the exponent. */
export function residualBits(codes: Float64Array, count: number): number {
  const k = bestExponent(codes, count)
  return k === ALL_ZERO ? 0 : totalBits(codes, count, k)
}

function bestExponent(codes: Float64Array, count: number): number {
  let sum = 0
  for (let i = 0; i < count; i++) sum += codes[i] as number
  if (sum === 0) return ALL_ZERO
  // For a geometric distribution the best exponent lies within one of this; an outlier, which is written in full, makes it too high.
  let best = Math.max(0, Math.min(RICE_MAX, Math.floor(Math.log2(sum / count))))
  let fewest = totalBits(codes, count, best)
  for (let k = best - 1; k >= 0; k--) {
    const total = totalBits(codes, count, k)
    if (total >= fewest) break
    fewest = total
    best = k
  }
  return best
}

function totalBits(codes: Float64Array, count: number, k: number): number {
  let total = 0
  for (let i = 0; i < count; i++) total += riceBits(codes[i] as number, k)
  return total
}

/** A whole number up to 2^51 as magnitude: its length in 5 bits (6 more for 31 and above), and its zigzagged bits below the highest one. */
export function writeNumber(bits: BitWriter, n: number): void {
  const code = zigzag(n) + 1
  let length = 0
  while (2 ** (length + 1) <= code) length++
  bits.write(Math.min(length, LONG), LENGTH_BITS)
  if (length >= LONG) bits.write(length, LENGTH_BITS + 1)
  const rest = code - 2 ** length
  bits.write(rest % 2 ** 24, Math.min(length, 24))
  if (length > 24) bits.write(Math.floor(rest / 2 ** 24) % 2 ** 24, Math.min(length - 24, 24))
  if (length > 48) bits.write(Math.floor(rest / 2 ** 48), length - 48)
}

const LENGTH_BITS = 5
const LONG = 31

export function readNumber(bits: BitReader): number {
  let length = bits.read(LENGTH_BITS)
  if (length === LONG) length = bits.read(LENGTH_BITS + 1)
  if (length > 53) throw new BatchError('malformed', 'a number is larger than 2^53')
  let rest = bits.read(Math.min(length, 24))
  if (length > 24) rest += bits.read(Math.min(length - 24, 24)) * 2 ** 24
  if (length > 48) rest += bits.read(length - 48) * 2 ** 48
  return unzigzag(2 ** length + rest - 1)
}
