import { setImmediate } from 'node:timers/promises'
import { fieldError, Unprocessable } from '../errors.ts'
import { z } from './z.ts'

export const CSV_TYPE = 'text/csv; charset=utf-8; header=present'

/** A CSV answer has at most so many rows: it is made in memory. */
export const MAX_CSV_ROWS = 20_000

/** What the document of the API says of an operation that answers a list as CSV too. */
export const CSV_LIST = {
  'text/csv': {
    description: `All that match, at most ${MAX_CSV_ROWS.toLocaleString('en')}, whatever page is asked for: a column for each field, those of an object by its name and a dot. A text that a spreadsheet would take for a formula begins with an apostrophe.`,
    example: 'id,name\r\n0198c7d4-5a00-7000-8000-0000f5a48bee,Press 1\r\n',
  },
} as const

/**
 * Whether a list is to be answered as CSV: the client accepts `text/csv`, and not JSON with a higher weight.
 * @throws Unprocessable for a cursor, because CSV holds all entries
 */
export function wantsCsv(headers: Headers, { cursor }: { cursor?: string | undefined }): boolean {
  if (!prefersCsv(headers.get('accept'))) return false
  if (cursor !== undefined) throw new Unprocessable([fieldError('query.cursor', 'exclusive', { other: 'Accept: text/csv' })])
  return true
}

/** Whether a client prefers CSV: it accepts `text/csv`, and not JSON with a higher weight. */
export function prefersCsv(accept: string | null): boolean {
  const weight = (type: string) =>
    Math.max(
      0,
      ...(accept ?? '').split(',').map((part) => {
        const [name, ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
        const q = parameters.find((parameter) => parameter.startsWith('q='))
        return name === type ? Number(q?.slice(2) ?? 1) || 0 : 0
      }),
    )
  return weight('text/csv') > weight('application/json')
}

/**
 * Escapes a text. People and senders choose texts, so one that a spreadsheet would run as a formula gets a leading quote. Spreadsheets of
 * some countries divide at `;` or tabs, so such texts are quoted too. Sources: RFC 4180; OWASP, CSV injection
 */
export function csvField(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** @throws Unprocessable `max_matches` where a list has more rows than a CSV answer */
export function requireCsvRows(total: number, field: string): void {
  if (total <= MAX_CSV_ROWS) return
  throw new Unprocessable([
    fieldError(
      `query.${field}`,
      'max_matches',
      { limit: MAX_CSV_ROWS },
      `${total} rows match, and a CSV answer has at most ${MAX_CSV_ROWS}`,
    ),
  ])
}

/** A column: the names that lead to its value. */
type Column = readonly string[]

/** A column for each field of a shape, and for each field of an object in it, whether the object may be null or not. */
function columnsOf(shape: z.ZodObject, before: Column = []): Column[] {
  return Object.entries(shape.shape).flatMap(([name, field]) => {
    let inner = field as z.ZodType
    while (inner instanceof z.ZodNullable || inner instanceof z.ZodOptional) inner = inner.unwrap() as z.ZodType
    return inner instanceof z.ZodObject ? columnsOf(inner, [...before, name]) : [[...before, name]]
  })
}

const valueAt = (row: unknown, column: Column): unknown =>
  column.reduce<unknown>((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], row)

const cell = (value: unknown): string =>
  typeof value === 'number' ? String(value) : csvField(Array.isArray(value) ? value.join(' ') : String(value ?? ''))

/** Other requests run in between. */
const ROWS_AT_ONCE = 500

/** Rows of an answer as a CSV file, a column for each field of their shape. @param name of the file, without its ending */
export async function csvAnswer<T extends object>(rows: readonly T[], shape: z.ZodObject, name: string): Promise<Response> {
  const columns = columnsOf(shape)
  let text = `${columns.map((column) => column.join('.')).join(',')}\r\n`
  for (const [i, row] of rows.entries()) {
    if (i % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await setImmediate()
    text += `${columns.map((column) => cell(valueAt(row, column))).join(',')}\r\n`
  }
  return new Response(text, {
    headers: {
      'content-type': CSV_TYPE,
      'cache-control': 'no-store',
      vary: 'accept',
      'content-disposition': `attachment; filename="${name}.csv"`,
    },
  })
}
