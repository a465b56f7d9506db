import uPlot from 'uplot'
import { SYNC_KEY } from './chart-keys.ts'

const NARROW = 500
/** What the axis of values has at least, on narrow and on wide charts. */
const [NARROW_PX, WIDE_PX] = [46, 60]
/** Of the tick and the gaps beside a text. */
const BESIDE_PX = 14

/** What the texts of each chart need, and what it has. */
const needed = new WeakMap<uPlot, number>()
const given = new WeakMap<uPlot, number>()

/**
 * The width of the axis of values: no number of it is cut. The charts of a page have the same, so that their times are under each other: one
 * that has another width is drawn again.
 */
export function axisSize(plot: uPlot, texts: readonly (string | null)[] | null, place: number): number {
  needed.set(plot, Math.max(plot.width < NARROW ? NARROW_PX : WIDE_PX, Math.ceil(longest(plot, texts, place)) + BESIDE_PX))
  const others = () => uPlot.sync(SYNC_KEY).plots.filter((it) => it !== plot)
  const size = Math.max(...[plot, ...others()].map((it) => needed.get(it) ?? 0))
  given.set(plot, size)
  queueMicrotask(() => {
    for (const other of others()) if (given.has(other) && given.get(other) !== given.get(plot)) other.redraw(false, true)
  })
  return size
}

function longest({ ctx, axes }: uPlot, texts: readonly (string | null)[] | null, place: number): number {
  const font: unknown = axes[place]?.font
  if (!texts || !Array.isArray(font)) return 0
  ctx.save()
  ctx.font = font[0]
  const widths = texts.map((text) => (text ? ctx.measureText(text).width / devicePixelRatio : 0))
  ctx.restore()
  return Math.max(0, ...widths)
}
