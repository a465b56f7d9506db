import { inflateRawSync } from 'node:zlib'
import readSheets from 'read-excel-file/node'
import { fieldMessage } from '../../../../error-codes/field-messages.ts'
import { MAX_LINES, UnreadableFile } from './table.ts'

/** All parts together, unpacked: 500 rows need less than a tenth. */
const MAX_UNPACKED = 20 * 1024 * 1024
const MAX_PARTS = 200
/** Cells beyond this column do not belong to a list of machines. */
const MAX_COLUMN = 200

const damaged = () =>
  new UnreadableFile(fieldMessage('file_damaged', {}, 'The file is not a valid XLSX workbook: save the list as .xlsx or CSV.'))

/**
 * Refuses workbooks that would exhaust memory or time, before a library reads them. It unpacks every part up to a limit, because
 * zip headers may lie about sizes. It also refuses document type declarations (entity expansion) and cells far out. ZIP: APPNOTE
 * 6.3.10, sections 4.3.12 and 4.3.16.
 * @throws UnreadableFile
 */
export function assertSafeWorkbook(zip: Buffer): void {
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  if (end < 0 || end + 22 > zip.length) throw damaged()
  const parts = zip.readUInt16LE(end + 10)
  if (parts > MAX_PARTS)
    throw new UnreadableFile(fieldMessage('file_too_complex', {}, 'The workbook has too many parts: save the list as CSV.'))
  let at = zip.readUInt32LE(end + 16)
  let left = MAX_UNPACKED
  for (let i = 0; i < parts; i++) {
    if (at + 46 > zip.length || zip.readUInt32LE(at) !== 0x02014b50) throw damaged()
    const [method, packed, nameLength, extraLength, commentLength, local] = [
      zip.readUInt16LE(at + 10),
      zip.readUInt32LE(at + 20),
      zip.readUInt16LE(at + 28),
      zip.readUInt16LE(at + 30),
      zip.readUInt16LE(at + 32),
      zip.readUInt32LE(at + 42),
    ]
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength)
    at += 46 + nameLength + extraLength + commentLength
    if (local + 30 > zip.length) throw damaged()
    const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
    const content = unpack(zip.subarray(from, from + packed), method, left)
    left -= content.length
    if (/\.(xml|rels|vml)$/i.test(name)) assertPlainXml(content)
  }
}

function unpack(bytes: Buffer, method: number, limit: number): Buffer {
  const tooLarge = () =>
    new UnreadableFile(
      fieldMessage('file_too_complex', {}, 'The workbook is too large when it is unpacked: save the list as CSV.'),
    )
  if (method === 0) {
    if (bytes.length > limit) throw tooLarge()
    return bytes
  }
  if (method !== 8) throw damaged()
  try {
    return inflateRawSync(bytes, { maxOutputLength: Math.max(limit, 1) })
  } catch (error) {
    throw (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge() : damaged()
  }
}

function assertPlainXml(content: Buffer): void {
  const text = content.toString('latin1')
  if (/<!(DOCTYPE|ENTITY)/i.test(text))
    throw new UnreadableFile(
      fieldMessage('file_too_complex', {}, 'The workbook declares XML entities, which are not allowed: save the list as CSV.'),
    )
  for (const [, letters, digits, isEmpty] of text.matchAll(/<(?:\w+:)?c [^>]*?\br="([A-Z]+)(\d+)"[^>]*?(\/?)>/g)) {
    const column = [...(letters as string)].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0)
    // Gnumeric saves the format of a whole row as 16,384 empty cells, which the reader drops.
    if (Number(digits) > MAX_LINES || (column > MAX_COLUMN && !isEmpty))
      throw new UnreadableFile(
        fieldMessage(
          'file_too_complex',
          {},
          `The sheet uses the cell ${letters}${digits}: this is outside the range of a machine list. Delete cells far from the list.`,
        ),
      )
  }
}

/** The text of a cell: numbers without exponent, dates as ISO dates. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return value.toISOString().replace(/T00:00:00\.000Z$/, '')
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value).toString() : String(value)
  return String(value)
}

/** Lines of the first sheet of a workbook. @throws UnreadableFile */
export async function readXlsx(bytes: Buffer): Promise<{ line: number; cells: string[] }[]> {
  assertSafeWorkbook(bytes)
  const sheets = await readSheets(bytes, { trim: false }).catch(() => {
    throw damaged()
  })
  const rows = (sheets[0]?.data ?? []) as unknown[][]
  return rows.map((row, i) => ({ line: i + 1, cells: row.map(textOf) }))
}
