import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import fontkit from '@cantoo/fontkit'
import { PDFDocument, type PDFFont, type PDFPage, rgb } from 'pdf-lib'
import { type MailContent, type MailTable, TONES } from '../../../support/mail-layout.ts'

/** A4, in points. */
const [WIDTH, HEIGHT, MARGIN] = [595.28, 841.89, 48]
const INNER = WIDTH - 2 * MARGIN
const FOOT = 40
/** font size and line height in tables */
const [CELL_SIZE, CELL_LEAD] = [9, 11]

/** Latin, Greek and Cyrillic letters (Arimo, OFL). The built-in PDF fonts contain only Western European ones. */
const require = createRequire(import.meta.url)
const FONTS = [
  require.resolve('@expo-google-fonts/arimo/400Regular/Arimo_400Regular.ttf'),
  require.resolve('@expo-google-fonts/arimo/700Bold/Arimo_700Bold.ttf'),
] as const
/**
 * One glyph per letter, without ligatures: text search works, and layout takes a quarter of the time. Kerning would only affect
 * measurements.
 */
const FEATURES = Object.fromEntries(
  ['liga', 'clig', 'calt', 'rlig', 'rclt', 'ccmp', 'locl', 'rvrn', 'frac', 'numr', 'dnom', 'kern', 'mark', 'mkmk', 'curs'].map(
    (name) => [name, false],
  ),
)
let fontFiles: Promise<[Buffer, Buffer]> | undefined

/** Replaces a letter that the font lacks. */
const UNKNOWN = '\u25a1'

const colour = (hex: string) => {
  const [r, g, b] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255) as [number, number, number]
  return rgb(r, g, b)
}
const [INK, MUTED, BRAND, LINE] = ['#1d2730', '#5b6770', '#0f5c8c', '#d5dbe0'].map(colour) as [
  ReturnType<typeof rgb>,
  ReturnType<typeof rgb>,
  ReturnType<typeof rgb>,
  ReturnType<typeof rgb>,
]

