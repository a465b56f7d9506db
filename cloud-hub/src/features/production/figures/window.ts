import { setImmediate } from 'node:timers/promises'
import { Temporal } from 'temporal-polyfill'
import { fieldError, Unprocessable } from '../../../support/errors.ts'
import type { Zones } from '../../plant/machine-groups/index.ts'
import { bucketsOf } from '../oee/index.ts'
import type { TimeInterval } from '../time-attribution/index.ts'
import type { FiguresQueryOutput } from './schemas.ts'

const DAY_MS = 86_400_000
const DEFAULT_DAYS = 30
/** The most entries on all pages: each page is cut from all of them, sorted in memory. Also the most periods in all time zones together. */
export const MAX_ENTRIES = 20_000
/** The longest range. Entries of many machines over many days are computed in one answer, so these ranges are shorter. */
const MAX_DAYS = 366
const MAX_DAYS_OF = { none: MAX_DAYS, week: MAX_DAYS, day: MAX_DAYS, shift: 31 } as const
const MAX_DAYS_BY = { none: MAX_DAYS, week: 92, day: 31, shift: 31 } as const

/** A range, its periods, and the dates whose shifts belong to it: those that start in it. */
export interface Window extends TimeInterval {
  periods: TimeInterval[]
  /** the first date of each period, and the date after the last one */
  dates: string[]
}

/**
 * The same range and periods in several time zones: those of dates are at other instants in each. Period n is of the same day or week in all;
 * in a zone that the range has no instant of it in, it is empty.
 */
export interface Windows {
  /** the first is that of the plant, or the only one */
  each: readonly [Window, ...Window[]]
  /** which of them holds for the machines of a site, by its id; the first for those of other sites and of none */
  ofSites: ReadonlyMap<string, number>
}

const zonedAt = (at: number, zone: string) => Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)

/** The last date that ISO 8601 writes without a sign, as PostgreSQL reads it. */
const LAST_DATE = Temporal.PlainDate.from('9999-12-31')

/** The first date that starts at or after an instant. */
function dateFrom(at: number, zone: string): string {
  const zoned = zonedAt(at, zone)
  const isMidnight = zoned.startOfDay().epochMilliseconds === at
  const date = (isMidnight ? zoned : zoned.add({ days: 1 })).toPlainDate()
  return (Temporal.PlainDate.compare(date, LAST_DATE) > 0 ? LAST_DATE : date).toString()
}

/** An instant, or the midnight of the plant so many days after that of a date. */
function instantOf(bound: Date | string, zone: string, addDays: number): number {
  if (bound instanceof Date) return bound.getTime()
  return Temporal.PlainDate.from(bound).add({ days: addDays }).toZonedDateTime(zone).epochMilliseconds
}

function windowOf({ start, end }: TimeInterval, interval: FiguresQueryOutput['interval'], zone: string): Window {
  const periods =
    interval === 'none' || interval === 'shift'
      ? [{ start, end }]
      : bucketsOf({ start, end }, interval === 'day' ? '1d' : '1w', zone)
  return { start, end, periods, dates: [...periods.map((period) => dateFrom(period.start, zone)), dateFrom(end, zone)] }
}

/** The day or week that a period is of: its first date. */
function dateOf({ start }: TimeInterval, interval: FiguresQueryOutput['interval'], zone: string): string {
  const date = zonedAt(start, zone).toPlainDate()
  return (interval === 'week' ? date.subtract({ days: date.dayOfWeek - 1 }) : date).toString()
}

/** Gives windows the same number of periods, see {@link Windows}. */
function align(windows: readonly Window[], interval: FiguresQueryOutput['interval'], zones: readonly string[]): Window[] {
  if (windows.length === 1 || interval === 'none' || interval === 'shift') return [...windows]
  const byDate = windows.map(
    ({ periods }, i) => new Map(periods.map((period) => [dateOf(period, interval, zones[i] as string), period])),
  )
  const dates = [...new Set(byDate.flatMap((own) => [...own.keys()]))].toSorted()
  return windows.map(({ start, end }, i) => {
    const [own, zone] = [byDate[i] as Map<string, TimeInterval>, zones[i] as string]
    const [first = ''] = own.keys()
    const emptyAt = (date: string) => (date < first ? start : end)
    const periods = dates.map((date) => own.get(date) ?? { start: emptyAt(date), end: emptyAt(date) })
    return { start, end, periods, dates: [...periods.map((period) => dateFrom(period.start, zone)), dateFrom(end, zone)] }
  })
}

