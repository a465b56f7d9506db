import { z } from 'zod'

const DATE_TIME = /^(\d{4}-\d{2}-\d{2})t(\d{2}:\d{2}):(\d{2})(\.\d+)?(z|[+-]\d{2}:\d{2})$/i

/**
 * Writes a date-time of RFC 3339 in the form that `Date.parse` and zod read: in capitals, and a second 60 as the next second, in UTC.
 * Any other text stays as it is. Source: RFC 3339, 5.6 and 5.7
 */
export function normalizeInstant(text: string): string {
  const [, date, minute, second, fraction = '', zone = ''] = DATE_TIME.exec(text) ?? []
  if (second !== '60') return date === undefined ? text : text.toUpperCase()
  const at = Date.parse(`${date}T${minute}:59${fraction}${zone.toUpperCase()}`)
  const midnight = Date.parse(`${date}T00:00:00Z`)
  // Date.parse reads 30 February as 2 March
  const isDate = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(date as string)
  return Number.isNaN(at) || !isDate ? text : new Date(at + 1_000).toISOString()
}

/** An instant that a client sends, with a zone: a date-time of RFC 3339. */
export const SentInstant = z
  .string()
  .overwrite(normalizeInstant)
  .check(z.iso.datetime({ offset: true }))
