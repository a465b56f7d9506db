import { ByteReader } from './byte-reader.ts'
import { ByteWriter } from './byte-writer.ts'
import { CorruptReadings } from './corrupt.ts'
import { FORMAT, type Form, MAX_READINGS, readFormat } from './format.ts'
import { decodeTimes, encodeTimes } from './times.ts'
import { decodeValues, encodeValues } from './values.ts'

/** Statistics of the readings of a series in one bucket of the UTC grid. */
export interface Statistics {
  /** Unix ms of the bucket's start */
  at: number
  /** number of readings, at least 1 */
  n: number
  mean: number
  /** the sum of squared deviations from the mean; null where it is beyond a double */
  m2: number | null
  low: number
  high: number
  /** Unix ms of the last reading, and its value */
  lastAt: number
  last: number
}

/** Computes the statistics of the readings `from` to `to` (exclusive), ascending, for each bucket that has some. */
export function statisticsOf(
  times: Float64Array,
  values: Float64Array,
  from: number,
  to: number,
  bucketMs: number,
): Statistics[] {
  const result: Statistics[] = []
  for (let i = from; i < to; ) {
    const at = Math.floor((times[i] as number) / bucketMs) * bucketMs
    const end = at + bucketMs
    const first = i
    while (i < to && (times[i] as number) < end) i++
    result.push(statisticsOfBucket(at, times, values, first, i))
  }
  return result
}

/** Scales sums down by a power of two, which is exact, where they overflow. */
const SCALE = 2 ** -40

/**
 * Computes mean and deviations in two passes, the second corrected for the rounding of the first; neither loses digits nor divides
 * per reading. Source: Chan, Golub, LeVeque, "Algorithms for computing the sample variance" (1983), 1.7
 */
export function statisticsOfBucket(at: number, times: Float64Array, values: Float64Array, from: number, to: number): Statistics {
  const n = to - from
  const shift = values[from] as number
  let [low, high, sum] = [shift, shift, 0]
  for (let i = from; i < to; i++) {
    const value = values[i] as number
    sum += value - shift
    if (value < low) low = value
    if (value > high) high = value
  }
  const rough = Number.isFinite(sum) ? shift + sum / n : scaledMean(values, from, to)
  let [rest, squares] = [0, 0]
  for (let i = from; i < to; i++) {
    const deviation = (values[i] as number) - rough
    rest += deviation
    squares += deviation * deviation
  }
  const m2 = Math.max(0, squares - (rest * rest) / n)
  const mean = Number.isFinite(rest) ? rough + rest / n : rough
  return {
    at,
    n,
    mean: Math.min(Math.max(mean, low), high),
    m2: Number.isFinite(m2) ? m2 : null,
    low,
    high,
    lastAt: times[to - 1] as number,
    last: values[to - 1] as number,
  }
}

/** The mean of values whose sum overflows. */
export function scaledMean(values: Float64Array, from: number, to: number): number {
  let sum = 0
  for (let i = from; i < to; i++) sum += (values[i] as number) * SCALE
  return sum / (to - from) / SCALE
}

/**
 * Combines statistics of different readings of a series; `at` is the earlier one. It loses no digits, and overflows for no finite
 * values. Source: Chan, Golub, LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances" (1979)
 */
export function combineStatistics(a: Statistics, b: Statistics): Statistics {
  const n = a.n + b.n
  // from the mean of more readings the way is short, so less is rounded
  const [many, few] = a.n < b.n ? [b, a] : [a, b]
  const distance = few.mean - many.mean
  const mean = Number.isFinite(distance) ? many.mean + distance * (few.n / n) : many.mean * (many.n / n) + few.mean * (few.n / n)
  const m2 = a.m2 === null || b.m2 === null ? Number.NaN : a.m2 + b.m2 + distance * distance * ((many.n / n) * few.n)
  const low = Math.min(a.low, b.low)
  const high = Math.max(a.high, b.high)
  const { lastAt, last } = b.lastAt > a.lastAt ? b : a
  return {
    at: Math.min(a.at, b.at),
    n,
    mean: Math.min(Math.max(mean, low), high),
    m2: Number.isFinite(m2) ? m2 : null,
    low,
    high,
    lastAt,
    last,
  }
}

/** Below this, compression costs more time than it saves bytes. */
const SEALED_FROM = 256
/** The column of deviations stores null as this. */
const NO_DEVIATIONS = -1

const writer = new ByteWriter()

/**
 * Encodes statistics of a series, ascending, by column.
 * @param bucketMs the width of their buckets
 * @returns empty for none
 */
export function encodeStatistics(statistics: readonly Statistics[], bucketMs: number): Buffer {
  const count = statistics.length
  if (count === 0) return Buffer.alloc(0)
  const form = formOf(count)
  writer.reset()
  writer.byte(FORMAT)
  writer.varint(count)
  const column = (pick: (one: Statistics) => number) => Float64Array.from(statistics, pick)
  encodeTimes(
    writer,
    column(({ at }) => at / bucketMs),
    0,
    count,
    form,
  )
  for (const pick of COLUMNS) encodeValues(writer, column(pick), 0, count, form)
  return writer.take()
}

/** The form of the columns of so many statistics. */
export const formOf = (count: number): Form => (count < SEALED_FROM ? 'hot' : 'sealed')
const COLUMNS: readonly ((one: Statistics) => number)[] = [
  ({ n }) => n,
  ({ at, lastAt }) => lastAt - at,
  ({ mean }) => mean,
  ({ m2 }) => m2 ?? NO_DEVIATIONS,
  ({ low }) => low,
  ({ high }) => high,
  ({ last }) => last,
]

/** @throws CorruptReadings */
export function decodeStatistics(bytes: Buffer, bucketMs: number): Statistics[] {
  if (bytes.length === 0) return []
  const input = new ByteReader(bytes)
  readFormat(input)
  const count = input.count(MAX_READINGS)
  const form = formOf(count)
  const times = new Float64Array(count)
  decodeTimes(input, times, 0, count, form)
  const column = () => {
    const values = new Float64Array(count)
    decodeValues(input, values, 0, count, form)
    return values
  }
  const [n, lastAfter, mean, m2, low, high, last] = [column(), column(), column(), column(), column(), column(), column()]
  input.end()
  return Array.from(times, (index, i) => {
    const at = index * bucketMs
    const one = {
      at,
      n: n[i] as number,
      mean: mean[i] as number,
      m2: m2[i] === NO_DEVIATIONS ? null : (m2[i] as number),
      low: low[i] as number,
      high: high[i] as number,
      lastAt: at + (lastAfter[i] as number),
      last: last[i] as number,
    }
    assertPossible(one, bucketMs)
    return one
  })
}

function assertPossible({ at, n, mean, m2, low, high, lastAt, last }: Statistics, bucketMs: number): void {
  const isPossible =
    Number.isSafeInteger(n) &&
    n >= 1 &&
    Number.isSafeInteger(lastAt) &&
    lastAt >= at &&
    lastAt < at + bucketMs &&
    low <= Math.min(mean, last) &&
    Math.max(mean, last) <= high &&
    (m2 === null || m2 >= 0)
  if (!isPossible) throw new CorruptReadings('statistics of a bucket are impossible')
}
