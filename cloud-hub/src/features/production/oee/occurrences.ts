import { Temporal } from 'temporal-polyfill'

/** Times of a shift in local time, `HH:MM:SS`. */
export interface ShiftTimes {
  startTime: string
  endTime: string
}

/** A planned shift: its day and its instants, Unix ms. */
export interface Occurrence {
  date: string
  start: number
  end: number
}

/**
 * The shift of a day. It lasts from the local start to the local end, on the next day where that is not later, so that a night
 * shift has 7 or 9 hours when the clocks change. A local time that is skipped moves forward by the gap, and of one that occurs
 * twice the first counts.
 * @returns null when the whole shift lies in skipped time
 * Source: RFC 5545, 3.3.5 (local times that do not exist or occur twice)
 */
export function occurrenceOn(date: Temporal.PlainDate, { startTime, endTime }: ShiftTimes, timeZone: string): Occurrence | null {
  const [from, until] = [Temporal.PlainTime.from(startTime), Temporal.PlainTime.from(endTime)]
  const lastDate = Temporal.PlainTime.compare(until, from) > 0 ? date : date.add({ days: 1 })
  const at = (day: Temporal.PlainDate, time: Temporal.PlainTime) =>
    day.toZonedDateTime({ timeZone, plainTime: time }).epochMilliseconds
  const [start, end] = [at(date, from), at(lastDate, until)]
  return end > start ? { date: date.toString(), start, end } : null
}

/** The planned shifts that touch a window (Unix ms), by start, without those that begin on a non-production day. */
export function occurrencesIn(
  window: { start: number; end: number },
  times: ShiftTimes,
  timeZone: string,
  nonProductionDays: ReadonlySet<string>,
): Occurrence[] {
  const dateAt = (ms: number) => Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone).toPlainDate()
  const found: Occurrence[] = []
  const last = dateAt(window.end)
  for (
    let date = dateAt(window.start).subtract({ days: 2 });
    Temporal.PlainDate.compare(date, last) <= 0;
    date = date.add({ days: 1 })
  ) {
    if (nonProductionDays.has(date.toString())) continue
    const occurrence = occurrenceOn(date, times, timeZone)
    if (occurrence && occurrence.end > window.start && occurrence.start < window.end) found.push(occurrence)
  }
  return found
}
