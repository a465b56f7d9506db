import type { ReadingBatch } from '../batch.ts'
import { READING_LIMITS } from '../reading.ts'
import { BatchError } from './batch-error.ts'
import { BitReader, BitWriter } from './bits.ts'
import { ByteReader, ByteWriter } from './bytes.ts'
import { crc32 } from './crc32.ts'
import { readSeries, type SeriesMemory, writeSeries } from './series-table.ts'
import { type RunStarts, readTimestamps, writeTimestamps } from './timestamp-column.ts'
import { readValues, writeValues } from './value-column.ts'

/** Raw deflate (RFC 1951) of one batch body. */
export type Deflate = (bytes: Uint8Array) => Uint8Array

/**
 * The reverse. It must throw (anything) when the stream is damaged, ends early or has trailing bytes. It must also throw as soon
 * as the output would exceed `maxBytes`, before it has filled memory.
 */
export type Inflate = (bytes: Uint8Array, maxBytes: number) => Uint8Array

/** The version that names its series; `dictionary-batch.ts` has the one that refers to a dictionary. */
export const BATCH_VERSION = 1
/** A body is never larger before compression: 1,000 series with the longest names take about 1.1 MB. */
export const BATCH_BODY_BYTES_MAX = 4 * 1_048_576

export const MAGIC = 0x48 // H
const UNCOMPRESSED = 0
const DEFLATED = 1
/** Magic, version, compression, batch id: at these places in every version, so that a batch can be refused by id whatever follows. */
export const ID_AT = 3
export const BODY_LENGTH_AT = ID_AT + 16

/**
 * A batch as bytes; `vectors/README.md` describes them one by one.
 * @throws BatchError for a batch that cannot be encoded: no readings or more than 1,000, columns of different length, a value
 * that is not finite, a timestamp that is no safe integer, text with NUL or lone surrogates, an id that is no UUID
 */
export function encodeBatch(batch: ReadingBatch, deflate: Deflate): Uint8Array {
  const count = batch.seriesIndex.length
  if (count === 0) throw new BatchError('malformed', 'a batch holds at least one reading')
  if (count > READING_LIMITS.readingsPerRequest) throw new BatchError('too_large', 'a batch holds at most 1,000 readings')
  if (batch.timestamps.length !== count || batch.values.length !== count) {
    throw new BatchError('malformed', 'the columns of a batch have one length')
  }
  if (batch.series.length > count) throw new BatchError('malformed', 'a batch names more series than it has readings')
  const body = new ByteWriter()
  body.varint(count)
  body.varint(batch.series.length)
  writeSeries(body, batch.series)
  const starts = writeRuns(body, batch)
  writeTimestamps(body, batch.timestamps, starts)
  const noise = new BitWriter()
  writeValues(body, noise, batch.values, starts)
  const plain = body.written()
  const bits = noise.written()
  if (plain.length + bits.length > BATCH_BODY_BYTES_MAX) throw new BatchError('too_large', 'the body of a batch is too large')
  const packed = deflate(plain)
  const isSmaller = packed.length < plain.length

  const out = new ByteWriter()
  out.byte(MAGIC)
  out.byte(BATCH_VERSION)
  out.byte(isSmaller ? DEFLATED : UNCOMPRESSED)
  out.append(uuidBytes(batch.batchId))
  out.varint(plain.length)
  out.varint(bits.length)
  const checksum = crc32(bits, crc32(plain, crc32(out.written())))
  for (let shift = 0; shift < 32; shift += 8) out.byte((checksum >>> shift) & 0xff)
  out.append(isSmaller ? packed : plain)
  out.append(bits)
  return out.written().slice()
}

/** Which series each reading belongs to, as runs of neighbours: (series, length). */
function writeRuns(out: ByteWriter, { seriesIndex, series }: ReadingBatch): RunStarts {
  const starts: number[] = []
  for (let i = 0; i < seriesIndex.length; i++) if (i === 0 || seriesIndex[i] !== seriesIndex[i - 1]) starts.push(i)
  out.varint(starts.length)
  starts.push(seriesIndex.length)
  for (let run = 0; run + 1 < starts.length; run++) {
    const start = starts[run] as number
    const index = seriesIndex[start] as number
    if (index >= series.length) throw new BatchError('malformed', 'a reading belongs to a series that the batch does not name')
    out.varint(index)
    out.varint((starts[run + 1] as number) - start)
  }
  return starts
}

/**
 * Bytes as a batch. Whatever the bytes are, this ends in time and memory bounded by {@link BATCH_BODY_BYTES_MAX} and 1,000 readings.
 * @param memory finds the series of earlier batches; the same series are then the same array
 * @throws BatchError, with the batch id whenever the header could be read
 */
export function decodeBatch(bytes: Uint8Array, inflate: Inflate, memory?: SeriesMemory): ReadingBatch {
  const batchId = readBatchId(bytes)
  try {
    return decodeNamed(bytes, batchId, inflate, memory)
  } catch (error) {
    throw withBatchId(error, batchId)
  }
}

