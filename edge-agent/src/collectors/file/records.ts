import { fault } from '@haltless/protocol'
import { FaultError } from '../../support/fault-error.ts'
import { fieldOf } from '../values-in-text.ts'
import type { FileConfig } from './contract.ts'

/** One line or object of a file: what a field of it holds, undefined when it is not there. */
export type FileRecord = (field: string) => unknown

/** A line, a header or a document that cannot be used, and why. */
export class Unreadable extends FaultError {
  override readonly name = 'Unreadable'
}

/** Turns the lines of one file into records. The lines before the first record have been read already. */
export type LineReader = (line: string) => FileRecord[]

/** @param header the line that names the columns, where there is one. @throws Unreadable */
export function lineReader(config: FileConfig, header: string | null): LineReader {
  return config.format === 'csv' ? csvReader(config, header) : (line) => recordsOf(parseJson(line), config)
}

/** The names of columns that a header has. */
export const columnsOf = (header: string, delimiter: string): string[] =>
  splitCsv(header, delimiter).map((name) => name.replace(/\s*\n\s*/g, ' ').trim())

const SHOWN = 10
export const listed = (names: readonly string[]): string =>
  names.length > SHOWN ? `${names.slice(0, SHOWN).join(', ')} and ${names.length - SHOWN} more` : names.join(', ')

function csvReader({ delimiter, thousands }: FileConfig, header: string | null): LineReader {
  const columns = header === null ? null : columnsOf(header, delimiter)
  const places = new Map(columns?.map((name, i) => [name, i]).reverse() as [string, number][] | undefined)
  return (line) => {
    const cells = splitCsv(line, delimiter)
    if (columns && cells.length < columns.length)
      throw new Unreadable(fault('file_short_line', { got: cells.length, expected: columns.length }))
    // a number that is not quoted would be two cells
    if (columns && thousands === delimiter && cells.slice(columns.length).some((cell) => cell.trim() !== ''))
      throw new Unreadable(fault('file_long_line', { got: cells.length, expected: columns.length }))
    const placeOf = (field: string) => places.get(field) ?? (columns ? undefined : Number(field) - 1)
    return [(field) => cells[placeOf(field) ?? -1]]
  }
}

/** A quoted cell with more line breaks or characters counts as one that is never closed: it would hold up the lines behind it. */
const QUOTED_LINES_MAX = 100
const QUOTED_CHARS_MAX = 65_536
/** A line of text hardly has so many cells by accident. */
const CELLS_OF_A_ROW = 3

/**
 * How many lines the record that begins at a line has: more than one where a quoted cell holds line breaks. A cell that is not closed within the limits,
 * or that text follows, makes its first line alone a record, which cannot be read.
 * @returns null when a quoted cell may be closed in lines behind these
 */
export function linesOfRecord(lines: readonly string[], from: number, delimiter: string): number | null {
  let isOpen = false
  let chars = 0
  for (let at = from; at < lines.length; at++) {
    const line = lines[at] as string
    chars += line.length
    const isOpenNow = isQuoteOpen(line, delimiter, isOpen)
    if (isOpenNow === null || (at > from && chars > QUOTED_CHARS_MAX)) return 1
    if (!isOpenNow) return isOneRecord(lines.slice(from, at + 1), delimiter) ? at - from + 1 : 1
    if (at - from === QUOTED_LINES_MAX) return 1
    isOpen = true
  }
  return null
}

/**
 * Whether a quoted cell really holds these line breaks. A line with as many cells as the whole, whose first one looks like that of the first
 * line, is a record of its own: two stray quotes would swallow it.
 */
function isOneRecord(lines: readonly string[], delimiter: string): boolean {
  if (lines.length === 1) return true
  const cells = splitCsv(lines.join('\n'), delimiter).length
  const shapeOf = (line: string) => line.split(delimiter, 1).join().replace(/\d/g, '9')
  const shape = shapeOf(lines[0] as string)
  const isOwn = (line: string, isLast: boolean) =>
    line.split(delimiter).length >= cells &&
    shapeOf(line) === shape &&
    (isLast ? isQuoteOpen(line, delimiter, false) === true : cells >= CELLS_OF_A_ROW)
  return !lines.some((line, at) => at > 0 && isOwn(line, at === lines.length - 1))
}

/** Whether a quoted cell is open behind a line. @param isOpen whether one is before it @returns null: text follows a quoted cell */
function isQuoteOpen(line: string, delimiter: string, isOpen: boolean): boolean | null {
  if (!isOpen && !line.includes('"')) return false
  let isQuoted = isOpen
  for (let at = 0; ; ) {
    if (!isQuoted && line[at] === '"') {
      isQuoted = true
      at++
    }
    if (isQuoted) {
      at = line.indexOf('"', at)
      if (at < 0) return true
      at++
      if (line[at] === '"') {
        at++
        continue
      }
      isQuoted = false
    }
    const next = line.indexOf(delimiter, at)
    const wasQuoted = line[at - 1] === '"'
    if (wasQuoted && line.slice(at, next < 0 ? undefined : next).trim() !== '') return null
    if (next < 0) return false
    at = next + 1
  }
}

/** The cells of one record. A quoted cell may hold the delimiter, line breaks, and two quotes for one. Source: RFC 4180 */
export function splitCsv(line: string, delimiter: string): string[] {
  const cells: string[] = []
  let at = 0
  for (;;) {
    if (line[at] === '"') {
      let cell = ''
      let from = at + 1
      for (;;) {
        const quote = line.indexOf('"', from)
        if (quote < 0) throw new Unreadable(fault('file_quote_open'))
        cell += line.slice(from, quote)
        at = quote + 1
        if (line[at] !== '"') break
        cell += '"'
        from = at + 1
      }
      const next = line.indexOf(delimiter, at)
      if (line.slice(at, next < 0 ? undefined : next).trim() !== '') throw new Unreadable(fault('file_text_after_quote'))
      cells.push(cell)
      if (next < 0) return cells
      at = next + 1
    } else {
      const next = line.indexOf(delimiter, at)
      cells.push(line.slice(at, next < 0 ? undefined : next))
      if (next < 0) return cells
      at = next + 1
    }
  }
}

/** The objects of a JSON value, which is one or a list of them. @throws Unreadable */
export function recordsOf(value: unknown, { records }: Pick<FileConfig, 'records'>): FileRecord[] {
  const found = fieldOf(value, records)
  const list = Array.isArray(found) ? found : [found]
  return list.map((item) => {
    if (typeof item !== 'object' || item === null)
      throw new Unreadable(records ? fault('file_no_object_in', { records }) : fault('file_no_object'))
    return (field) => fieldOf(item, field)
  })
}

/** @throws Unreadable */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Unreadable(fault('file_no_json'))
  }
}
