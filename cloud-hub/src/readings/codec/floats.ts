import type { ByteReader } from './byte-reader.ts'
import type { ByteWriter } from './byte-writer.ts'
import { readCompressed, skipCompressed, writeCompressed } from './compressed.ts'
import { CorruptReadings } from './corrupt.ts'
import type { Form } from './format.ts'
import { scratchBytes } from './scratch.ts'

/** Whether 32 bits hold every value. */
export function isSingle(values: Float64Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (!Object.is(Math.fround(values[i] as number), values[i])) return false
  return true
}

/**
 * Writes IEEE 754 values as planes of their bytes, the lowest first.
 * @param size bytes of a value: 4 where {@link isSingle}, else 8
 */
export function encodeFloats(out: ByteWriter, values: Float64Array, from: number, to: number, size: 4 | 8, form: Form): void {
  const count = to - from
  const own = values.subarray(from, to)
  assertFinite(own, () => new RangeError('a value is not finite'))
  const bytes = new Uint8Array(size === 4 ? Float32Array.from(own).buffer : own.slice().buffer)
  const planes = scratchBytes(size * count)
  for (let w = 0; w < size; w++) for (let i = 0; i < count; i++) planes[w * count + i] = bytes[i * size + w] as number
  for (let w = 0; w < size; w++) {
    const plane = planes.subarray(w * count, (w + 1) * count)
    if (form === 'hot') out.append(plane)
    else writeCompressed(out, plane)
  }
}

export function decodeFloats(input: ByteReader, into: Float64Array, at: number, count: number, size: 4 | 8, form: Form): void {
  let planes = input.bytes
  let offset = 0
  if (form === 'hot') offset = input.skip(size * count)
  else {
    planes = scratchBytes(size * count)
    for (let w = 0; w < size; w++) readCompressed(input, planes, w * count, count)
  }
  if (size === 4) {
    const values = new Float32Array(joinPlanes(planes, offset, count).buffer)
    into.set(values, at)
  } else {
    const words = new Uint32Array(into.buffer, into.byteOffset + 8 * at, 2 * count)
    joinPlanes(planes, offset, count, words, 0, 2)
    joinPlanes(planes, offset + 4 * count, count, words, 1, 2)
  }
  assertFinite(into.subarray(at, at + count), () => new CorruptReadings('a value is not finite'))
}

/** Joins four planes, the lowest byte first, to words at every `step` from index `at` on. */
function joinPlanes(
  planes: Uint8Array,
  offset: number,
  count: number,
  into: Uint32Array = new Uint32Array(count),
  at = 0,
  step = 1,
): Uint32Array {
  const [second, third, fourth] = [offset + count, offset + 2 * count, offset + 3 * count]
  for (let i = 0; i < count; i++)
    into[at + i * step] =
      (planes[offset + i] as number) |
      ((planes[second + i] as number) << 8) |
      ((planes[third + i] as number) << 16) |
      ((planes[fourth + i] as number) << 24)
  return into
}

export function skipFloats(input: ByteReader, count: number, size: 4 | 8, form: Form): void {
  if (form === 'hot') input.skip(size * count)
  else for (let w = 0; w < size; w++) skipCompressed(input, count)
}

/** Zero times a finite value is zero, else NaN; a sum finds one NaN without a branch per value. */
function assertFinite(values: Float32Array | Float64Array, error: () => Error): void {
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += (values[i] as number) * 0
  if (sum !== 0) throw error()
}
