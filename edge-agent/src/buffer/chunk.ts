import { randomUUID } from 'node:crypto'
import {
  BatchError,
  decodeBatch,
  encodeBatch,
  isStorableText,
  MAX_PACKET_BYTES,
  mergeColumns,
  READING_LIMITS,
  type ReadingBatch,
  type ReadingColumns,
  readBatchId,
  type Series,
  sliceColumns,
} from '@haltless/protocol'
import { deflate, inflate } from '../support/compression.ts'
import { isPackedPolls, packPolledColumns, readPackedPolls } from './packed-polls.ts'
import { isPoll, type Poll, readPoll, writePoll } from './poll.ts'
import type { SeriesDictionary } from './series-dictionary.ts'

/**
 * Readings as stored on disk, at most a thousand: a poll in its own format, packed polls, or an encoded batch. Each of them can be sent as one packet.
 */
export interface Chunk {
  count: number
  body: Uint8Array
}

/** An encoded batch, with the names of its series. */
interface BatchChunk extends Chunk {
  batchId: string
}

/** Readings as they are sent, on whichever way. */
export interface OutgoingBatch {
  readonly batchId: string
  readonly count: number
  columns(): ReadingBatch
  /** encoded with the names of its series, which every hub reads; fits into a packet */
  named(): Uint8Array
  /** whether it was made of polls: readings of few instants, whose names would take more than their values */
  readonly isPolled: boolean
}

/** Leaves room for topic and packet header below the broker's limit. */
const CHUNK_BYTES_MAX = MAX_PACKET_BYTES - 4_096
/** Maximum encoded size of a reading without its names: timestamp, value and their column overhead. */
const NUMBER_BYTES_MAX = 40
/** From this many readings per series, an append is encoded as a batch at once: the series names add little. */
const MANY_OF_A_SERIES = 8

/**
 * Packs polls in the disk format. Every reading is {@link isSendable}. Runs inside a transaction, because new series get numbers.
 */
export function packPolls(polls: readonly ReadingColumns[], dictionary: SeriesDictionary): Chunk[] {
  const count = polls.reduce((sum, { values }) => sum + values.length, 0)
  const seriesCount = polls.reduce((sum, { series }) => sum + series.length, 0)
  if (count >= MANY_OF_A_SERIES * seriesCount) return packBatches(mergeColumns(polls))
  const all: Poll = {
    seriesIds: new Uint32Array(count),
    timestamps: new Float64Array(count),
    values: new Float64Array(count),
  }
  const chunks: Chunk[] = []
  let at = 0
  let start = 0
  let bytes = 0
  const cut = () => {
    if (at > start) chunks.push({ count: at - start, body: writePoll(all, start, at) })
    start = at
    bytes = 0
  }
  for (const { series, seriesIndex, timestamps, values } of polls) {
    const numbers = dictionary.numbersOf(series)
    const sizes = namesOf(series)
    all.timestamps.set(timestamps, at)
    all.values.set(values, at)
    for (let i = 0; i < seriesIndex.length; i++) {
      const index = seriesIndex[i] as number
      const size = (sizes[index] as number) + NUMBER_BYTES_MAX
      if (at - start === READING_LIMITS.readingsPerRequest || bytes + size > CHUNK_BYTES_MAX) cut()
      all.seriesIds[at++] = numbers[index] as number
      bytes += size
    }
  }
  cut()
  return chunks
}

/** Packs series-major columns of polls for a long stay, under the numbers of their series. Inside a transaction. */
export function packForLong(columns: ReadingColumns, dictionary: SeriesDictionary): Chunk[] {
  const { length } = columns.values
  const chunks: Chunk[] = []
  for (let at = 0; at < length; at += READING_LIMITS.readingsPerRequest) {
    const slice = sliceColumns(columns, at, Math.min(length, at + READING_LIMITS.readingsPerRequest))
    const [first, last] = [slice.seriesIndex[0] as number, slice.seriesIndex.at(-1) as number]
    // Names so long that a packet may not hold all: only encoding tells.
    if (!isSurelySmall({ ...slice, series: columns.series.slice(first, last + 1) })) packOne(slice, chunks as BatchChunk[])
    else chunks.push({ count: slice.values.length, body: packPolledColumns(slice, dictionary) })
  }
  return chunks
}

