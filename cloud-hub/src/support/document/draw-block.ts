import type { PDFImage } from 'pdf-lib'
import QRCode from 'qrcode'
import type { Block } from './blocks.ts'
import { drawTable } from './draw-table.ts'
import { type Colour, INNER, MARGIN, type PageFlow, type TextStyle } from './page-flow.ts'
import type { Element } from './structure.ts'
import { wrap } from './wrap.ts'

type BlockOf<Kind extends Block['kind']> = Extract<Block, { kind: Kind }>
const CODE_SIZE = 84
/** points per pixel: a small photo is not enlarged beyond 96 dpi */
const MAX_SCALE = 0.75

export function drawBlock(flow: PageFlow, block: Block, images: Map<Uint8Array, PDFImage>): void {
  if (block.kind === 'title') drawTitle(flow, block)
  else if (block.kind === 'heading') drawHeading(flow, block.text)
  else if (block.kind === 'paragraph') drawParagraph(flow, block)
  else if (block.kind === 'notice') drawNotice(flow, block)
  else if (block.kind === 'facts') drawFacts(flow, block)
  else if (block.kind === 'figures') drawFigures(flow, block)
  else if (block.kind === 'photos') drawPhotos(flow, block, images)
  else {
    if (block.caption !== undefined) drawHeading(flow, block.caption)
    drawTable(flow, block)
  }
}

const element = (flow: PageFlow, type: 'H1' | 'H2' | 'P' | 'Div' | 'Table') => flow.structure.element(flow.structure.root, type)

/** Lines of text that flow over pages; `flow.y` ends at the last baseline. */
function drawLines(flow: PageFlow, owner: Element, text: string, style: TextStyle, x: number, width: number): void {
  for (const line of wrap(text, style.weight ?? 'regular', style.size, width)) {
    flow.need(style.size * 1.45)
    flow.y -= style.size * 1.45
    flow.text(owner, line, x, flow.y, style)
  }
}

function drawHeading(flow: PageFlow, text: string): void {
  flow.need(84)
  flow.y -= 28
  flow.text(element(flow, 'H2'), text, MARGIN, flow.y, { size: 12, weight: 'bold' })
  flow.y -= 6
}

function drawParagraph(flow: PageFlow, { text, isSmall }: BlockOf<'paragraph'>): void {
  flow.y -= isSmall ? 4 : 2
  drawLines(flow, element(flow, 'P'), text, isSmall ? { size: 8.5, colour: 'muted' } : { size: 10 }, MARGIN, INNER)
  flow.y -= 6
}

/** Brand, title and subtitle, with a QR code at the right. */
function drawTitle(flow: PageFlow, { text, subtitle, code }: BlockOf<'title'>): void {
  const top = flow.y
  const width = code ? INNER - CODE_SIZE - 32 : INNER
  flow.y -= 13
  flow.text(null, 'Haltless', MARGIN, flow.y, { size: 14, weight: 'bold', colour: 'brand' })
  flow.y -= 12
  drawLines(flow, element(flow, 'H1'), text, { size: 20, weight: 'bold' }, MARGIN, width)
  if (subtitle) {
    flow.y -= 2
    drawLines(flow, element(flow, 'P'), subtitle, { size: 11.5, colour: 'muted' }, MARGIN, width)
  }
  flow.y -= 12
  if (!code) return
  drawCode(flow, code.text, MARGIN + INNER - CODE_SIZE, top - CODE_SIZE)
  const caption = element(flow, 'P')
  let y = top - CODE_SIZE - 3
  for (const line of wrap(code.caption, 'regular', 6.8, CODE_SIZE + 20)) {
    y -= 8.5
    flow.textTo(caption, line, MARGIN + INNER, y, { size: 6.8, colour: 'muted' })
  }
  flow.y = Math.min(flow.y, y - 12)
  flow.rule(flow.y)
  flow.y -= 8
}

/** A QR code as filled squares; adjacent ones of a row are one rectangle. Source: ISO/IEC 18004 */
function drawCode(flow: PageFlow, text: string, x: number, y: number): void {
  const { modules } = QRCode.create(text, { errorCorrectionLevel: 'M' })
  const unit = CODE_SIZE / modules.size
  const areas: [number, number, number, number][] = []
  for (let row = 0; row < modules.size; row++) {
    for (let column = 0; column < modules.size; ) {
      let end = column
      while (end < modules.size && modules.get(row, end)) end++
      if (end > column) areas.push([x + column * unit, y + CODE_SIZE - (row + 1) * unit, (end - column) * unit, unit])
      column = end + 1
    }
  }
  flow.fill(areas, 'plain', flow.structure.element(flow.structure.root, 'Figure', `QR code: ${text}`))
}

