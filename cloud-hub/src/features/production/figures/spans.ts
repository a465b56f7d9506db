import type { FiguresQueryOutput } from './schemas.ts'
import type { Windows } from './window.ts'

const DAY_MS = 86_400_000
/** The Monday from which spans of 7 and 28 days count, as `date_bin` does in `downtime_rollups_of.sql` and `sum_oee.sql`. */
const ORIGIN = Date.parse('1970-01-05T00:00:00Z') / DAY_MS

/** The part of a range that kept sums have, as dates, the last one not included: spans of 28 days, and of 7 days before and after these. */
export interface Spans {
  from: string
  until: string
  /** empty at the end where there is none */
  long: { from: string; until: string }
}

const dateOf = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10)
const alignUp = (day: number, days: number) => ORIGIN + Math.ceil((day - ORIGIN) / days) * days
const alignDown = (day: number, days: number) => ORIGIN + Math.floor((day - ORIGIN) / days) * days

/** @param start the first day of the range since 1970 @param end the day after its last */
function spansIn(start: number, end: number, hasLong: boolean): Spans | null {
  const [from, until] = [alignUp(start, 7), alignDown(end, 7)]
  if (from >= until) return null
  const [longFrom, longUntil] = [alignUp(from, 28), alignDown(until, 28)]
  const hasSpans = hasLong && longFrom < longUntil
  return {
    ...{ from: dateOf(from), until: dateOf(until) },
    long: hasSpans ? { from: dateOf(longFrom), until: dateOf(longUntil) } : { from: dateOf(until), until: dateOf(until) },
  }
}

const dayOf = (date: string | undefined) => Date.parse(`${date}T00:00:00Z`) / DAY_MS

/** The dates that lie in the windows of all time zones: the first day since 1970, and the one after the last. */
const commonDates = ({ each }: Windows) => ({
  start: Math.max(...each.map(({ dates }) => dayOf(dates[0]))),
  end: Math.min(...each.map(({ dates }) => dayOf(dates.at(-1)))),
})

/** The spans of `oee_rollups` in the windows of all time zones, each in one period: weeks begin on Mondays everywhere. */
function spansOfDates(windows: Windows, interval: FiguresQueryOutput['interval']): Spans | null {
  if (interval !== 'none' && interval !== 'week') return null
  const { start, end } = commonDates(windows)
  return spansIn(start, end, interval === 'none')
}

/** The spans of `downtime_rollups`, which are of UTC, in the windows of all time zones; null where these have several periods. */
function spansOfInstants({ each }: Windows): Spans | null {
  if (each[0].periods.length !== 1) return null
  const start = Math.max(...each.map((window) => window.start))
  return spansIn(Math.ceil(start / DAY_MS), Math.floor(Math.min(...each.map(({ end }) => end)) / DAY_MS), true)
}

/** What kept sums answer of a query; null: nothing. */
export interface Kept {
  /** `downtime_rollups` */
  instants: Spans | null
  /** `oee_rollups` */
  dates: Spans | null
  /** `shift_oee_days`, the last date not included: all machines together */
  company: { from: string; until: string } | null
}

export function keptOf(windows: Windows, { interval }: FiguresQueryOutput): Kept {
  const { start, end } = commonDates(windows)
  return {
    instants: spansOfInstants(windows),
    dates: spansOfDates(windows, interval),
    company: start < end ? { from: dateOf(start), until: dateOf(end) } : null,
  }
}
