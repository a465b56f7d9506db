import { BatchError } from './batch-error.ts'
import type { ByteReader, ByteWriter } from './bytes.ts'

/**
 * Which readings belong to which series, in batch order. Run `r` has the readings `starts[r]` to `starts[r + 1] - 1`, all of the series with
 * the number `series[r]`.
 */
export interface Runs {
  readonly series: Uint32Array
  /** one entry more than there are runs */
  readonly starts: Uint32Array
}

/** The runs of a column of series numbers. */
export function runsOf(seriesIndex: Uint32Array, numberOf: (index: number) => number): Runs {
  const count = seriesIndex.length
  const series = new Uint32Array(count)
  const starts = new Uint32Array(count + 1)
  let runs = 0
  for (let i = 0; i < count; i++) {
    const index = seriesIndex[i] as number
    if (i > 0 && index === seriesIndex[i - 1]) continue
    series[runs] = numberOf(index)
    starts[runs++] = i
  }
  starts[runs] = count
  return { series: series.subarray(0, runs), starts: starts.subarray(0, runs + 1) }
}

/** Whether every series from 0 to `count - 1` has one reading, in this order. */
export function isWhole({ series, starts }: Runs, count: number): boolean {
  if (series.length !== count || starts[count] !== count) return false
  for (let i = 0; i < count; i++) if (series[i] !== i) return false
  return true
}

/** What {@link isWhole} describes. */
export const wholeRuns = (count: number): Runs => ({
  series: Uint32Array.from({ length: count }, (_, i) => i),
  starts: Uint32Array.from({ length: count + 1 }, (_, i) => i),
})

/** Writes runs as stretches: consecutive series numbers with equally many readings each. */
export function writeRuns(out: ByteWriter, { series, starts }: Runs): void {
  const lengthOf = (run: number) => (starts[run + 1] as number) - (starts[run] as number)
  const stretches: number[] = []
  for (let run = 0, next = 0; run < series.length; ) {
    const first = series[run] as number
    const length = lengthOf(run)
    const from = run++
    while (run < series.length && series[run] === first + (run - from) && lengthOf(run) === length) run++
    stretches.push(first - next, run - from, length)
    next = first + (run - from)
  }
  out.varint(stretches.length / 3)
  for (let i = 0; i < stretches.length; i += 3) {
    out.signedVarint(stretches[i] as number)
    out.varint(stretches[i + 1] as number)
    out.varint(stretches[i + 2] as number)
  }
}

/** Reads what {@link writeRuns} wrote. @param seriesCount numbers are lower than this @param max readings */
export function readRuns(from: ByteReader, seriesCount: number, max: number): Runs {
  const stretches = from.varint()
  if (stretches === 0 || stretches > max)
    throw new BatchError('malformed', 'a batch has at least one stretch, and not more than readings')
  const series: number[] = []
  const starts: number[] = []
  let count = 0
  for (let i = 0, next = 0; i < stretches; i++) {
    const first = next + from.signedVarint()
    const several = from.varint()
    const length = from.varint()
    if (several === 0 || length === 0) throw new BatchError('malformed', 'a stretch is empty')
    if (several * length > max - count) throw new BatchError('too_large', 'a batch holds at most 1,000 readings')
    if (first < 0 || first + several > seriesCount)
      throw new BatchError('malformed', 'a reading belongs to a series that the dictionary does not have')
    for (let s = 0; s < several; s++) {
      series.push(first + s)
      starts.push(count)
      count += length
    }
    next = first + several
  }
  starts.push(count)
  return { series: Uint32Array.from(series), starts: Uint32Array.from(starts) }
}