/** Packs series-major columns into as few batches as the limits of a batch allow. Every reading is {@link isSendable}. */
export function packBatches(columns: ReadingColumns): BatchChunk[] {
  const chunks: BatchChunk[] = []
  const count = columns.values.length
  for (let at = 0; at < count; at += READING_LIMITS.readingsPerRequest) {
    packOne(sliceColumns(columns, at, Math.min(count, at + READING_LIMITS.readingsPerRequest)), chunks)
  }
  return chunks
}

function packOne(columns: ReadingColumns, into: BatchChunk[]): void {
  const { seriesIndex } = columns
  const count = seriesIndex.length
  const batchId = randomUUID()
  // Series-major: those of a slice are neighbours
  const [first, last] = [seriesIndex[0] as number, seriesIndex[count - 1] as number]
  const series = columns.series.slice(first, last + 1)
  const body = encodeIfSmall({ ...columns, batchId, series, seriesIndex: seriesIndex.map((index) => index - first) })
  if (body) {
    into.push({ batchId, count, body })
    return
  }
  packOne(sliceColumns(columns, 0, count >> 1), into)
  packOne(sliceColumns(columns, count >> 1, count), into)
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

/** The batch whose bytes these are. @throws BatchError when they were damaged on disk */
export const decodeStoredBatch = (body: Uint8Array): ReadingBatch => decodeBatch(body, inflate)

/** What a chunk of either form holds. @throws when its bytes were damaged on disk */
export function decodeColumns(body: Uint8Array, dictionary: SeriesDictionary): ReadingColumns {
  if (!isPoll(body)) return decodeStoredBatch(body)
  if (isPackedPolls(body)) return readPackedPolls(body, dictionary)
  const { seriesIds, timestamps, values } = readPoll(body)
  const places = new Map<number, number>()
  const series: Series[] = []
  const seriesIndex = seriesIds.map((number) => {
    const place = places.get(number)
    if (place !== undefined) return place
    places.set(number, series.length)
    return series.push(dictionary.seriesOf(number)) - 1
  })
  return { series, seriesIndex, timestamps, values }
}

/** {@link decodeColumns}, or null for bytes that were damaged on disk. */
export function tryDecodeColumns(body: Uint8Array, dictionary: SeriesDictionary): ReadingColumns | null {
  try {
    return decodeColumns(body, dictionary)
  } catch {
    return null
  }
}

/** Adds to all timestamps; they stay within what can be sent. */
export function shiftTimestamps(columns: ReadingColumns, ms: number): ReadingColumns {
  if (ms === 0) return columns
  const timestamps = columns.timestamps.map((at) => Math.min(Math.max(at + ms, TIMESTAMP_MIN), TIMESTAMP_MAX))
  return { ...columns, timestamps }
}

/**
 * Several chunks as one batch.
 * @param chunks with what to add to their timestamps, ms
 * @returns null when together they would be too large to be sent
 */
export function mergeChunks(
  chunks: readonly { body: Uint8Array; offsetMs: number }[],
  dictionary: SeriesDictionary,
): OutgoingBatch | null {
  const parts = chunks.map(({ body, offsetMs }) => shiftTimestamps(decodeColumns(body, dictionary), offsetMs))
  const columns = mergeColumns(parts)
  const isPolled = chunks.every(({ body }) => isPoll(body))
  if (isSurelySmall(columns)) return outgoing(columns, isPolled)
  const merged = packBatches(columns)
  return merged.length === 1 ? outgoing(columns, isPolled) : null
}

/** Whether a batch fits into a packet whatever its readings are. */
function isSurelySmall({ series, values }: ReadingColumns): boolean {
  const names = namesOf(series).reduce((sum, size) => sum + size, 0)
  return values.length <= READING_LIMITS.readingsPerRequest && names + values.length * NUMBER_BYTES_MAX <= CHUNK_BYTES_MAX
}

function outgoing(columns: ReadingColumns, isPolled: boolean): OutgoingBatch {
  const batch = { ...columns, batchId: randomUUID() }
  let body: Uint8Array | undefined
  return {
    batchId: batch.batchId,
    count: columns.values.length,
    columns: () => batch,
    named: () => {
      body ??= encodeBatch(batch, deflate)
      return body
    },
    isPolled,
  }
}

/** A batch as it was stored, with something to add to its timestamps, ms. It still fits into a packet: only its first timestamp differs in size. */
export function storedBatch(body: Uint8Array, count: number, offsetMs: number): OutgoingBatch {
  if (offsetMs !== 0) return outgoing(shiftTimestamps(decodeStoredBatch(body), offsetMs), false)
  const columns = () => decodeStoredBatch(body)
  return { batchId: readBatchId(body) as string, count, columns, named: () => body, isPolled: false }
}

/** The years 1 to 9999: ISO 8601 writes them in four digits, and HTTP carries timestamps in that form. */
const TIMESTAMP_MIN = -62_135_596_800_000
const TIMESTAMP_MAX = 253_402_300_799_999

/** How long the names of each series are at most, in UTF-8; 0 for names that cannot be sent. */
function namesOf(series: readonly Series[]): Uint32Array {
  const known = nameSizes.get(series)
  if (known) return known
  const sizes = Uint32Array.from(series, nameSize)
  nameSizes.set(series, sizes)
  return sizes
}

function nameSize(series: Series): number {
  const known = nameSizeOf.get(series)
  if (known !== undefined) return known
  const { machine, metric, unit, rawTag } = series
  const names = rawTag === null ? [machine, metric, unit] : [machine, metric, unit, rawTag]
  const size = names.every(isName) ? names.reduce((sum, name) => sum + 3 * name.length + 2, 0) : 0
  nameSizeOf.set(series, size)
  return size
}

/** Series tables are the same in every poll, and series the same in every claim, so each is validated once. */
const nameSizes = new WeakMap<readonly Series[], Uint32Array>()
const nameSizeOf = new WeakMap<Series, number>()
const isName = (text: string): boolean => text.length > 0 && text.length <= 1_000 && isStorableText(text)

/** Whether the wire format can carry a reading. If not, the collector is at fault, and the buffer parks the reading at once. */
function isSendable({ seriesIndex, timestamps, values }: ReadingColumns, names: Uint32Array, i: number): boolean {
  const at = timestamps[i] as number
  return (
    Number.isFinite(values[i]) &&
    Number.isInteger(at) &&
    at >= TIMESTAMP_MIN &&
    at <= TIMESTAMP_MAX &&
    (names[seriesIndex[i] as number] as number) > 0
  )
}

/** Separates readings that the wire format can carry from the others. Usually all can, and then `good` is the argument itself. */
export function partitionSendable(polls: readonly ReadingColumns[]): {
  good: readonly ReadingColumns[]
  bad: readonly ReadingColumns[]
} {
  if (polls.every(isAllSendable)) return { good: polls, bad: [] }
  const chosen = (isWanted: boolean) =>
    polls.map((poll) => {
      const names = namesOf(poll.series)
      const wanted = (_: unknown, i: number) => isSendable(poll, names, i) === isWanted
      const { series, seriesIndex, timestamps, values } = poll
      return {
        series,
        seriesIndex: seriesIndex.filter(wanted),
        timestamps: timestamps.filter(wanted),
        values: values.filter(wanted),
      }
    })
  return { good: chosen(true), bad: chosen(false) }
}

function isAllSendable(poll: ReadingColumns): boolean {
  const names = namesOf(poll.series)
  const count = poll.values.length
  for (let i = 0; i < count; i++) if (!isSendable(poll, names, i)) return false
  return true
}
