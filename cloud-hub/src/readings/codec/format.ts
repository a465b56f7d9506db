import type { ByteReader } from './byte-reader.ts'
import { CorruptReadings } from './corrupt.ts'

/** `hot`: as fast as possible, for the tail. `sealed`: as small as possible, for blocks. */
export type Form = 'hot' | 'sealed'

/** The first byte of every encoded column. */
export const FORMAT = 1

/** Readings of a section and of a block; it bounds what a reader allocates. */
export const MAX_READINGS = 131_072

export function readFormat(input: ByteReader): void {
  const format = input.byte()
  if (format !== FORMAT) throw new CorruptReadings(`format ${format} where this version knows ${FORMAT}`)
}

/** @throws RangeError unless 1 to {@link MAX_READINGS} readings, all inside the array */
export function assertRange(array: Float64Array, from: number, count: number): void {
  if (!(count >= 1 && count <= MAX_READINGS && from >= 0 && from + count <= array.length))
    throw new RangeError(`${count} readings from ${from} of ${array.length}`)
}
