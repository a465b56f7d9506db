import { parse } from 'csv-parse/sync'
import { fieldMessage } from '../../../../error-codes/field-messages.ts'
import { MAX_LINES, UnreadableFile } from './table.ts'

/** Maximum characters of a line, and of the cells of a row together. */
const MAX_LINE = 80_000
const TOO_LONG = fieldMessage('row_too_long')

/** Decodes a file as spreadsheet programs save it: UTF-8, UTF-16 (by its mark or many zero bytes), else Windows-1252. */
export function decodeText(bytes: Uint8Array): string {
  const [a, b] = bytes
  if (a === 0xff && b === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (a === 0xfe && b === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  const head = bytes.subarray(0, 400)
  const zeros = (parity: number) => head.filter((byte, i) => byte === 0 && i % 2 === parity).length
  if (zeros(1) > head.length / 4) return new TextDecoder('utf-16le').decode(bytes)
  if (zeros(0) > head.length / 4) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** The most frequent separator of the header, unless Excel's `sep=;` line declares one. */
function separatorOf(text: string): { separator: string; body: string; skipped: number } {
  const declared = /^sep=(.)\r?\n/i.exec(text)
  if (declared) return { separator: declared[1] as string, body: text.slice(declared[0].length), skipped: 1 }
  const header = (/^\s*([^\r\n]*)/.exec(text)?.[1] ?? '').replace(/"[^"]*"/g, '')
  const count = (separator: string) => header.split(separator).length
  const separator = [',', ';', '\t'].reduce((best, each) => (count(each) > count(best) ? each : best))
  return { separator, body: text, skipped: 0 }
}

/** Rejects binary files such as PDF and images, which would report every line as invalid. */
function isText(text: string): boolean {
  const head = text.slice(0, 2_000)
  return (head.match(/[\0-\x08\x0e-\x1f\x7f-\x9f\ufffd]/g)?.length ?? 0) <= head.length / 20
}

function longestLine(text: string): number {
  let [longest, from] = [0, 0]
  for (let i = 0; i <= text.length; i++) {
    const code = text.charCodeAt(i)
    if (i < text.length && code !== 10 && code !== 13) continue
    longest = Math.max(longest, i - from)
    from = i + 1
  }
  return longest
}

/**
 * Reads the lines of a CSV file (comma, semicolon or tab; RFC 4180 quotes). A quote inside a cell, such as an inch sign, is kept.
 * @throws UnreadableFile for an unclosed quote, a file over the limits, or binary data
 */
export function readCsv(bytes: Uint8Array): { line: number; cells: string[] }[] {
  const text = decodeText(bytes)
  if (!isText(text))
    throw new UnreadableFile(fieldMessage('file_kind', {}, 'The file is neither CSV nor XLSX: save the list as one of these.'))
  // Checked first, because millions of empty cells use memory before the parser counts them.
  if (longestLine(text) > MAX_LINE) throw new UnreadableFile(TOO_LONG)
  const { separator, body, skipped } = separatorOf(text)
  try {
    const records = parse(body, {
      delimiter: separator,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      max_record_size: MAX_LINE,
      to: MAX_LINES + 1,
      info: true,
      raw: true,
    }) as unknown as { info: { lines: number }; raw: string; record: string[] }[]
    return records.map(({ info, raw, record }) => {
      // `lines` is where the record ends; `raw` begins with the empty lines before it
      const within = raw.replace(/^[\r\n]+|\r?\n$/g, '').split('\n').length - 1
      return { line: info.lines - within + skipped, cells: record }
    })
  } catch (error) {
    const { code, lines } = error as { code?: string; lines?: number }
    if (code === 'CSV_QUOTE_NOT_CLOSED') throw new UnreadableFile(fieldMessage('file_open_quote'))
    if (code === 'CSV_MAX_RECORD_SIZE') throw new UnreadableFile(TOO_LONG)
    if (code?.startsWith('CSV_') || code?.startsWith('INVALID_'))
      throw new UnreadableFile(
        fieldMessage(
          'file_damaged',
          {},
          `The file is not valid CSV${lines ? ` (line ${lines})` : ''}: ${(error as Error).message}`,
        ),
      )
    throw error
  }
}
