import type { ReadingBatch } from '../batch.ts'
import { READING_LIMITS, type Series } from '../reading.ts'
import { BODY_LENGTH_AT, type Deflate, type Inflate, MAGIC, readBatchId, uuidBytes, withBatchId } from './batch-codec.ts'
import { BatchError } from './batch-error.ts'
import { ByteReader, ByteWriter } from './bytes.ts'
import { crc32 } from './crc32.ts'
import { BatchDictionary, DICTIONARY_BYTES_MAX, hexOf, REFERENCE_BYTES, type Sha256 } from './dictionary.ts'
import { runsOf } from './layout.ts'
import { ONE_INSTANT, readRows, WHOLE, writeRows } from './rows-body.ts'

/** The version of batches that refer to a dictionary, and of the message that announces one. */
export const DICTIONARY_BATCH_VERSION = 2
/** The versions of batches that this code reads. */
export const WIRE_VERSIONS: readonly number[] = [1, DICTIONARY_BATCH_VERSION]

/** The third byte: flags of the body, or that this is a dictionary, compressed or not. */
const DEFLATED = 1
const DICTIONARY = 0x80
const REFERENCE_AT = BODY_LENGTH_AT
const CHECKSUM_BYTES = 4

/**
 * A batch that names its series by numbers of a dictionary.
 * @param numbers of each series of the batch, in its order
 * @throws BatchError as `encodeBatch` does; also for a timestamp beyond 2^50
 */
export function encodeDictionaryBatch(batch: ReadingBatch, dictionary: BatchDictionary, numbers: ArrayLike<number>): Uint8Array {
  const count = batch.seriesIndex.length
  if (count === 0) throw new BatchError('malformed', 'a batch holds at least one reading')
  if (count > READING_LIMITS.readingsPerRequest) throw new BatchError('too_large', 'a batch holds at most 1,000 readings')
  if (batch.timestamps.length !== count || batch.values.length !== count)
    throw new BatchError('malformed', 'the columns of a batch have one length')
  const { series } = dictionary
  const runs = runsOf(batch.seriesIndex, (index) => {
    const number = numbers[index]
    if (number === undefined || !(number < series.length))
      throw new BatchError('malformed', 'a reading belongs to a series that the dictionary does not have')
    return number
  })
  const body = new ByteWriter()
  const { timestamps, values } = batch
  const flags = writeRows(body, { runs, timestamps, values }, dictionary)
  const out = new ByteWriter()
  out.reserve(body.length + 32)
  writeHead(out, flags, batch.batchId)
  out.append(dictionary.name.subarray(0, REFERENCE_BYTES))
  writeChecksum(out, checksumOf(out.written(), dictionary, body.written()))
  out.append(body.written())
  return out.written().slice()
}

/** Over the whole name of the dictionary, of which a batch shows the first bytes: with another one, a batch is damaged. */
const checksumOf = (head: Uint8Array, { name }: BatchDictionary, body: Uint8Array): number =>
  crc32(body, crc32(name, crc32(head)))

function writeHead(out: ByteWriter, flags: number, id: string): void {
  out.byte(MAGIC)
  out.byte(DICTIONARY_BATCH_VERSION)
  out.byte(flags)
  out.append(uuidBytes(id))
}

function writeChecksum(out: ByteWriter, checksum: number): void {
  for (let shift = 0; shift < 32; shift += 8) out.byte((checksum >>> shift) & 0xff)
}

function readChecksum(from: ByteReader): number {
  const [a, b, c, d] = from.take(CHECKSUM_BYTES) as unknown as [number, number, number, number]
  return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0
}

/** What a message on the topic `readings` is; `other` includes batches of version 1 and everything that is none. */
export type MessageKind = { kind: 'dictionary' } | { kind: 'dictionary batch'; reference: string } | { kind: 'other' }

export function kindOf(bytes: Uint8Array): MessageKind {
  if (bytes[0] !== MAGIC || bytes[1] !== DICTIONARY_BATCH_VERSION || bytes.length < REFERENCE_AT) return { kind: 'other' }
  if ((bytes[2] as number) & DICTIONARY) return { kind: 'dictionary' }
  return { kind: 'dictionary batch', reference: hexOf(bytes.subarray(REFERENCE_AT, REFERENCE_AT + REFERENCE_BYTES)) }
}

/**
 * Bytes as a batch. Whatever the bytes are, this ends in time and memory bounded by 1,000 readings.
 * @returns the series of the dictionary itself, or of some of it: the same array for the same series
 * @throws BatchError; `damaged` also where the batch refers to another dictionary
 */
