import { Temporal } from 'temporal-polyfill'
import type { RecurrenceRule } from '../../../db/enums.ts'

/** Children exist this far ahead of now. */
const FILLED_MONTHS = 12

const STEPS: Record<RecurrenceRule, (n: number) => Temporal.DurationLike> = {
  daily: (n) => ({ days: n }),
  weekly: (n) => ({ weeks: n }),
  monthly: (n) => ({ months: n }),
  quarterly: (n) => ({ months: 3 * n }),
}
/** No step is shorter than this. */
const SHORTEST_STEP_MS = 22 * 3_600_000

/** A recurrence: the start of its parent, in whose local time it recurs. */
export interface Recurrence {
  start: Date
  rule: RecurrenceRule
  /** an IANA zone */
  timeZone: string
}

/**
 * The start of the n-th child: the parent's local start plus n steps. It is always computed from the parent, so a month end clamps
 * without drifting (31 January, 28 February, 31 March). A local time that daylight saving skips moves forward by the gap, and of
 * one that occurs twice the first counts.
 * Source: RFC 5545, 3.3.5 (local times that do not exist or occur twice)
 */
export function occurrenceStart({ start, rule, timeZone }: Recurrence, n: number): Date {
  const local = Temporal.Instant.fromEpochMilliseconds(start.getTime()).toZonedDateTimeISO(timeZone).toPlainDateTime()
  return new Date(local.add(STEPS[rule](n)).toZonedDateTime(timeZone).epochMilliseconds)
}

/** The number of the first child that does not start before `now`; at least 1. */
export function firstOccurrenceFrom(recurrence: Recurrence, now: Date): number {
  let [low, high] = [1, Math.max(1, Math.ceil((now.getTime() - recurrence.start.getTime()) / SHORTEST_STEP_MS))]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (occurrenceStart(recurrence, middle) >= now) high = middle
    else low = middle + 1
  }
  return low
}

/** Until when children are made. */
export const filledUntil = (now: Date): Date =>
  new Date(
    Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO('UTC').add({ months: FILLED_MONTHS })
      .epochMilliseconds,
  )

/** The starts of children from number `from` until `until`, and the one after them. */
export function occurrencesUntil(recurrence: Recurrence, from: number, until: Date) {
  const made: { n: number; start: Date }[] = []
  for (let n = from; ; n++) {
    const start = occurrenceStart(recurrence, n)
    if (start > until) return { made, next: { n, start } }
    made.push({ n, start })
  }
}
