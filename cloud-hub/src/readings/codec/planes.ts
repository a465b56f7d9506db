import type { ByteReader } from './byte-reader.ts'
import type { ByteWriter } from './byte-writer.ts'
import { readCompressed, skipCompressed, writeCompressed } from './compressed.ts'
import { CorruptReadings } from './corrupt.ts'
import type { Form } from './format.ts'
import { scratchBytes } from './scratch.ts'

/** Bytes of the largest integer: 53 bits. */
const MAX_WIDTH = 7

/** Integers by byte: the low bytes of all, then their second bytes, and so on. Each plane has as many bytes as there are integers. */
export interface Planes {
  bytes: Buffer
  /** where the lowest plane begins */
  offset: number
  /** number of planes; 0: all integers are 0 */
  width: number
}

/**
 * Writes the first `count` integers.
 * @param max the largest of them; none is below 0
 */
export function writePlanes(out: ByteWriter, numbers: Float64Array, count: number, max: number, form: Form): void {
  let width = 0
  for (let rest = max; rest >= 1; rest = Math.floor(rest / 256)) width++
  out.byte(width)
  if (form === 'hot') {
    out.reserve(width * count)
    split(numbers, count, width, out.bytes, out.length)
    out.length += width * count
    return
  }
  const planes = scratchBytes(width * count)
  split(numbers, count, width, planes, 0)
  for (let w = 0; w < width; w++) writeCompressed(out, planes.subarray(w * count, (w + 1) * count))
}

/** Reads planes of `count` integers. They are valid until the codec's next call. */
export function readPlanes(input: ByteReader, count: number, form: Form): Planes {
  const width = readWidth(input)
  if (form === 'hot') return { bytes: input.bytes, offset: input.skip(width * count), width }
  const bytes = scratchBytes(width * count)
  for (let w = 0; w < width; w++) readCompressed(input, bytes, w * count, count)
  return { bytes, offset: 0, width }
}

export function skipPlanes(input: ByteReader, count: number, form: Form): void {
  const width = readWidth(input)
  if (form === 'hot') input.skip(width * count)
  else for (let w = 0; w < width; w++) skipCompressed(input, count)
}

function readWidth(input: ByteReader): number {
  const width = input.byte()
  if (width > MAX_WIDTH) throw new CorruptReadings(`integers of ${width} bytes`)
  return width
}

function split(numbers: Float64Array, count: number, width: number, into: Buffer, at: number): void {
  if (width === 1) for (let i = 0; i < count; i++) into[at + i] = numbers[i] as number
  else if (width === 2)
    for (let i = 0; i < count; i++) {
      const x = numbers[i] as number
      into[at + i] = x & 255
      into[at + count + i] = x >>> 8
    }
  else
    for (let i = 0; i < count; i++) {
      let x = numbers[i] as number
      for (let w = 0; w < width; w++) {
        into[at + w * count + i] = x % 256
        x = Math.floor(x / 256)
      }
    }
}
