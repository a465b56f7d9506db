import { type Columns, indexAtOrAfter } from '../codec/columns.ts'
import type { DayRange, StoredBlock } from './blocks.ts'
import { DAY_MS, dayOf } from './limits.ts'

/** Readings `from` to `to` (exclusive) of a series that leave the tail together. */
export interface Run {
  seriesId: number
  from: number
  to: number
  /** the block that they lie within, which is rewritten with them; null: they become blocks of their own */
  within: StoredBlock | null
}

export interface RunRule {
  /** Unix ms: only earlier readings become blocks of their own */
  before: number
  /** late readings are moved however few they are */
  movesLate: boolean
}

/** Fewer late readings than this part of their block wait for others, because the whole block is rewritten. */
const LATE_SHARE = 0.01

/**
 * Decides which readings of a series leave the tail. Blocks never overlap, so readings between two blocks become a block of their
 * own, and readings within a block join it.
 * @param blocks those of the series that overlap its readings, ascending
 * @returns the runs, and the number of late readings that wait
 */
export function planRuns(
  seriesId: number,
  { times, length }: Columns,
  blocks: readonly StoredBlock[],
  { before, movesLate }: RunRule,
): { runs: Run[]; late: number } {
  const runs: Run[] = []
  let late = 0
  for (let from = 0, next = 0; from < length; ) {
    const at = times[from] as number
    while (next < blocks.length && (blocks[next] as StoredBlock).t1 < at) next++
    const block = blocks[next]
    if (block && block.t0 <= at) {
      const to = indexAtOrAfter(times, from, length, block.t1 + 1)
      if (movesLate || to - from >= block.n * LATE_SHARE) runs.push({ seriesId, from, to, within: block })
      else late += to - from
      from = to
    } else {
      const end = block?.t0 ?? Number.POSITIVE_INFINITY
      const to = indexAtOrAfter(times, from, length, Math.min(end, before))
      if (to > from) runs.push({ seriesId, from, to, within: null })
      from = indexAtOrAfter(times, to, length, end)
    }
  }
  return { runs, late }
}

/** The days of a series' readings, each with its first and last instant. */
export function daysOf(seriesId: number, { times, length }: Columns): DayRange[] {
  const days: DayRange[] = []
  for (let i = 0; i < length; ) {
    const day = dayOf(times[i] as number)
    const next = indexAtOrAfter(times, i, length, day + DAY_MS)
    days.push({ seriesId, day, from: times[i] as number, to: times[next - 1] as number })
    i = next
  }
  return days
}