/** The id of a batch of any version, canonical and in lower case; null when the bytes are not a batch or end before it. */
export function readBatchId(bytes: Uint8Array): string | null {
  if (bytes[0] !== MAGIC || bytes.length < BODY_LENGTH_AT) return null
  let hex = ''
  for (let i = ID_AT; i < BODY_LENGTH_AT; i++) hex += HEX[bytes[i] as number]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

function decodeNamed(bytes: Uint8Array, batchId: string | null, inflate: Inflate, memory?: SeriesMemory): ReadingBatch {
  if (bytes.length > 0 && bytes[0] !== MAGIC) throw new BatchError('not_a_batch', 'these bytes are not a batch')
  if (bytes.length > 1 && bytes[1] !== BATCH_VERSION) throw new BatchError('unknown_version', `there is no version ${bytes[1]}`)
  if (batchId === null) throw new BatchError('truncated', 'the batch ends within its header')
  const head = new ByteReader(bytes)
  head.position = BODY_LENGTH_AT
  const bodyLength = head.varint()
  const bitsLength = head.varint()
  if (bodyLength + bitsLength > BATCH_BODY_BYTES_MAX) throw new BatchError('too_large', 'the body of the batch is too large')
  const checked = bytes.subarray(0, head.position)
  const [a, b, c, d] = head.take(4) as unknown as [number, number, number, number]
  const checksum = (a | (b << 8) | (c << 16) | (d << 24)) >>> 0
  if (bitsLength > head.remaining) throw new BatchError('truncated', 'the batch ends within its body')
  const body = readBody(bytes[2] as number, head.take(head.remaining - bitsLength), bodyLength, inflate)
  const tail = head.take(bitsLength)
  if (crc32(tail, crc32(body, crc32(checked))) !== checksum) throw new BatchError('damaged', 'the checksum of the batch differs')

  const from = new ByteReader(body)
  const count = from.varint()
  if (count > READING_LIMITS.readingsPerRequest) throw new BatchError('too_large', 'a batch holds at most 1,000 readings')
  const seriesCount = from.varint()
  if (count === 0 || seriesCount > count) throw new BatchError('malformed', 'the counts of the batch contradict each other')
  const series = readSeries(from, seriesCount, memory)
  const seriesIndex = new Uint32Array(count)
  const timestamps = new Float64Array(count)
  const values = new Float64Array(count)
  const starts = readRuns(from, seriesIndex, seriesCount)
  readTimestamps(from, timestamps, starts)
  const bits = new BitReader(tail)
  readValues(from, bits, values, starts)
  bits.end()
  if (from.remaining > 0) throw new BatchError('trailing_bytes', 'bytes are left over after the last value')
  return { batchId, series, seriesIndex, timestamps, values }
}

function readBody(compression: number, packed: Uint8Array, length: number, inflate: Inflate): Uint8Array {
  if (compression === UNCOMPRESSED) {
    if (packed.length < length) throw new BatchError('truncated', 'the batch ends within its body')
    if (packed.length > length) throw new BatchError('trailing_bytes', 'bytes are left over after the body')
    return packed
  }
  if (compression !== DEFLATED) throw new BatchError('unknown_compression', `there is no compression ${compression}`)
  let body: Uint8Array
  try {
    body = inflate(packed, length)
  } catch (cause) {
    throw new BatchError('damaged', 'the body of the batch cannot be decompressed', { cause })
  }
  if (body.length !== length) throw new BatchError('damaged', 'the body of the batch has another length than its header says')
  return body
}

function readRuns(from: ByteReader, seriesIndex: Uint32Array, seriesCount: number): RunStarts {
  const runs = from.varint()
  if (runs > seriesIndex.length) throw new BatchError('malformed', 'a batch has more runs than readings')
  const starts: number[] = []
  let start = 0
  for (let run = 0; run < runs; run++) {
    const index = from.varint()
    const length = from.varint()
    if (index >= seriesCount) throw new BatchError('malformed', 'a reading belongs to a series that the batch does not name')
    if (length === 0 || start + length > seriesIndex.length) throw new BatchError('malformed', 'a run has an impossible length')
    seriesIndex.fill(index, start, start + length)
    starts.push(start)
    start += length
  }
  if (start !== seriesIndex.length) throw new BatchError('malformed', 'the runs do not cover the readings')
  starts.push(start)
  return starts
}

/** Adds the batch id to an error of its content. */
export function withBatchId(error: unknown, batchId: string | null): unknown {
  if (!(error instanceof BatchError) || batchId === null || error.batchId !== null) return error
  return new BatchError(error.code, error.message, { batchId, cause: error.cause })
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function uuidBytes(uuid: string): Uint8Array {
  if (!UUID.test(uuid)) throw new BatchError('malformed', 'the batch id is not a UUID')
  const hex = uuid.replaceAll('-', '')
  return Uint8Array.from({ length: 16 }, (_, i) => Number.parseInt(hex.slice(i * 2, i * 2 + 2), 16))
}
