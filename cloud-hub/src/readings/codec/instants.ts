import { ByteReader } from './byte-reader.ts'
import { ByteWriter } from './byte-writer.ts'
import { CorruptReadings } from './corrupt.ts'
import { FORMAT, MAX_READINGS, readFormat } from './format.ts'
import { decodeTimes, encodeTimes } from './times.ts'

const writer = new ByteWriter()

/** Encodes any number of instants: Unix ms, whole, strictly ascending. */
export function encodeInstants(times: Float64Array): Buffer {
  writer.reset()
  writer.byte(FORMAT)
  for (let from = 0; from < times.length; from += MAX_READINGS) {
    const to = Math.min(times.length, from + MAX_READINGS)
    writer.varint(to - from)
    encodeTimes(writer, times, from, to, 'sealed')
  }
  return writer.take()
}

/** @throws CorruptReadings */
export function decodeInstants(bytes: Buffer): Float64Array {
  const input = new ByteReader(bytes)
  readFormat(input)
  const pieces: Float64Array[] = []
  while (input.remaining > 0) {
    const piece = new Float64Array(input.count(MAX_READINGS))
    decodeTimes(input, piece, 0, piece.length, 'sealed')
    if ((piece[0] as number) <= (pieces.at(-1)?.at(-1) ?? Number.NEGATIVE_INFINITY))
      throw new CorruptReadings('pieces do not ascend')
    pieces.push(piece)
    // only the last piece is shorter
    if (piece.length < MAX_READINGS) input.end()
  }
  const times = new Float64Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    times.set(piece, at)
    at += piece.length
  }
  return times
}
