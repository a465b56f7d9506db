import { Temporal } from 'temporal-polyfill'
import type { ResourceName } from '../../error-codes/index.ts'
import type { Caller } from './route.ts'
import { customIssue, finiteError, invalid } from './validation-message.ts'
import { z } from './z.ts'

/** Ids of resources, in lower case as the database writes them. Not `z.uuid()`, which refuses ids whose version bits are unusual. */
export const Id = z.guid(invalid('invalid_uuid')).toLowerCase().openapi({ format: 'uuid' })
/** An id in a path. A value that is not a UUID gets the same 404 as an unknown `thing`. */
export const pathId = (thing: ResourceName) => z.guid(`no such ${thing}`).toLowerCase().openapi({ format: 'uuid' })
/** Timestamps in responses: ISO 8601, UTC, milliseconds. */
export const Instant = z.iso.datetime().openapi({ example: '2026-01-31T12:00:00.000Z' })

/** Calendar dates, without a time zone. */
export const CalendarDate = z.iso.date(invalid('invalid_date')).refine((date) => date >= '1000', invalid('year_out_of_range'))

/** Text of 1 to `max` characters, counted as a person would (code points). */
export const text = (max: number, min = 1) =>
  z
    .string()
    .refine((value) => [...value].length >= min, min === 1 ? invalid('empty') : invalid('min_characters', { limit: min }))
    .refine((value) => [...value].length <= max, invalid('max_characters', { limit: max }))
    .openapi({ minLength: min, maxLength: max })

const isZone = (zone: string) => {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: zone })) && /^[A-Za-z]/.test(zone)
  } catch {
    return false
  }
}
/** An IANA time zone, in the spelling of the database of time zones: they are compared as texts. */
export const Timezone = text(100)
  .refine(isZone, invalid('invalid_time_zone'))
  .overwrite((zone) => (isZone(zone) ? Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone).timeZoneId : zone))

/** A number of a body. JSON can contain numbers that overflow to infinity. */
export const FiniteNumber = z.number({ error: finiteError })

/** Query booleans: `z.coerce.boolean()` would make "false" true. */
export const QueryBoolean = z
  .enum(['true', 'false'])
  .transform((value) => value === 'true')
  .openapi({ type: 'boolean' })

/** A whole number of a query, from 1. */
export const whole = (max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, invalid('wrong_type', { expected: 'integer' }, 'must be a whole number'))
    .transform(Number)
    .pipe(z.int().min(1, 'must be at least 1').max(max, `must be at most ${max}`))
    .openapi({ type: 'integer', minimum: 1, maximum: max })
const count = (fallback: number, max: number) => whole(max).default(fallback).openapi({ default: fallback })

/** How many days back a figure looks: 1 to 90. */
export const DayCount = whole(90)
export const Days = (fallback: number) =>
  DayCount.default(fallback).openapi({
    default: fallback,
    description: `How many days until now, 1 to 90. Default: ${fallback}.`,
    example: fallback,
  })

/** `page` (default 1) and `page_size` (default 20, at most 100) of a list. */
export const Paging = {
  page: count(1, 999_999_999).openapi({ description: 'Which page, from 1. One beyond the end is empty.', example: 1 }),
  page_size: count(20, 100).openapi({ description: 'Entries on a page, 1 to 100.', example: 20 }),
}

/** `page` and `page_size` of a list that is answered whole without them. */
export const OptionalPaging = {
  page: whole(999_999_999)
    .optional()
    .openapi({ description: 'Which page, from 1; default 1 with `page_size`. Without both the list is whole.', example: 1 }),
  page_size: whole(100).optional().openapi({
    description: 'Entries on a page, 1 to 100; default 20 with `page`. Without both the list is whole.',
    example: 20,
  }),
}

/** For the document: the header of a list with `OptionalPaging`. */
export const TOTAL_HEADER = { 'X-Total-Count': 'Entries on all pages together; only with `page` or `page_size`.' }

