import { BatchError } from './batch-error.ts'

/** A number larger than 23 times the divisor is written in full: one outlier must not cost kilobytes of ones. */
const ONES_MAX = 24
const HALF = 27
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
    if (quotient < ONES_MAX) {
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

/** Reads what {@link BitWriter} wrote. Reading past the end throws `truncated`. */
export class BitReader {
  readonly #bytes: Uint8Array
  #at = 0
  #pending = 0
  #count = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** @param bits 0 to 27 */
  read(bits: number): number {
    let value = 0
    let have = 0
    while (have < bits) {
      if (this.#count === 0) this.#fill()
      const taken = Math.min(bits - have, this.#count)
      value |= (this.#pending & ((1 << taken) - 1)) << have
      this.#pending >>>= taken
      this.#count -= taken
      have += taken
    }
    return value
  }

  /** See {@link BitWriter.rice}; throws `malformed` above 2^53. */
  rice(k: number): number {
    let ones = 0
    while (ones < ONES_MAX) {
      if (this.#count === 0) this.#fill()
      const bit = this.#pending & 1
      this.#pending >>>= 1
      this.#count--
      if (bit === 0) return ones * 2 ** k + this.read(k)
      ones++
    }
    const value = this.read(HALF) + this.read(HALF) * TWO_27
    if (value > 2 ** 53) throw new BatchError('malformed', 'a number is larger than 2^53')
    return value
  }

  /** Refuses bytes after the last number, and bits other than zero in its byte. */
  end(): void {
    if (this.#at < this.#bytes.length) throw new BatchError('trailing_bytes', 'bytes are left over after the last value')
    if (this.#pending !== 0) throw new BatchError('malformed', 'the last byte is not filled up with zeros')
  }

  #fill(): void {
    const next = this.#bytes[this.#at]
    if (next === undefined) throw new BatchError('truncated', 'the batch ends too early')
    this.#at++
    this.#pending = next
    this.#count = 8
  }
}
