import { ByteReader } from './byte-reader.ts'
import { MAX_READINGS, readFormat } from './format.ts'
import { formOf, scaledMean } from './statistics.ts'
import { decodeTimes } from './times.ts'
import { decodeValues, skipValues } from './values.ts'

/** Number and mean of the readings of a series in one bucket of the UTC grid: what a chart needs of `Statistics`, at a fraction of the cost. */
export interface Mean {
  /** Unix ms of the bucket's start */
  at: number
  /** number of readings, at least 1 */
  n: number
  mean: number
}

export type VisitMean = (at: number, n: number, mean: number) => void

/** Visits the means of the readings `from` to `to` (exclusive), ascending, for each bucket that has some. */
export function meansOf(
  times: Float64Array,
  values: Float64Array,
  from: number,
  to: number,
  bucketMs: number,
  visit: VisitMean,
): void {
  for (let i = from; i < to; ) {
    const at = Math.floor((times[i] as number) / bucketMs) * bucketMs
    const end = at + bucketMs
    const first = i
    while (i < to && (times[i] as number) < end) i++
    visit(at, i - first, meanOf(values, first, i))
  }
}

/** In two passes, the second corrects the rounding of the first. Source: as for `statisticsOfBucket` */
function meanOf(values: Float64Array, from: number, to: number): number {
  const n = to - from
  const shift = values[from] as number
  let sum = 0
  for (let i = from; i < to; i++) sum += (values[i] as number) - shift
  const rough = Number.isFinite(sum) ? shift + sum / n : scaledMean(values, from, to)
  let rest = 0
  for (let i = from; i < to; i++) rest += (values[i] as number) - rough
  return Number.isFinite(rest) ? rough + rest / n : rough
}

/**
 * Visits the means of encoded statistics, and decodes no other column.
 * @param bucketMs the width of their buckets
 * @throws CorruptReadings before the first visit
 */
export function decodeMeans(bytes: Buffer, bucketMs: number, visit: VisitMean): void {
  if (bytes.length === 0) return
  const input = new ByteReader(bytes)
  readFormat(input)
  const count = input.count(MAX_READINGS)
  const form = formOf(count)
  const columns = new Float64Array(3 * count)
  decodeTimes(input, columns, 0, count, form)
  decodeValues(input, columns, count, count, form)
  skipValues(input, count, form)
  decodeValues(input, columns, 2 * count, count, form)
  for (let i = 0; i < count; i++)
    visit((columns[i] as number) * bucketMs, columns[count + i] as number, columns[2 * count + i] as number)
}

/** Adds other readings of the same series and bucket to a mean. It overflows for no finite values. */
export function addToMean(known: Mean, n: number, mean: number): void {
  const all = known.n + n
  // from the mean of more readings the way is short, so less is rounded
  const [manyN, many, fewN, few] = known.n < n ? [n, mean, known.n, known.mean] : [known.n, known.mean, n, mean]
  const distance = few - many
  known.mean = Number.isFinite(distance) ? many + distance * (fewN / all) : many * (manyN / all) + few * (fewN / all)
  known.n = all
}
