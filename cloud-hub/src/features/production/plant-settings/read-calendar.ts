import { Temporal } from 'temporal-polyfill'
import { fieldMessage } from '../../../error-codes/field-messages.ts'
import { type FieldError, fieldError } from '../../../support/errors.ts'
import { UnreadableFile } from '../../plant/machines/index.ts'

/** A day of a file, or the reason why a row or event has none. */
export type FoundDay = { line: number; days: { date: string; name: string }[] } | { line: number; error: FieldError }

/** Repeated days are imported for this many years, see {@link startsOf}. */
const REPEATED_YEARS = 10
const MAX_EVENT_DAYS = 366
/** Days of all events of a file together: each is computed, and others wait meanwhile. */
const MAX_FILE_DAYS = 10_000
/** As at PATCH. */
const [FIRST_YEAR, LAST_YEAR] = [1000, 9998]

interface Property {
  name: string
  /** in upper case */
  params: string
  value: string
}

/** RFC 5545, 3.1: a line that begins with a space or tab continues the one before. */
function unfold(text: string): { line: number; text: string }[] {
  const lines: { line: number; text: string }[] = []
  for (const [i, raw] of text.split(/\r\n|\n|\r/).entries()) {
    const before = lines.at(-1)
    if (/^[ \t]/.test(raw) && before) before.text += raw.slice(1)
    else lines.push({ line: i + 1, text: raw })
  }
  return lines
}

function propertyOf(text: string): Property | null {
  const [, name, params = '', value = ''] = /^([A-Za-z-]+)((?:;[^=:;]+=(?:"[^"]*"|[^":;]*))*):(.*)$/.exec(text) ?? []
  return name ? { name: name.toUpperCase(), params: params.toUpperCase(), value } : null
}

/** RFC 5545, 3.3.11. */
const unescapeText = (value: string) =>
  value.replace(/\\([\\;,nN])/g, (_, c: string) => (c === 'n' || c === 'N' ? ' ' : c)).trim()

function dateOf({ params, value }: Property): Temporal.PlainDate | null {
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/.exec(value) ?? []
  if (!year || /VALUE=DATE-TIME/.test(params)) return null
  try {
    return Temporal.PlainDate.from(`${year}-${month}-${day}`)
  } catch {
    return null
  }
}

/** Days that an event lasts: until its exclusive end, its duration in days or weeks, or one. Null: not a number of whole days. */
function lengthOf(start: Temporal.PlainDate, of: (name: string) => Property | undefined): number | null {
  const [end, duration] = [of('DTEND'), of('DURATION')]
  if (end) {
    const until = dateOf(end)
    return until && Math.max(1, start.until(until).days)
  }
  if (!duration) return 1
  const [, count, unit] = /^\+?P(\d{1,4})([DW])$/.exec(duration.value) ?? []
  return count ? Number(count) * (unit === 'W' ? 7 : 1) : null
}

const isPositive = (text: string) => /^[1-9]\d{0,3}$/.test(text)

const isLeapYear = (year: number) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

/**
 * The first days of an event: itself, or every year on the same date, for 10 years from last year or from a later first one: exported
 * holidays often begin decades ago. Null: it repeats in another way.
 */
