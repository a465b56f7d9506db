/**
 * The bytes of `machine_latest.body`: a format byte, then an entry of 29 bytes for each series, in the order of `series.place`. An entry
 * has fixed width, so that PostgreSQL logs few bytes when one changes, and so that `patch_latest` (migrations/functions) finds it.
 *
 * | offset | bytes | content, big endian |
 * |---|---|---|
 * | 0 | 4 | series id |
 * | 4 | 8 | instant, Unix ms as a signed integer; the lowest one for none |
 * | 12 | 8 | value, a double |
 * | 20 | 1 | 1: beyond its baseline, so an anomaly event is open |
 * | 21 | 8 | the transaction of the last change; 0: the transaction in `machine_latest.written` |
 */
const FORMAT = 1
const [HEAD, WIDTH] = [1, 29]
const [TIME, VALUE, FLAG, WRITER] = [4, 12, 20, 21]
/** Bytes of an entry without its transaction. */
const CONTENT = WRITER
const TWO_32 = 2 ** 32
const NO_TIME_HIGH = -(2 ** 31)

/** Series that share a row. */
export const ROW_SERIES = 64
export const rowOfPlace = (place: number): number => Math.floor(place / ROW_SERIES)
export const indexOfPlace = (place: number): number => place % ROW_SERIES

/** The number of entries of a body. */
export const entryCount = (body: Buffer): number => (body.length - HEAD) / WIDTH

const offsetOf = (index: number): number => HEAD + index * WIDTH

/** @throws Error for a body of another format */
export function assertFormat(body: Buffer): void {
  if (body[0] !== FORMAT || (body.length - HEAD) % WIDTH !== 0)
    throw new Error(`machine_latest has a body of format ${body[0]} and ${body.length} bytes, which this version cannot read`)
}

export const seriesIdAt = (body: Buffer, index: number): number => body.readInt32BE(offsetOf(index))

/** Unix ms of the newest reading; -Infinity for none. */
export function newestAt(body: Buffer, index: number): number {
  const at = offsetOf(index) + TIME
  const high = body.readInt32BE(at)
  return high === NO_TIME_HIGH ? Number.NEGATIVE_INFINITY : high * TWO_32 + body.readUInt32BE(at + 4)
}

export const valueAt = (body: Buffer, index: number): number => body.readDoubleBE(offsetOf(index) + VALUE)
export const isAnomalousAt = (body: Buffer, index: number): boolean => body[offsetOf(index) + FLAG] === 1

/** The transaction of the last change; 0: that of the row. */
export function writerAt(body: Buffer, index: number): number {
  const at = offsetOf(index) + WRITER
  return body.readUInt32BE(at) * TWO_32 + body.readUInt32BE(at + 4)
}

/** The newest reading of a series in a flush. */
export interface Newest {
  /** Unix ms */
  at: number
  value: number
  isAnomalous: boolean
}

/**
 * @param at Unix ms
 * @param writer 0: the transaction of the row
 */
export function writeEntry(body: Buffer, index: number, at: number, value: number, isAnomalous: boolean, writer: number): void {
  const offset = offsetOf(index)
  writeInstant(body, offset + TIME, at)
  body.writeDoubleBE(value, offset + VALUE)
  body[offset + FLAG] = isAnomalous ? 1 : 0
  writeWriter(body, index, writer)
}

export function writeWriter(body: Buffer, index: number, writer: number): void {
  const at = offsetOf(index) + WRITER
  body.writeUInt32BE(Math.floor(writer / TWO_32), at)
  body.writeUInt32BE(writer % TWO_32, at + 4)
}

function writeInstant(bytes: Buffer, at: number, ms: number): void {
  if (ms === Number.NEGATIVE_INFINITY) {
    bytes.writeInt32BE(NO_TIME_HIGH, at)
    bytes.writeUInt32BE(0, at + 4)
    return
  }
  const high = Math.floor(ms / TWO_32)
  bytes.writeInt32BE(high, at)
  bytes.writeUInt32BE(ms - high * TWO_32, at + 4)
}

/** Entries of series without readings, to append to a body. */
export function emptyEntries(seriesIds: readonly number[]): Buffer {
  const entries = Buffer.alloc(seriesIds.length * WIDTH)
  for (const [i, id] of seriesIds.entries()) {
    entries.writeInt32BE(id, i * WIDTH)
    writeInstant(entries, i * WIDTH + TIME, Number.NEGATIVE_INFINITY)
  }
  return entries
}
export const emptyBody = (): Buffer => Buffer.from([FORMAT])

/** A change of one entry, for the SQL function `patch_latest`. */
export interface EntryChange {
  index: number
  seriesId: number
  /** Unix ms of the first new reading, which must be newer than the stored one */
  firstAt: number
  /** Unix ms that the stored newest instant must have; null: any older one */
  knownAt: number | null
  newest: Newest
}

const CHANGE = 20 + CONTENT

/** Encodes changes as `patch_latest` expects them. */
export function encodeChanges(changes: readonly EntryChange[]): Buffer {
  const bytes = Buffer.allocUnsafe(changes.length * CHANGE)
  for (const [i, { index, seriesId, firstAt, knownAt, newest }] of changes.entries()) {
    const at = i * CHANGE
    bytes.writeInt32BE(index, at)
    writeInstant(bytes, at + 4, firstAt)
    writeInstant(bytes, at + 12, knownAt ?? Number.NEGATIVE_INFINITY)
    bytes.writeInt32BE(seriesId, at + 20)
    writeInstant(bytes, at + 20 + TIME, newest.at)
    bytes.writeDoubleBE(newest.value, at + 20 + VALUE)
    bytes[at + 20 + FLAG] = newest.isAnomalous ? 1 : 0
  }
  return bytes
}
