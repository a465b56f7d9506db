import type { SortedReadings } from '../sorted-readings.ts'

const HOUR_MS = 3_600_000
/** An hour (its beginning, Unix ms) of a series that is rolled up anew. */
export interface Mark {
  seriesId: number
  hour: number
}

export interface LateHours {
  marks: Mark[]
  /** the oldest of the readings without a mark (Unix ms), Infinity when there is none */
  oldest: number
}

/** What a flush has to mark: the hours of its readings that are older than `markedUntil`. */
export function lateHours({ spans, timestamps }: Pick<SortedReadings, 'spans' | 'timestamps'>, markedUntil: number): LateHours {
  const marks: Mark[] = []
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