function startsOf(start: Temporal.PlainDate, rule: Property | undefined, thisYear: number): Temporal.PlainDate[] | null {
  if (!rule) return [start]
  const parts = new Map(rule.value.split(';').map((part) => part.split('=', 2) as [string, string]))
  const isSameDate =
    Number(parts.get('BYMONTH') ?? start.month) === start.month && Number(parts.get('BYMONTHDAY') ?? start.day) === start.day
  const isKnown = [...parts.keys()].every((key) =>
    ['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'BYMONTH', 'BYMONTHDAY', 'WKST'].includes(key),
  )
  if (parts.get('FREQ') !== 'YEARLY' || !isSameDate || !isKnown) return null
  const [interval, count] = [parts.get('INTERVAL') ?? '1', parts.get('COUNT') ?? '9999']
  if (!isPositive(interval) || !isPositive(count)) return null
  const until = parts.get('UNTIL')?.slice(0, 8)
  const from = Math.max(start.year, thisYear - 1)
  const last = Math.min(from + REPEATED_YEARS - 1, LAST_YEAR)
  const found: Temporal.PlainDate[] = []
  for (let year = start.year, left = Number(count); year <= last && left > 0; year += Number(interval)) {
    // 29 February exists in leap years only: RFC 5545 skips the others.
    if (start.month === 2 && start.day === 29 && !isLeapYear(year)) continue
    left--
    if (year >= from) found.push(start.with({ year }))
  }
  return found.filter((date) => until === undefined || date.toString().replaceAll('-', '') <= until)
}

function readEvent(line: number, properties: readonly Property[], thisYear: number): FoundDay {
  const of = (name: string) => properties.find((property) => property.name === name)
  const given = of('DTSTART')
  const start = given && dateOf(given)
  if (!start) return { line, error: fieldError('', 'not_whole_days') }
  if (start.year < FIRST_YEAR || start.year > LAST_YEAR)
    return { line, error: fieldError('', 'year_range', { first: FIRST_YEAR, last: LAST_YEAR }) }
  const length = lengthOf(start, of)
  if (!length) return { line, error: fieldError('', 'not_whole_days') }
  if (length > MAX_EVENT_DAYS) return { line, error: fieldError('', 'max_days', { days: MAX_EVENT_DAYS }) }
  const starts = startsOf(start, of('RRULE'), thisYear)
  if (!starts || of('RDATE')) return { line, error: fieldError('', 'unsupported_recurrence') }
  const left = new Set(properties.filter(({ name }) => name === 'EXDATE').flatMap(({ value }) => value.split(',')))
  const name = unescapeText(of('SUMMARY')?.value ?? '') || 'Holiday'
  const kept = starts.filter((first) => !left.has(first.toString().replaceAll('-', '')))
  const days = kept.flatMap((first) => Array.from({ length }, (_, n) => ({ date: first.add({ days: n }).toString(), name })))
  return { line, days }
}

/**
 * Reads the days of an iCalendar file: events of whole days, once or yearly on the same date (10 years). Cancelled events are skipped.
 * @throws UnreadableFile for another file
 * Source: RFC 5545, 3.1 (content lines), 3.6.1 (VEVENT), 3.3.10 (RRULE)
 */
export function readCalendar(text: string, thisYear: number): FoundDay[] {
  const found: FoundDay[] = []
  let event: { line: number; properties: Property[] } | null = null
  // components inside an event, such as alarms
  let inner = 0
  let dayCount = 0
  const lines = unfold(text)
  if (!/^BEGIN:VCALENDAR$/i.test(lines[0]?.text.trim() ?? '')) throw new UnreadableFile(fieldMessage('file_no_calendar'))
  for (const { line, text: content } of lines) {
    const property = propertyOf(content)
    if (!property) continue
    const { name, value } = property
    const isEvent = value.trim().toUpperCase() === 'VEVENT'
    if (name === 'BEGIN' && !event && isEvent) event = { line, properties: [] }
    else if (name === 'BEGIN' && event) inner++
    else if (name === 'END' && event && inner > 0) inner--
    else if (name === 'END' && event && isEvent) {
      const isCancelled = event.properties.some((one) => one.name === 'STATUS' && one.value.trim().toUpperCase() === 'CANCELLED')
      const read = isCancelled ? null : readEvent(event.line, event.properties, thisYear)
      if (read) found.push(read)
      if (read && 'days' in read) dayCount += read.days.length
      if (dayCount > MAX_FILE_DAYS)
        throw new UnreadableFile(
          fieldMessage(
            'file_many_days',
            { limit: MAX_FILE_DAYS },
            `The events of the file last more than ${MAX_FILE_DAYS} days together.`,
          ),
        )
      event = null
    } else if (event && inner === 0) event.properties.push(property)
  }
  if (event)
    throw new UnreadableFile(fieldMessage('file_no_calendar', {}, 'The calendar ends inside an event: the file is cut off.'))
  return found
}