/** A mail's content as a PDF: title, paragraphs, figures and tables, over as many pages as necessary. */
export async function drawPdf(content: MailContent): Promise<Buffer> {
  const pdf = await PDFDocument.create()
  pdf.setTitle(content.subject)
  pdf.setProducer('Haltless')
  pdf.registerFontkit(fontkit)
  fontFiles ??= Promise.all([readFile(FONTS[0]), readFile(FONTS[1])])
  const [regularFile, boldFile] = await fontFiles
  const options = { subset: true, features: FEATURES }
  const [regular, bold] = [await pdf.embedFont(regularFile, options), await pdf.embedFont(boldFile, options)]
  const known = new Set(regular.getCharacterSet())
  let hasUnknown = false
  const safe = (text: string) =>
    [
      ...text
        .normalize('NFC')
        .replace(/\s+/g, ' ')
        .replace(/\p{Cc}|\p{Cf}/gu, ''),
    ]
      .map((c) => {
        if (known.has(c.codePointAt(0) as number)) return c
        const base = c.normalize('NFKD').charAt(0)
        if (known.has(base.codePointAt(0) as number)) return base
        hasUnknown = true
        return UNKNOWN
      })
      .join('')

  let page: PDFPage = pdf.addPage([WIDTH, HEIGHT])
  let y = HEIGHT - MARGIN
  const room = (height: number) => {
    if (y - height >= MARGIN + FOOT) return false
    page = pdf.addPage([WIDTH, HEIGHT])
    y = HEIGHT - MARGIN
    return true
  }
  const write = (text: string, x: number, size: number, font: PDFFont, ink = INK) =>
    page.drawText(text, { x, y, size, font, color: ink })
  const paragraph = (text: string, size: number, font: PDFFont, ink = INK) => {
    for (const line of wrapped(safe(text), font, size, INNER)) {
      room(size * 1.4)
      y -= size * 1.4
      write(line, MARGIN, size, font, ink)
    }
    y -= size * 0.6
  }

  y -= 14
  write('Haltless', MARGIN, 14, bold, BRAND)
  y -= 10
  paragraph(content.subject, 18, bold)
  for (const text of content.paragraphs) paragraph(text, 10.5, regular)

  const { figures = [] } = content
  if (figures.length > 0) {
    room(56)
    y -= 30
    const step = INNER / Math.max(figures.length, 4)
    figures.forEach(({ value, tone }, i) => {
      write(safe(value), MARGIN + i * step, 24, bold, colour(TONES[tone]))
    })
    y -= 15
    figures.forEach(({ label }, i) => {
      write(safe(label), MARGIN + i * step, 9.5, regular, MUTED)
    })
    y -= 14
  }
  for (const table of content.tables ?? []) drawTable(table)
  if (content.footnote) {
    y -= 8
    paragraph(content.footnote, 8.5, regular, MUTED)
  }
  if (hasUnknown && content.pdf) paragraph(content.pdf.unknownLetters, 8.5, regular, MUTED)

  function drawTable({ title, columns, rows, none }: MailTable): void {
    const shares = columns.reduce((sum, { share }) => sum + share, 0)
    const starts = columns.map(
      (_, i) => MARGIN + (columns.slice(0, i).reduce((sum, { share }) => sum + share, 0) / shares) * INNER,
    )
    const widths = columns.map(({ share }) => (share / shares) * INNER - 8)
    const linesOf = (cells: string[], font: PDFFont) =>
      cells.map((cell, i) => wrapped(safe(cell), font, CELL_SIZE, widths[i] as number))
    const row = (cells: string[][], font: PDFFont, ink = INK) => {
      for (let n = 0; n < Math.max(...cells.map((lines) => lines.length)); n++) {
        y -= n === 0 ? 13 : CELL_LEAD
        cells.forEach((lines, i) => {
          const text = lines[n]
          if (text === undefined) return
          const indent = columns[i]?.isNumber ? (widths[i] as number) - font.widthOfTextAtSize(text, CELL_SIZE) : 0
          write(text, (starts[i] as number) + indent, CELL_SIZE, font, ink)
        })
      }
      y -= 5
      page.drawLine({ start: { x: MARGIN, y }, end: { x: WIDTH - MARGIN, y }, thickness: 0.5, color: LINE })
    }
    const names = columns.map(({ name }) => name)
    const head = () => row(linesOf(names, bold), bold, MUTED)
    room(80)
    y -= 24
    write(safe(title), MARGIN, 12, bold)
    y -= 4
    if (rows.length === 0) {
      paragraph(none, 9.5, regular, MUTED)
      return
    }
    head()
    for (const cells of rows) {
      const lines = linesOf(cells, regular)
      if (room(18 + (Math.max(...lines.map((each) => each.length)) - 1) * CELL_LEAD)) head()
      row(lines, regular)
    }
  }

  const pages = pdf.getPages()
  pages.forEach((each, i) => {
    const text = `${i + 1} / ${pages.length}`
    each.drawText(text, {
      x: WIDTH - MARGIN - regular.widthOfTextAtSize(text, 8.5),
      y: MARGIN - 12,
      size: 8.5,
      font: regular,
      color: MUTED,
    })
  })
  return Buffer.from(await pdf.save())
}

/** Wraps text to a width between words; a longer word is split. Nothing is cut off. */
function wrapped(text: string, font: PDFFont, size: number, width: number): string[] {
  const fits = (line: string) => font.widthOfTextAtSize(line, size) <= width
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : word
    if (lines.length > 0 && fits(longer)) {
      lines[lines.length - 1] = longer
      continue
    }
    let rest = ''
    for (const letter of word) {
      if (rest !== '' && !fits(rest + letter)) {
        lines.push(rest)
        rest = ''
      }
      rest += letter
    }
    lines.push(rest)
  }
  return lines
}
