import { BatchError } from './batch-error.ts'

const TWO_28 = 2 ** 28
/** What {@link ByteWriter.varint} makes room for. */
export const VARINT_BYTES_MAX = 8

/** A growing byte array with a write position. */
export class ByteWriter {
  bytes = new Uint8Array(4_096)
  length = 0

  /** Makes room for `count` more bytes. */
  reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, this.length + count))
    grown.set(this.bytes.subarray(0, this.length))
    this.bytes = grown
  }

  byte(value: number): void {
    this.reserve(1)
    this.bytes[this.length++] = value
  }

  /** LEB128 of a whole number from 0 to 2^53: seven bits a byte, lowest first, the high bit set while more follow. */
  varint(value: number): void {
    this.reserve(VARINT_BYTES_MAX)
    let rest = value
    // Bit operations see 32 bits only; what is above goes by division.
    while (rest >= TWO_28) {
      this.bytes[this.length++] = (rest % 128) | 0x80
      rest = Math.floor(rest / 128)
    }
    while (rest >= 0x80) {
      this.bytes[this.length++] = (rest & 0x7f) | 0x80
      rest >>>= 7
    }
    this.bytes[this.length++] = rest
  }

  /** Zigzag LEB128 of a whole number from -2^52 to 2^52: 0, -1, 1, -2, 2, ... become 0, 1, 2, 3, 4, ... */
  signedVarint(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value)
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length)
    this.bytes.set(bytes, this.length)
    this.length += bytes.length
  }

  written(): Uint8Array {
    return this.bytes.subarray(0, this.length)
  }
}

/** A byte array with a read position. Reading past the end throws `truncated`. */
export class ByteReader {
  readonly bytes: Uint8Array
  position = 0

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  get remaining(): number {
    return this.bytes.length - this.position
  }

  byte(): number {
    const value = this.bytes[this.position++]
    if (value === undefined) throw new BatchError('truncated', 'the batch ends too early')
    return value
  }

  /** See {@link ByteWriter.varint}; throws `malformed` above 2^53. */
  varint(): number {
    const first = this.byte()
    if (first < 0x80) return first
    let value = first & 0x7f
    let factor = 128
    for (let i = 1; i < 8; i++) {
      const next = this.byte()
      value += (next & 0x7f) * factor
      if (next < 0x80) {
        if (value > 2 ** 53) break
        return value
      }
      factor *= 128
    }
    throw new BatchError('malformed', 'a number is larger than 2^53')
  }

  /** See {@link ByteWriter.signedVarint}. */
  signedVarint(): number {
    const value = this.varint()
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }

  take(count: number): Uint8Array {
    if (count > this.remaining) throw new BatchError('truncated', 'the batch ends too early')
    this.position += count
    return this.bytes.subarray(this.position - count, this.position)
  }
}
