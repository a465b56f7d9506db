import { READING_LIMITS } from '../reading.ts'
import { BitReader, BitWriter } from './bits.ts'
import type { ByteReader, ByteWriter } from './bytes.ts'
import { readGroups, writeGroups } from './group-values.ts'
import { isWhole, type Runs, readRuns, writeRuns } from './layout.ts'
import { instantOf, readInstant, readTimes, writeInstant, writeTimes } from './run-times.ts'

export { runsOf } from './layout.ts'

/** Flags of a body: one reading of every series, in order; one instant. */
export const WHOLE = 2
export const ONE_INSTANT = 4

/** What the numbers of series mean. */
export interface SeriesNumbers {
  /** numbers are lower than this */
  readonly count: number
  /** one reading of every number, in order; null where no batch holds that */
  readonly whole: Runs | null
  /** the same number for series with the same metric and unit */
  groupOf(number: number): number
  /** the same number for series of the same machine */
  machineOf(number: number): number
}

export interface NumberedColumns {
  readonly runs: Runs
  /** Unix milliseconds, whole numbers */
  readonly timestamps: Float64Array
  /** finite */
  readonly values: Float64Array
}

/** Writes readings of numbered series: which ones, when, and their values to the end. @returns the flags that reading needs */
export function writeRows(out: ByteWriter, { runs, timestamps, values }: NumberedColumns, numbers: SeriesNumbers): number {
  const bits = new BitWriter()
  const whole = numbers.whole !== null && isWhole(runs, numbers.count)
  const instant = instantOf(timestamps)
  if (!whole) writeRuns(out, runs)
  if (instant !== null) writeInstant(out, instant)
  else writeTimes(out, bits, timestamps, runs, numbers.machineOf)
  writeGroups(bits, values, runs, numbers.groupOf)
  out.append(bits.written())
  return (whole ? WHOLE : 0) | (instant === null ? 0 : ONE_INSTANT)
}

/** Reads what {@link writeRows} wrote, to the end of the bytes. @throws BatchError */
export function readRows(from: ByteReader, flags: number, numbers: SeriesNumbers): NumberedColumns & { layout: Uint8Array } {
  const begin = from.position
  const max = READING_LIMITS.readingsPerRequest
  const runs = flags & WHOLE && numbers.whole ? numbers.whole : readRuns(from, numbers.count, max)
  const layout = from.bytes.subarray(begin, from.position)
  const count = runs.starts[runs.series.length] as number
  const timestamps = new Float64Array(count)
  const values = new Float64Array(count)
  let bits: BitReader | null = null
  const rest = (): BitReader => {
    bits ??= new BitReader(from.take(from.remaining))
    return bits
  }
  if (flags & ONE_INSTANT) timestamps.fill(readInstant(from))
  else readTimes(from, rest, timestamps, runs, numbers.machineOf)
  readGroups(rest(), values, runs, numbers.groupOf)
  rest().end()
  return { runs, timestamps, values, layout }
}
