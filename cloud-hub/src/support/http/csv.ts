import { fieldError, Unprocessable } from '../errors.ts'

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

type Row = Record<string, unknown>

const flat = (row: Row, prefix = ''): [column: string, value: unknown][] =>
  Object.entries(row).flatMap(([key, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? flat(value as Row, `${prefix}${key}.`)
      : [[prefix + key, value] as [string, unknown]],
  )

const cell = (value: unknown): string =>
  typeof value === 'number' ? String(value) : csvField(Array.isArray(value) ? value.join(' ') : String(value ?? ''))

/** Rows of an answer as a CSV file. @param fields of the rows, for a list that is empty @param name of the file, without its ending */
export function csvAnswer(rows: readonly object[], fields: readonly string[], name: string): Response {
  const flatRows = rows.map((row) => new Map(flat(row as Row)))
  const columns = rows.length === 0 ? fields : [...new Set(flatRows.flatMap((row) => [...row.keys()]))]
  const lines = [columns.join(','), ...flatRows.map((row) => columns.map((column) => cell(row.get(column))).join(','))]
  return new Response(`${lines.join('\r\n')}\r\n`, {
    headers: {
      'content-type': CSV_TYPE,
      'cache-control': 'no-store',
      vary: 'accept',
      'content-disposition': `attachment; filename="${name}.csv"`,
    },
  })
}
