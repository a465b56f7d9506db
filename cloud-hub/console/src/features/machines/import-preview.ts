export interface Preview {
  header: string[]
  /** at most ten; empty where the file is no CSV, which only the hub reads */
  rows: { number: number; cells: string[] }[]
}

const PREVIEW_BYTES = 64_000
const PREVIEW_ROWS = 10

/** The first rows of a CSV file. Separator: what the header has most of, comma, semicolon or tab. Source of quoting: RFC 4180 */
export async function readPreview(file: File): Promise<Preview> {
  if (!/\.csv$/i.test(file.name) && file.type !== 'text/csv') return { header: [], rows: [] }
  const text = (await file.slice(0, PREVIEW_BYTES).text()).replace(/^\uFEFF/, '')
  const firstLine = text.split('\n', 1)[0] ?? ''
  const separator = [',', ';', '\t'].toSorted((a, b) => firstLine.split(b).length - firstLine.split(a).length)[0] as string
  const [header = [], ...rows] = parseRows(text, separator)
  return { header, rows: rows.slice(0, PREVIEW_ROWS).map((cells, index) => ({ number: index + 2, cells })) }
}

function parseRows(text: string, separator: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let isQuoted = false
  const endRow = () => {
    row.push(cell.trim())
    if (row.some((it) => it !== '')) rows.push(row)
    row = []
    cell = ''
  }
  for (let at = 0; at < text.length && rows.length <= PREVIEW_ROWS; at++) {
    const char = text[at] as string
    if (isQuoted && char === '"' && text[at + 1] === '"') {
      cell += '"'
      at++
    } else if (char === '"') isQuoted = !isQuoted
    else if (isQuoted) cell += char
    else if (char === separator) {
      row.push(cell.trim())
      cell = ''
    } else if (char === '\n') endRow()
    else if (char !== '\r') cell += char
  }
  if (cell !== '' || row.length > 0) endRow()
  return rows
}
