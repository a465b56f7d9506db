/** A growing buffer. Integers are unsigned LEB128 (varint), negative ones zigzag first; doubles are little-endian. */
export class ByteWriter {
  /** The buffer; only the first `length` bytes are written. Growing replaces it. */
  bytes = Buffer.allocUnsafe(1 << 16)
  length = 0

  /** Makes room for `count` more bytes. */
  reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.length + count))
    this.bytes.copy(larger, 0, 0, this.length)
    this.bytes = larger
  }

  byte(x: number): void {
    this.reserve(1)
    this.bytes[this.length++] = x
  }

  /** @param x a safe integer, 0 or more */
  varint(x: number): void {
    this.reserve(8)
    const { bytes } = this
    let at = this.length
    let rest = x
    while (rest >= 128) {
      bytes[at++] = (rest % 128) | 128
      rest = rest < 2 ** 31 ? rest >>> 7 : Math.floor(rest / 128)
    }
    bytes[at++] = rest
    this.length = at
  }

  /** @param x an integer of at most 52 bits and a sign */
  zigzag(x: number): void {
    this.varint(x < 0 ? -2 * x - 1 : 2 * x)
  }

  double(x: number): void {
    this.reserve(8)
    this.length = this.bytes.writeDoubleLE(x, this.length)
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length)
    this.bytes.set(bytes, this.length)
    this.length += bytes.length
  }

  /** Forgets what was written. */
  reset(): void {
    this.length = 0
  }

  /** @returns a copy of what was written; the writer is empty afterwards */
  take(): Buffer {
    const copy = Buffer.from(this.bytes.subarray(0, this.length))
    this.length = 0
    return copy
  }
}
