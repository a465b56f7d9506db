import type { SortedReadings } from '../store.ts'

const HOUR_MS = 3_600_000

/**
 * What a flush has to mark: the hours of its readings that are older than `markedUntil`.
 * @returns these, by series; and the oldest of the other readings (Unix ms), Infinity when there is none
 */
export function lateHours(
  { spans, timestamps }: Pick<SortedReadings, 'spans' | 'timestamps'>,
  markedUntil: number,
): { marks: { seriesId: number; hour: number }[]; oldest: number } {
  const marks: { seriesId: number; hour: number }[] = []
  let oldest = Number.POSITIVE_INFINITY
  for (const { seriesId, from, to } of spans) {
    let end = Number.NEGATIVE_INFINITY
    for (let i = from; i < to; i++) {
      const at = timestamps[i] as number
      if (at >= markedUntil) {
        oldest = Math.min(oldest, at)
        break
      }
      if (at < end) continue
      const hour = Math.floor(at / HOUR_MS) * HOUR_MS
      marks.push({ seriesId, hour })
      end = hour + HOUR_MS
    }
  }
  return { marks, oldest }
}