/** A statement in a pale box with a coloured bar. */
function drawNotice(flow: PageFlow, { tone, title, text }: BlockOf<'notice'>): void {
  const lines = wrap(text, 'regular', 9.5, INNER - 32)
  const height = 34 + lines.length * 13.5
  flow.need(height + 8)
  flow.y -= 8
  flow.fill([[MARGIN, flow.y - height, INNER, height]], 'pale')
  flow.fill([[MARGIN, flow.y - height, 4, height]], tone)
  const owner = element(flow, 'Div')
  let y = flow.y - 20
  flow.text(flow.structure.element(owner, 'P'), title, MARGIN + 18, y, { size: 11.5, weight: 'bold', colour: tone })
  y -= 2.5
  const paragraph = flow.structure.element(owner, 'P')
  for (const line of lines) {
    y -= 13.5
    flow.text(paragraph, line, MARGIN + 18, y, { size: 9.5 })
  }
  flow.y -= height + 4
}

/** Names and values in two columns; a long value gets the whole width. */
function drawFacts(flow: PageFlow, { rows }: BlockOf<'facts'>): void {
  const half = (INNER - 24) / 2
  const nameWidth = 92
  const table = element(flow, 'Table')
  const fitsHalf = (value: string) => wrap(value, 'regular', 9.5, half - nameWidth).length === 1
  const fitting = rows.flatMap((row) => (row.every(([, value]) => fitsHalf(value)) ? [row] : row.map((fact) => [fact])))
  for (const row of fitting.filter((each) => each.length > 0)) {
    const tr = flow.structure.element(table, 'TR')
    const width = row.length === 2 || fitsHalf(row[0]?.[1] ?? '') ? half - nameWidth : INNER - nameWidth
    const columns = row.map(([name, value]) => ({
      name,
      lines: wrap(value, 'regular', 9.5, width),
      header: flow.structure.headerCell(tr, 'Row'),
      cell: flow.structure.element(tr, 'TD'),
    }))
    const height = Math.max(...columns.map(({ lines }) => lines.length))
    for (let n = 0; n < height; n++) {
      flow.need(n === 0 ? 18 : 13.5)
      flow.y -= n === 0 ? 17 : 13.5
      columns.forEach(({ name, lines, header, cell }, i) => {
        const x = MARGIN + i * (half + 24)
        if (n === 0) flow.text(header, name, x, flow.y, { size: 9.5, colour: 'muted' })
        flow.text(cell, lines[n] ?? '', x + nameWidth, flow.y, { size: 9.5 })
      })
    }
  }
  flow.y -= 6
}

/** Key figures beside each other. */
function drawFigures(flow: PageFlow, { figures }: BlockOf<'figures'>): void {
  flow.need(60)
  flow.y -= 32
  const step = INNER / Math.max(figures.length, 4)
  figures.forEach(({ value, label, tone }, i) => {
    const owner = element(flow, 'P')
    flow.text(owner, value, MARGIN + i * step, flow.y, { size: 24, weight: 'bold', colour: tone as Colour })
    flow.text(owner, label, MARGIN + i * step, flow.y - 15, { size: 9.5, colour: 'muted' })
  })
  flow.y -= 29
}

/** Photos in two columns, each with its caption. */
function drawPhotos(flow: PageFlow, { photos }: BlockOf<'photos'>, images: Map<Uint8Array, PDFImage>): void {
  const [gap, maxHeight] = [20, 210]
  const width = (INNER - gap) / 2
  for (let first = 0; first < photos.length; first += 2) {
    const row = photos.slice(first, first + 2).map(({ jpeg, alternative, caption }) => {
      const image = images.get(jpeg) as PDFImage
      const scale = Math.min(width / image.width, maxHeight / image.height, MAX_SCALE)
      const size = [image.width * scale, image.height * scale] as const
      return { image, alternative, size, caption: wrap(caption, 'regular', 8, width) }
    })
    const pictureHeight = Math.max(...row.map(({ size }) => size[1]))
    const captionHeight = Math.max(...row.map(({ caption }) => caption.length)) * 11 + 6
    flow.need(10 + pictureHeight + captionHeight)
    flow.y -= 10 + pictureHeight
    row.forEach(({ image, alternative, size, caption }, i) => {
      const x = MARGIN + i * (width + gap)
      flow.image(
        flow.structure.element(flow.structure.root, 'Figure', alternative),
        image,
        x,
        flow.y + pictureHeight - size[1],
        ...size,
      )
      const owner = element(flow, 'P')
      caption.forEach((line, n) => {
        flow.text(owner, line, x, flow.y + pictureHeight - size[1] - 12 - n * 11, { size: 8, colour: 'muted' })
      })
    })
    flow.y -= captionHeight + 4
  }
}