export function decodeDictionaryBatch(bytes: Uint8Array, dictionary: BatchDictionary): ReadingBatch {
  const batchId = readBatchId(bytes)
  try {
    return decode(bytes, batchId as string, dictionary)
  } catch (error) {
    throw withBatchId(error, batchId)
  }
}

function decode(bytes: Uint8Array, batchId: string, dictionary: BatchDictionary): ReadingBatch {
  if (kindOf(bytes).kind !== 'dictionary batch') throw new BatchError('malformed', 'this is no batch that refers to a dictionary')
  const flags = bytes[2] as number
  if (flags & ~(WHOLE | ONE_INSTANT)) throw new BatchError('unknown_compression', `there are no flags ${flags}`)
  const from = new ByteReader(bytes)
  from.position = REFERENCE_AT
  from.take(REFERENCE_BYTES)
  const head = bytes.subarray(0, from.position)
  const checksum = readChecksum(from)
  if (checksumOf(head, dictionary, bytes.subarray(from.position)) !== checksum)
    throw new BatchError('damaged', 'the checksum of the batch differs')
  if (flags & WHOLE && dictionary.series.length > READING_LIMITS.readingsPerRequest)
    throw new BatchError('too_large', 'a batch holds at most 1,000 readings')
  const { runs, timestamps, values, layout } = readRows(from, flags, dictionary)
  const { series, places } = selectionOf(dictionary, flags, runs.series, layout)
  const seriesIndex = new Uint32Array(values.length)
  for (let run = 0; run < places.length; run++)
    seriesIndex.fill(places[run] as number, runs.starts[run] as number, runs.starts[run + 1] as number)
  return { batchId, series, seriesIndex, timestamps, values }
}

function selectionOf(
  dictionary: BatchDictionary,
  flags: number,
  numbers: Uint32Array,
  layout: Uint8Array,
): { series: readonly Series[]; places: Uint32Array } {
  if (flags & WHOLE) return { series: dictionary.series, places: numbers }
  return dictionary.select(hexOf(layout), numbers)
}

/** The message that announces a dictionary. @param id a UUID, by which the hub answers */
export function encodeDictionary(id: string, { content }: BatchDictionary, deflate: Deflate): Uint8Array {
  const packed = deflate(content)
  const isSmaller = packed.length < content.length
  const out = new ByteWriter()
  writeHead(out, DICTIONARY | (isSmaller ? DEFLATED : 0), id)
  out.varint(content.length)
  writeChecksum(out, crc32(content, crc32(out.written())))
  out.append(isSmaller ? packed : content)
  return out.written().slice()
}

/** The dictionary that a message announces; its name is computed from its content. @throws BatchError */
export function decodeDictionary(
  bytes: Uint8Array,
  inflate: Inflate,
  sha256: Sha256,
): { id: string; dictionary: BatchDictionary } {
  const id = readBatchId(bytes)
  try {
    return { id: id as string, dictionary: decodeContent(bytes, inflate, sha256) }
  } catch (error) {
    throw withBatchId(error, id)
  }
}

function decodeContent(bytes: Uint8Array, inflate: Inflate, sha256: Sha256): BatchDictionary {
  if (kindOf(bytes).kind !== 'dictionary') throw new BatchError('malformed', 'this announces no dictionary')
  const flags = bytes[2] as number
  if (flags & ~(DICTIONARY | DEFLATED)) throw new BatchError('unknown_compression', `there are no flags ${flags}`)
  const from = new ByteReader(bytes)
  from.position = BODY_LENGTH_AT
  const length = from.varint()
  if (length > DICTIONARY_BYTES_MAX) throw new BatchError('too_large', 'the dictionary is too large')
  const head = bytes.subarray(0, from.position)
  const checksum = readChecksum(from)
  const content = contentOf(flags, from.take(from.remaining), length, inflate)
  if (content.length !== length || crc32(content, crc32(head)) !== checksum)
    throw new BatchError('damaged', 'the checksum of the dictionary differs')
  return BatchDictionary.read(content, sha256)
}

function contentOf(flags: number, packed: Uint8Array, length: number, inflate: Inflate): Uint8Array {
  if (!(flags & DEFLATED)) return packed.slice()
  try {
    return inflate(packed, length)
  } catch (cause) {
    throw new BatchError('damaged', 'the dictionary cannot be decompressed', { cause })
  }
}
