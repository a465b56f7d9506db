import type { Block, Cell, Column } from './blocks.ts'
import { INNER, MARGIN, PageFlow, type TextStyle } from './page-flow.ts'
import type { Element } from './structure.ts'
import { wrap } from './wrap.ts'

type TableBlock = Extract<Block, { kind: 'table' }>
/** A line of a cell, with its style. */
type Line = { text: string; style: TextStyle }

const CELL: TextStyle = { size: 9 }
const DETAIL: TextStyle = { size: 8, colour: 'muted' }
const NAME: TextStyle = { size: 8.5, weight: 'bold', colour: 'muted' }
/** distance of two baselines, space above the first and below the last line, space between columns */
const [LEADING, ABOVE, BELOW, GAP] = [12, 13.5, 6.5, 10]
/** A row of up to this share of a page starts a new page rather than being split. */
const KEEP_TOGETHER = 0.4

/** A table. Its head repeats on every page; a row longer than the rest of a page is split between lines. */
export function drawTable(flow: PageFlow, { columns, rows, none }: TableBlock): void {
  const { structure } = flow
  if (rows.length === 0) {
    flow.need(20)
    flow.y -= 13
    flow.text(structure.element(structure.root, 'P'), none, MARGIN, flow.y, { size: 9.5, colour: 'muted' })
    flow.y -= 6
    return
  }
  const table = structure.element(structure.root, 'Table')
  const layout = columnsOf(columns)
  const names = layout.map(({ name, width }) => wrap(name, 'bold', NAME.size, width).map((text) => ({ text, style: NAME })))
  const head = (elements: Element[]) => drawRow(flow, layout, names, elements, () => {})
  flow.need(64)
  const headRow = structure.element(table, 'TR')
  head(columns.map(() => structure.headerCell(headRow, 'Column')))
  for (const row of rows) {
    const cells = row.map((cell, i) => linesOf(cell, layout[i]?.width as number))
    const height = ABOVE + BELOW + (Math.max(...cells.map((lines) => lines.length)) - 1) * LEADING
    if (flow.need(Math.min(height, PageFlow.pageHeight * KEEP_TOGETHER))) head([])
    const element = structure.element(table, 'TR')
    const elements = cells.map(() => structure.element(element, 'TD'))
    drawRow(flow, layout, cells, elements, () => head([]))
  }
}

/** A column with its left edge and its width. */
type PlacedColumn = Column & { x: number; width: number }

function columnsOf(columns: Column[]): PlacedColumn[] {
  const shares = columns.reduce((sum, { share }) => sum + share, 0)
  let x = MARGIN
  return columns.map((column, i) => {
    const whole = (column.share / shares) * INNER
    const placed = { ...column, x, width: whole - (i === columns.length - 1 ? 0 : GAP) }
    x += whole
    return placed
  })
}

/** @param elements the cells; a repeated head has none, because it is not content */
function drawRow(flow: PageFlow, columns: PlacedColumn[], cells: Line[][], elements: Element[], repeatHead: () => void): void {
  const height = Math.max(...cells.map((lines) => lines.length))
  for (let n = 0; n < height; n++) {
    const step = n === 0 ? ABOVE : LEADING
    if (flow.need(step + BELOW)) repeatHead()
    flow.y -= step
    columns.forEach(({ x, width, isNumber }, i) => {
      const line = cells[i]?.[n]
      if (!line) return
      if (isNumber) flow.textTo(elements[i] ?? null, line.text, x + width, flow.y, line.style)
      else flow.text(elements[i] ?? null, line.text, x, flow.y, line.style)
    })
  }
  flow.y -= BELOW
  flow.rule(flow.y)
}

function linesOf(cell: Cell, width: number): Line[] {
  const { text, tone = 'plain', isBold = false, detail } = typeof cell === 'string' ? { text: cell } : cell
  const style: TextStyle = { ...CELL, weight: isBold ? 'bold' : 'regular', colour: tone }
  const main = wrap(text, style.weight as 'bold' | 'regular', CELL.size, width).map((line) => ({ text: line, style }))
  const more = detail ? wrap(detail, 'regular', DETAIL.size, width).map((line) => ({ text: line, style: DETAIL })) : []
  return [...main, ...more]
}
