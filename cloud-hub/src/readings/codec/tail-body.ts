import { ByteReader } from './byte-reader.ts'
import { ByteWriter } from './byte-writer.ts'
import { CorruptReadings } from './corrupt.ts'
import { FORMAT, MAX_READINGS, readFormat } from './format.ts'
import { decodeTimes, encodeTimes, skipTimes } from './times.ts'
import { decodeValues, encodeValues, skipValues } from './values.ts'

/** The readings `from` to `to` (exclusive) of columns, all of one series, strictly ascending. */
export interface Section {
  seriesId: number
  from: number
  to: number
}

/** A row of the tail or of arrivals: sections of several series. */
export interface TailBody {
  /** Unix ms of the oldest and of the newest reading */
  t0: number
  t1: number
  /** lowest and highest series id */
  s0: number
  s1: number
  /** number of readings */
  n: number
  body: Buffer
}

/** Series id, number of readings, kind of times and values take a byte each, at least. */
const MIN_SECTION_BYTES = 4
/** Whether a section has times of its own, or those of the last section that has. */
const [OWN, SHARED] = [0, 1]

const writer = new ByteWriter()

/** The decimals of each series the last time. They hardly ever change, which saves a search. */
const exponents = new Map<number, number>()
const MAX_EXPONENTS = 200_000

/**
 * Encodes sections. Sections with the times of the one before share them. A section longer
 * than {@link MAX_READINGS} becomes several.
 */
export function encodeTailBody(sections: readonly Section[], times: Float64Array, values: Float64Array): TailBody {
  const pieces = sections.some(({ from, to }) => to - from > MAX_READINGS) ? sections.flatMap(divided) : sections
  let t0 = Number.POSITIVE_INFINITY
  let t1 = Number.NEGATIVE_INFINITY
  let s0 = Number.POSITIVE_INFINITY
  let s1 = Number.NEGATIVE_INFINITY
  let n = 0
  let own = 0
  let ownCount = 0
  writer.reset()
  writer.byte(FORMAT)
  writer.varint(pieces.length)
  for (const { seriesId, from, to } of pieces) {
    const count = to - from
    writer.varint(seriesId)
    writer.varint(count)
    const isShared = count === ownCount && areEqual(times, own, from, count)
    writer.byte(isShared ? SHARED : OWN)
    if (!isShared) {
      encodeTimes(writer, times, from, to, 'hot')
      own = from
      ownCount = count
      t0 = Math.min(t0, times[from] as number)
      t1 = Math.max(t1, times[to - 1] as number)
    }
    const guess = exponents.get(seriesId) ?? 0
    const exponent = encodeValues(writer, values, from, to, 'hot', guess)
    if (exponent !== guess) remember(seriesId, exponent)
    s0 = Math.min(s0, seriesId)
    s1 = Math.max(s1, seriesId)
    n += count
  }
  return { t0, t1, s0, s1, n, body: writer.take() }
}

function divided({ seriesId, from, to }: Section): Section[] {
  const count = Math.ceil((to - from) / MAX_READINGS)
  return Array.from({ length: count }, (_, i) => {
    const start = from + i * MAX_READINGS
    return { seriesId, from: start, to: Math.min(to, start + MAX_READINGS) }
  })
}

function areEqual(times: Float64Array, a: number, b: number, count: number): boolean {
  for (let i = 0; i < count; i++) if (times[a + i] !== times[b + i]) return false
  return true
}

function remember(seriesId: number, exponent: number): void {
  if (exponents.size >= MAX_EXPONENTS) exponents.clear()
  exponents.set(seriesId, exponent)
}

/**
 * Visits the sections of the wanted series, in their order. Several sections of a body may be of one series.
 * @param visit may keep the arrays, but not change them: sections share times
 * @param withValues false: values are not decoded, and `values` is empty
 * @throws CorruptReadings also after some visits
 */
export function readTailBody(
  body: Buffer,
  wanted: (seriesId: number) => boolean,
  visit: (seriesId: number, times: Float64Array, values: Float64Array) => void,
  withValues = true,
): void {
  let times = new Float64Array(0)
  let decodedAt = 0
  walkSections(body, (input, seriesId, count, timesAt) => {
    if (!wanted(seriesId)) return skipValues(input, count, 'hot')
    if (timesAt !== decodedAt) {
      times = new Float64Array(count)
      decodeTimes(new ByteReader(body, timesAt), times, 0, count, 'hot')
      decodedAt = timesAt
    }
    const values = new Float64Array(withValues ? count : 0)
    if (withValues) decodeValues(input, values, 0, count, 'hot')
    else skipValues(input, count, 'hot')
    visit(seriesId, times, values)
  })
}

/** Visits the series and the number of readings of each section. @throws CorruptReadings also after some visits */
export function countSections(body: Buffer, visit: (seriesId: number, count: number) => void): void {
  walkSections(body, (input, seriesId, count) => {
    visit(seriesId, count)
    skipValues(input, count, 'hot')
  })
}

/** Columns that are being filled: `length` readings so far, in arrays with room for more. */
export interface GrowingColumns {
  times: Float64Array
  values: Float64Array
  length: number
}

/**
 * Decodes all sections behind what the columns of their series hold already. Many sections of few readings cost less this way than
 * with an array for each.
 * @throws CorruptReadings also after some sections
 */
export function appendSections(body: Buffer, columnsOf: (seriesId: number) => GrowingColumns): void {
  /** where the times that the next sections may share were decoded to */
  let shared: { timesAt: number; times: Float64Array; from: number } | null = null
  walkSections(body, (input, seriesId, count, timesAt) => {
    const columns = columnsOf(seriesId)
    const { times, values, length } = columns
    if (shared?.timesAt === timesAt) for (let i = 0; i < count; i++) times[length + i] = shared.times[shared.from + i] as number
    else {
      decodeTimes(new ByteReader(body, timesAt), times, length, count, 'hot')
      shared = { timesAt, times, from: length }
    }
    decodeValues(input, values, length, count, 'hot')
    columns.length += count
  })
}

/** @param visit reads or skips the values of the section; its times are encoded at `timesAt` */
function walkSections(body: Buffer, visit: (input: ByteReader, seriesId: number, count: number, timesAt: number) => void): void {
  const input = new ByteReader(body)
  readFormat(input)
  let [timesAt, timesCount] = [0, 0]
  for (let sections = input.count(body.length / MIN_SECTION_BYTES); sections > 0; sections--) {
    const seriesId = input.varint()
    const count = input.count(MAX_READINGS)
    const kind = input.byte()
    if (kind === OWN) {
      timesAt = input.position
      timesCount = count
      skipTimes(input, count, 'hot')
    } else if (kind !== SHARED || count !== timesCount) throw new CorruptReadings('a section shares times that are not there')
    visit(input, seriesId, count, timesAt)
  }
  input.end()
}
