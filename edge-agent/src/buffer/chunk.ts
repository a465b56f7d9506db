import { randomUUID } from 'node:crypto'
import {
  BatchError,
  decodeBatch,
  encodeBatch,
  isStorableText,
  MAX_PACKET_BYTES,
  READING_LIMITS,
  type Reading,
  type ReadingBatch,
  type Series,
  toColumns,
  toReadings,
} from '@haltless/protocol'
import { deflate, inflate } from '../support/compression.ts'

/** Readings as they lie on disk, which is also how they are sent: an encoded batch with an id of its own. */
export interface Chunk {
  batchId: string
  count: number
  body: Uint8Array
}

/** Leaves room for topic and packet header below the broker's limit. */
const CHUNK_BYTES_MAX = MAX_PACKET_BYTES - 4_096
/** The years 1 to 9999: what ISO 8601 says in four digits, as HTTP carries timestamps. */
const TIMESTAMP_MIN = -62_135_596_800_000
const TIMESTAMP_MAX = 253_402_300_799_999

/**
 * Packs readings into as few chunks as the limits of a batch allow.
 * @throws BatchError `bad_text` or `bad_number` when one is not {@link isSendable}
 */
export function packChunks(readings: readonly Reading[]): Chunk[] {
  const chunks: Chunk[] = []
  for (let at = 0; at < readings.length; at += READING_LIMITS.readingsPerRequest) {
    packOne(readings.slice(at, at + READING_LIMITS.readingsPerRequest), chunks)
  }
  return chunks
}

function packOne(readings: readonly Reading[], into: Chunk[]): void {
  const batchId = randomUUID()
  const columns = toColumns(readings)
  // What the codec does not look at; it refuses the rest itself. By column: by reading it would double the cost of an append.
  if (!columns.series.every(isNamed)) throw new BatchError('bad_text', 'a name is empty or too long')
  if (!columns.timestamps.every(isDate)) throw new BatchError('bad_number', 'a timestamp is no date')
  const body = encodeIfSmall({ batchId, ...columns })
  if (body) {
    into.push({ batchId, count: readings.length, body })
    return
  }
  const half = readings.length >> 1
  packOne(readings.slice(0, half), into)
  packOne(readings.slice(half), into)
}

/** @returns null when the batch must be cut: a single reading always fits, its names being at most 1,000 characters each */
function encodeIfSmall(batch: ReadingBatch): Uint8Array | null {
  try {
    const body = encodeBatch(batch, deflate)
    return body.length <= CHUNK_BYTES_MAX ? body : null
  } catch (error) {
    if (error instanceof BatchError && error.code === 'too_large') return null
    throw error
  }
}

/** @throws BatchError when the bytes were damaged on disk */
export const unpack = (body: Uint8Array): ReadingBatch => decodeBatch(body, inflate)

/** Several chunks as one. @returns null when together they would be too large to be sent */
export function mergeChunks(bodies: readonly Uint8Array[]): Chunk | null {
  const merged = packChunks(bodies.flatMap((body) => toReadings(unpack(body))))
  return merged.length === 1 ? (merged[0] as Chunk) : null
}

/** Whether a reading can be told on the wire at all. What cannot is a fault of a collector, and is parked at once. */
const isSendable = (reading: Reading): boolean =>
  Number.isFinite(reading.value) &&
  Number.isInteger(reading.timestamp) &&
  isDate(reading.timestamp) &&
  isNamed(reading) &&
  [reading.machine, reading.metric, reading.unit, reading.rawTag ?? ''].every(isStorableText)

const isDate = (timestamp: number): boolean => timestamp >= TIMESTAMP_MIN && timestamp <= TIMESTAMP_MAX
const isNamed = ({ machine, metric, unit, rawTag }: Series): boolean =>
  isName(machine) && isName(metric) && isName(unit) && (rawTag === null || isName(rawTag))
const isName = (text: string): boolean => text.length > 0 && text.length <= 1_000

/** Packs what can be sent and says what cannot. Nearly always every reading can be sent, so only packing that fails looks at them one by one. */
export function packSendable(readings: readonly Reading[]): {
  chunks: Chunk[]
  good: readonly Reading[]
  bad: readonly Reading[]
} {
  try {
    return { chunks: packChunks(readings), good: readings, bad: [] }
  } catch (error) {
    if (!(error instanceof BatchError)) throw error
    const good = readings.filter(isSendable)
    return { chunks: packChunks(good), good, bad: readings.filter((reading) => !isSendable(reading)) }
  }
}
