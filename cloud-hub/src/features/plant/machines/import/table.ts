import { type FieldMessage, fieldMessage } from '../../../../error-codes/field-messages.ts'
import { DETAIL_NAMES } from '../details.ts'

/** The file as a whole is unreadable; the message is for the user. */
export class UnreadableFile extends Error {
  readonly fault: FieldMessage

  constructor(fault: FieldMessage) {
    super(fault.message)
    this.fault = fault
  }
}

export const REQUIRED_COLUMNS = ['name', 'machine_identifier', 'protocol'] as const
export const COLUMNS = [...REQUIRED_COLUMNS, ...DETAIL_NAMES]
type Column = (typeof COLUMNS)[number]
const MAX_ROWS = 500
/** Empty lines are skipped up to this limit. */
export const MAX_LINES = 5_000

/** One line of the file below its header. */
export interface Row {
  /** line of the file; the header is 1 */
  line: number
  cells: Partial<Record<Column, string>>
  /** the row has more cells than the header */
  hasExtraCells: boolean
}

const plain = (name: string) =>
  name
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')

/**
 * Converts lines of cells to rows with named cells. The first non-empty line is the header: names in any case and order, unknown
 * columns ignored. Empty lines are skipped.
 * @throws UnreadableFile without a header, with a required column missing or repeated, with more than 500 rows, or with more than
 * 5,000 lines
 */
export function toRows(lines: readonly { line: number; cells: readonly string[] }[]): Row[] {
  let header: { at: (Column | null)[]; width: number } | null = null
  const rows: Row[] = []
  for (const { line, cells } of lines) {
    if (cells.every((cell) => cell.trim() === '')) continue
    if (!header) {
      header = readHeader(cells)
      continue
    }
    if (rows.length === MAX_ROWS) throw new UnreadableFile(fieldMessage('file_max_rows', { limit: MAX_ROWS }))
    const { at, width } = header
    const named: Row['cells'] = {}
    cells.forEach((cell, i) => {
      const column = at[i]
      if (column) named[column] = cell.trim()
    })
    rows.push({ line, cells: named, hasExtraCells: cells.slice(width).some((cell) => cell.trim() !== '') })
  }
  if (lines.length > MAX_LINES)
    throw new UnreadableFile(
      fieldMessage(
        'file_max_rows',
        { limit: MAX_LINES },
        `The file has more than ${MAX_LINES} lines, most of them empty: delete the empty ones.`,
      ),
    )
  if (!header) throw new UnreadableFile(fieldMessage('file_empty'))
  return rows
}

function readHeader(cells: readonly string[]): { at: (Column | null)[]; width: number } {
  const at = cells.map((cell) => COLUMNS.find((column) => column === plain(cell)) ?? null)
  const missing = REQUIRED_COLUMNS.filter((column) => !at.includes(column))
  if (missing.length > 0)
    throw new UnreadableFile(
      fieldMessage(
        'file_missing_columns',
        { columns: missing.join(', ') },
        `The first line names no column ${missing.join(', ')}. It must name ${REQUIRED_COLUMNS.join(', ')}, and may name ${DETAIL_NAMES.join(', ')}.`,
      ),
    )
  const twice = COLUMNS.find((column) => at.indexOf(column) !== at.lastIndexOf(column))
  if (twice) throw new UnreadableFile(fieldMessage('file_repeated_column', { column: twice }))
  return { at, width: cells.length }
}