/** The range of a query in a time zone. A date may not have begun there: the range is empty then. */
function rangeOf(query: FiguresQueryOutput, now: number, zone: string): TimeInterval {
  const end = query.to === undefined ? now : instantOf(query.to, zone, 1)
  return { start: query.from === undefined ? end - DEFAULT_DAYS * DAY_MS : instantOf(query.from, zone, 0), end }
}

function requireRange({ start, end }: TimeInterval, { by, interval }: FiguresQueryOutput): void {
  if (end <= start) throw new Unprocessable([fieldError('query.to', 'not_after', { other: 'from' })])
  const days = (by ? MAX_DAYS_BY : MAX_DAYS_OF)[interval]
  // a day of 25 hours may be among them
  if (end - start > days * DAY_MS + DAY_MS / 24) throw new Unprocessable([fieldError('query.from', 'max_range_days', { days })])
}

/** @throws Unprocessable `max_matches` */
export function refuseEntries(): never {
  const message = `there are more than ${MAX_ENTRIES.toLocaleString('en')} entries: choose a shorter range, a longer interval, or a group`
  throw new Unprocessable([fieldError('query.from', 'max_matches', { limit: MAX_ENTRIES }, message)])
}

/** Refuses before periods of many time zones are computed. @throws Unprocessable */
function requireFewPeriods({ start, end }: TimeInterval, interval: FiguresQueryOutput['interval'], zones: number): void {
  const days = interval === 'day' ? 1 : interval === 'week' ? 7 : MAX_DAYS
  if (zones > 1 && zones * Math.ceil((end - start) / (days * DAY_MS)) > MAX_ENTRIES) refuseEntries()
}

/** A window until now at the latest, and to compare with it the one of the same length directly before. */
function windowAndBefore(range: TimeInterval, now: number, { interval, compare }: FiguresQueryOutput, zone: string) {
  const { start } = range
  const end = Math.max(start, Math.min(range.end, now))
  return {
    window: windowOf({ start, end }, interval, zone),
    before: compare ? windowOf({ start: start - (end - start), end: start }, interval, zone) : null,
  }
}

/**
 * The windows of a query in each time zone, and with `compare` those of the range before. Other requests run between two zones.
 * @param zoneOfAll that of all machines of the query; null: theirs differ
 * @throws Unprocessable for a range that is empty or too long, or has too many periods
 */
export async function windowsOf(
  query: FiguresQueryOutput,
  now: number,
  { plant, sites }: Zones,
  zoneOfAll: string | null,
): Promise<{ windows: Windows; before: Windows | null }> {
  const names = zoneOfAll ? [zoneOfAll] : [...new Set([plant, ...sites.values()])]
  const ranges = names.map((zone) => rangeOf(query, now, zone))
  requireRange(ranges[0] as TimeInterval, query)
  requireFewPeriods(ranges[0] as TimeInterval, query.interval, names.length)
  const both: ReturnType<typeof windowAndBefore>[] = []
  for (const [i, zone] of names.entries()) {
    if (i > 0) await setImmediate()
    both.push(windowAndBefore(ranges[i] as TimeInterval, now, query, zone))
  }
  const together = (windows: readonly Window[]): Windows => ({
    each: align(windows, query.interval, names) as [Window, ...Window[]],
    ofSites: zoneOfAll ? new Map() : new Map([...sites].map(([id, zone]) => [id, names.indexOf(zone)])),
  })
  const before = both.flatMap((of) => of.before ?? [])
  return { windows: together(both.map(({ window }) => window)), before: before.length > 0 ? together(before) : null }
}
