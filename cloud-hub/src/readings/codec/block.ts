import { ByteReader } from './byte-reader.ts'
import { ByteWriter } from './byte-writer.ts'
import { type Columns, emptyColumns } from './columns.ts'
import { CorruptReadings } from './corrupt.ts'
import { FORMAT, MAX_READINGS, readFormat } from './format.ts'
import { encodeStatistics, statisticsOf } from './statistics.ts'
import { decodeTimes, encodeTimes, findTimes } from './times.ts'
import { decodeValues, encodeValues } from './values.ts'

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000]
/** Smaller blocks decode as fast as their statistics. */
const HOURS_FROM = 2_048

/** Sealed readings of one series inside one UTC day. */
export interface Block {
  seriesId: number
  /** Unix ms of the first and of the last reading */
  t0: number
  t1: number
  /** number of readings, 1 to {@link MAX_READINGS} */
  n: number
  times: Buffer
  vals: Buffer
  /** statistics per hour, where n is at least 2,048; else empty */
  hours: Buffer
}

const writer = new ByteWriter()

/** Encodes readings of a series, strictly ascending, split at UTC days and at {@link MAX_READINGS}. */
export function encodeBlocks(seriesId: number, { length, times, values }: Columns): Block[] {
  const blocks: Block[] = []
  for (let from = 0; from < length; ) {
    const dayEnd = (Math.floor((times[from] as number) / DAY_MS) + 1) * DAY_MS
    let to = from
    while (to < length && to - from < MAX_READINGS && (times[to] as number) < dayEnd) to++
    blocks.push({
      seriesId,
      t0: times[from] as number,
      t1: times[to - 1] as number,
      n: to - from,
      times: encodeBlockTimes(times, from, to),
      vals: encodeBlockValues(values, from, to),
      hours: to - from < HOURS_FROM ? Buffer.alloc(0) : encodeStatistics(statisticsOf(times, values, from, to, HOUR_MS), HOUR_MS),
    })
    from = to
  }
  return blocks
}

function encodeBlockTimes(times: Float64Array, from: number, to: number): Buffer {
  writer.reset()
  writer.byte(FORMAT)
  encodeTimes(writer, times, from, to, 'sealed')
  return writer.take()
}

function encodeBlockValues(values: Float64Array, from: number, to: number): Buffer {
  writer.reset()
  writer.byte(FORMAT)
  encodeValues(writer, values, from, to, 'sealed')
  return writer.take()
}

/**
 * @param into receives the readings; a scan passes the same columns for every block, of {@link MAX_READINGS} at least
 * @throws CorruptReadings
 */
export function decodeBlock(n: number, times: Buffer, vals: Buffer, into?: Columns): Columns {
  assertCount(n)
  const columns = into ?? emptyColumns(n)
  decodeTimesInto(columns.times, n, times)
  const input = new ByteReader(vals)
  readFormat(input)
  decodeValues(input, columns.values, 0, n, 'sealed')
  input.end()
  columns.length = n
  return columns
}

/** @throws CorruptReadings */
export function decodeBlockTimes(n: number, times: Buffer): Float64Array {
  assertCount(n)
  const into = new Float64Array(n)
  decodeTimesInto(into, n, times)
  return into
}

/** Finds which instants a block of `n` readings has, see {@link findTimes}. @throws CorruptReadings also after some calls of `found` */
export function findBlockTimes(
  n: number,
  times: Buffer,
  wanted: { times: Float64Array; from: number; to: number },
  found: (index: number) => void,
): void {
  assertCount(n)
  const input = new ByteReader(times)
  readFormat(input)
  findTimes(input, n, wanted, found)
  input.end()
}

function decodeTimesInto(into: Float64Array, n: number, times: Buffer): void {
  const input = new ByteReader(times)
  readFormat(input)
  decodeTimes(input, into, 0, n, 'sealed')
  input.end()
}

function assertCount(n: number): void {
  if (!Number.isInteger(n) || n < 1 || n > MAX_READINGS) throw new CorruptReadings(`a block of ${n} readings`)
}

/**
 * Decodes a block and compares it bit by bit with the readings from index `from` on.
 * @throws CorruptReadings where they differ
 */
export function verifyBlock({ n, times, vals }: Block, columns: Columns, from: number): void {
  const decoded = decodeBlock(n, times, vals)
  for (let i = 0; i < n; i++)
    if (!Object.is(decoded.times[i], columns.times[from + i]) || !Object.is(decoded.values[i], columns.values[from + i]))
      throw new CorruptReadings(`reading ${i} of ${n} differs after encoding`)
}

/** Copies the first values. A part of the tail mostly has one or two, for which a view would cost more. */
function copy(from: Float64Array, count: number, into: Float64Array, at: number): void {
  if (count > 16) into.set(from.subarray(0, count), at)
  else for (let i = 0; i < count; i++) into[at + i] = from[i] as number
}

/** Merges parts of a series by time. Their readings are disjoint. */
export function mergeColumns(parts: readonly Columns[]): Columns {
  const [first, ...others] = parts
    .filter(({ length }) => length > 0)
    .sort((a, b) => (a.times[0] as number) - (b.times[0] as number))
  if (!first) return emptyColumns()
  if (others.length === 0) return first
  const length = others.reduce((sum, part) => sum + part.length, first.length)
  const [times, values] = [new Float64Array(length), new Float64Array(length)]
  let [at, isSorted] = [0, true]
  for (const part of [first, ...others]) {
    if (at > 0 && (part.times[0] as number) < (times[at - 1] as number)) isSorted = false
    copy(part.times, part.length, times, at)
    copy(part.values, part.length, values, at)
    at += part.length
  }
  const merged = { length, times, values }
  return isSorted ? merged : sortColumns(merged)
}

/** Copies columns in the order of time; of readings of one instant the earlier one stays first. A natural merge sort: few runs cost little. */
export function sortColumns({ length, times, values }: Columns): Columns {
  let from: Columns = { length, times: times.slice(0, length), values: values.slice(0, length) }
  let into: Columns = { length, times: new Float64Array(length), values: new Float64Array(length) }
  let starts = runStarts(from)
  while (starts.length > 1) {
    const merged: number[] = []
    for (let i = 0; i < starts.length; i += 2) {
      const begin = starts[i] as number
      mergeRuns(from, into, begin, starts[i + 1] ?? length, starts[i + 2] ?? length)
      merged.push(begin)
    }
    ;[from, into, starts] = [into, from, merged]
  }
  return from
}

/** The indexes at which an earlier instant follows a later one, and 0. */
function runStarts({ length, times }: Columns): number[] {
  const starts = [0]
  for (let i = 1; i < length; i++) if ((times[i] as number) < (times[i - 1] as number)) starts.push(i)
  return starts
}

/** Merges two sorted runs that follow each other: from `begin` to `middle`, and on to `end` (exclusive). */
function mergeRuns(from: Columns, into: Columns, begin: number, middle: number, end: number): void {
  let [left, right] = [begin, middle]
  for (let at = begin; at < end; at++) {
    const isLeft = left < middle && (right >= end || (from.times[left] as number) <= (from.times[right] as number))
    const taken = isLeft ? left++ : right++
    into.times[at] = from.times[taken] as number
    into.values[at] = from.values[taken] as number
  }
}
