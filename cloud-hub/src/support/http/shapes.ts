import { z } from './z.ts'

/** Ids of resources. Not `z.uuid()`, which refuses ids whose version bits are unusual. */
export const Id = z.guid().openapi({ format: 'uuid' })
/** What we answer: ISO 8601, UTC, milliseconds. */
export const Instant = z.iso.datetime().openapi({ example: '2026-01-31T12:00:00.000Z' })

/** Text of 1 to `max` characters, counted as a person would (code points). */
export const text = (max: number, min = 1) =>
  z
    .string()
    .refine((value) => [...value].length >= min, min === 1 ? 'must not be empty' : `must have at least ${min} characters`)
    .refine((value) => [...value].length <= max, `must have at most ${max} characters`)
    .openapi({ minLength: min, maxLength: max })

/** Query booleans: `z.coerce.boolean()` would make "false" true. */
export const QueryBoolean = z
  .enum(['true', 'false'])
  .transform((value) => value === 'true')
  .openapi({ type: 'boolean' })

const count = (fallback: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(1, 'must be at least 1').max(max, `must be at most ${max}`))
    .default(fallback)
    .openapi({ type: 'integer', minimum: 1, maximum: max })

/** `page` (default 1) and `page_size` (default 20, at most 100) of a list. */
export const Paging = { page: count(1, 1_000_000), page_size: count(20, 100) }

export const Pagination = z.object({ total: z.int(), page: z.int(), page_size: z.int() }).openapi('Pagination')
export const pageOf = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item), pagination: Pagination })

const ZONED = /(Z|[+-]\d{2}:?\d{2})$/i
const DATE = /^\d{4}-\d{2}-\d{2}$/

/**
 * One end of a range: a date or a datetime, UTC when it names no zone. A date-only `end` covers its whole day.
 * @returns the instant; for an `end` given as a date the last millisecond of that day
 */
export const rangeEnd = (side: 'start' | 'end') =>
  z
    .string()
    .max(64)
    .transform((value, ctx) => {
      const dateOnly = DATE.test(value)
      const at = new Date(dateOnly ? `${value}T00:00:00Z` : ZONED.test(value) ? value.replace(' ', '+') : `${value}Z`)
      const isIso = dateOnly || /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/.test(value)
      const dayExists = Number.isNaN(at.getTime()) || !dateOnly || at.toISOString().startsWith(value)
      if (!isIso || Number.isNaN(at.getTime()) || !dayExists) {
        ctx.addIssue({
          code: 'custom',
          message: 'must be an ISO 8601 date or datetime such as 2026-01-31 or 2026-01-31T12:00:00Z',
        })
        return z.NEVER
      }
      return dateOnly && side === 'end' ? new Date(at.getTime() + 86_400_000 - 1) : at
    })
    .openapi({ type: 'string', format: 'date-time' })