interface PageQuery {
  page?: number | undefined
  page_size?: number | undefined
}

/** LIMIT and OFFSET of a query with `OptionalPaging`. A limit of null is none, as in PostgreSQL. */
export interface PageLimits {
  limit: number | null
  offset: number
}

export function limitsOf({ page, page_size }: PageQuery): PageLimits {
  if (page === undefined && page_size === undefined) return { limit: null, offset: 0 }
  const size = page_size ?? 20
  return { limit: size, offset: ((page ?? 1) - 1) * size }
}

/** Sets the header with the number of entries on all pages, where the query wants a page. */
export function setTotal(caller: Pick<Caller, 'setHeader'>, query: PageQuery, total: number): void {
  if (limitsOf(query).limit !== null) caller.setHeader('x-total-count', String(total))
}

/** The page that the query wants of a list that must be loaded whole; without paging the list. */
export function selectPage<T>(items: T[], query: PageQuery, caller: Pick<Caller, 'setHeader'>): T[] {
  const { limit, offset } = limitsOf(query)
  setTotal(caller, query, items.length)
  return limit === null ? items : items.slice(offset, offset + limit)
}

export const Pagination = z
  .object({
    total: z.int().describe('Entries on all pages together.'),
    page: z.int().describe('The requested page, from 1.'),
    page_size: z.int().describe('The most entries that a page holds.'),
  })
  .openapi('Pagination', { description: 'Where a page stands in its list.', example: { total: 1, page: 1, page_size: 20 } })
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item).describe('The entries of this page.'), pagination: Pagination })

const DATE_OR_INSTANT = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+ -]\d{2}:?\d{2})?)?$/i
/** The range in which JavaScript and PostgreSQL both write the year with four digits. */
const [EARLIEST, LATEST] = [Date.UTC(1000, 0, 1), Date.UTC(10_000, 0, 1) - 1]

/**
 * Unix ms of a date or datetime, UTC when it has no zone; NaN for anything else, including 30 February. A second 60 is the next second. A space counts as `+`,
 * because query strings decode `+` to a space.
 */
function instantOf(date: string, time: string | undefined, zone: string | undefined): number {
  const day = Date.parse(`${date}T00:00:00Z`)
  if (Number.isNaN(day) || !new Date(day).toISOString().startsWith(date)) return Number.NaN
  if (time === undefined) return day
  const offset = zone && zone.length > 1 ? zone.replace(' ', '+').replace(/^(...)(\d)/, '$1:$2') : 'Z'
  // Source: RFC 3339, 5.7: a leap second
  const isLeap = time.slice(5, 8) === ':60'
  return Date.parse(`${date}T${isLeap ? `${time.slice(0, 5)}:59${time.slice(8)}` : time}${offset}`) + (isLeap ? 1_000 : 0)
}

const DAY_MS = 86_400_000
/** What a date means at each side: the first instant of its day, the last millisecond, or the midnight after it. */
const FROM_MIDNIGHT = { start: 0, end: DAY_MS - 1, until: DAY_MS }

/**
 * One end of a range: a date or a datetime, UTC when it has no zone. A date-only end covers its whole day: `end` to compare instants
 * with, `until` to measure time, so that days are whole and adjoin.
 */
export const rangeEnd = (side: keyof typeof FROM_MIDNIGHT) =>
  z
    .string()
    .transform((value, ctx) => {
      const [, date = '', time, zone] = DATE_OR_INSTANT.exec(value) ?? []
      const at = instantOf(date, time, zone)
      if (!(at >= EARLIEST && at <= LATEST)) {
        ctx.addIssue(customIssue([], 'invalid_date_time'))
        return z.NEVER
      }
      // the midnight after the last day would have a year of five digits
      return new Date(time === undefined ? Math.min(LATEST, at + FROM_MIDNIGHT[side]) : at)
    })
    .openapi({ type: 'string', format: 'date-time' })
