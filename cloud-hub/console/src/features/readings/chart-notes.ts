import type uPlot from 'uplot'
import type { ChartNote } from './chart-context.ts'

/** The bar at the foot of the plot that marks a note; one of an instant is as wide. */
const BAR_PX = 6
/** How near the cursor must be to a note about an instant. */
const NEAR_PX = 8

/** The notes at an instant, in seconds since 1970. @param tolerance seconds to either side */
export const notesAt = (notes: readonly ChartNote[], at: number, tolerance: number): ChartNote[] =>
  notes.filter(({ from, to }) => from - tolerance <= at && at <= to + tolerance)

/** A bar for each note at the foot of the plot, and a light band for a range. */
export function drawNotes(plot: uPlot, notes: readonly ChartNote[], style: string): void {
  const { ctx, bbox } = plot
  const [start, end] = [bbox.left, bbox.left + bbox.width]
  const bar = BAR_PX * devicePixelRatio
  ctx.fillStyle = style
  for (const { from, to } of notes) {
    const [left, right] = [plot.valToPos(from, 'x', true), plot.valToPos(to, 'x', true)]
    if (right < start || left > end) continue
    const [first, last] = [Math.max(start, left), Math.min(end, right)]
    ctx.globalAlpha = 0.1
    ctx.fillRect(first, bbox.top, Math.max(devicePixelRatio, last - first), bbox.height)
    ctx.globalAlpha = 1
    const width = Math.max(bar, last - first)
    ctx.fillRect(Math.min(first, end - width), bbox.top + bbox.height - bar, width, bar)
  }
}

/** Shows the texts of the notes at the cursor, which the mouse, a finger and the keys move. */
export function showNotes(plot: uPlot, notes: readonly ChartNote[]): void {
  const { over, cursor } = plot
  const known = over.querySelector<HTMLElement>('.uplot-note')
  const left = cursor.left ?? -1
  const tolerance = plot.posToVal(NEAR_PX, 'x') - plot.posToVal(0, 'x')
  const found = left < 0 ? [] : notesAt(notes, plot.posToVal(left, 'x'), tolerance)
  if (found.length === 0) {
    known?.remove()
    return
  }
  const note = known ?? over.appendChild(Object.assign(document.createElement('div'), { className: 'uplot-note' }))
  note.textContent = found.map(({ text }) => text).join('\n')
  // on the side where the cursor is not
  note.toggleAttribute('data-right', left < over.clientWidth / 2)
}
