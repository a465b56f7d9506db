import { CorruptReadings } from './corrupt.ts'

/**
 * Reads what `ByteWriter` wrote. No method reads beyond the end.
 * @throws CorruptReadings from every method where the bytes end early or hold no such number
 */
export class ByteReader {
  readonly bytes: Buffer
  position: number

  constructor(bytes: Buffer, position = 0) {
    this.bytes = bytes
    this.position = position
  }

  get remaining(): number {
    return this.bytes.length - this.position
  }

  byte(): number {
    return this.bytes[this.skip(1)] as number
  }

  /** @returns a safe integer, 0 or more */
  varint(): number {
    const { bytes } = this
    // beyond the end undefined reads as 0 and ends the loop; the check below finds it
    let byte = bytes[this.position++] as number
    let x = byte & 127
    for (let unit = 128; byte >= 128 && unit <= 2 ** 49; unit *= 128) {
      byte = bytes[this.position++] as number
      x += (byte & 127) * unit
    }
    if (this.position > bytes.length) throw new CorruptReadings('bytes end within a number')
    if (byte >= 128 || x > Number.MAX_SAFE_INTEGER) throw new CorruptReadings('a number is too large')
    return x
  }

  zigzag(): number {
    const x = this.varint()
    return x % 2 ? -(x + 1) / 2 : x / 2
  }

  double(): number {
    return this.bytes.readDoubleLE(this.skip(8))
  }

  /** Passes over bytes. @returns the position of the first */
  skip(count: number): number {
    const from = this.position
    if (count > this.bytes.length - from) throw new CorruptReadings(`bytes end ${count - (this.bytes.length - from)} early`)
    this.position = from + count
    return from
  }

  /** Reads a number of things, each of which there may be `most` of. */
  count(most: number): number {
    const count = this.varint()
    if (count < 1 || count > most) throw new CorruptReadings(`${count} items where 1 to ${most} may be`)
    return count
  }

  /** Asserts that nothing follows. */
  end(): void {
    if (this.remaining !== 0) throw new CorruptReadings(`${this.remaining} bytes follow the end`)
  }
}
