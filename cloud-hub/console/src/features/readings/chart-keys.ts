import uPlot from 'uplot'
import type { Range } from './series.ts'

interface Keys {
  /** names the plot for assistive technology */
  label: string
  /** the id of the element that explains the keys */
  hintId: string
  /** the readings at an index, in words; '' where there is none */
  describe(index: number): string
  /** `select` takes what was selected. Absent: the chart shows its range only */
  zoom?: { range(): Range; to(range: Range): void; select(range: Range): void } | undefined
}

/** Shift and an arrow move the chart by this share of its range. */
const PAN_SHARE = 0.25
/** A page is this share of the range. */
const PAGE_SHARE = 0.1
const ZOOM_FACTOR = 2
export const SYNC_KEY = 'machine'

/** The next index from `index` in a direction that `has` accepts; null where there is none. */
export function nextIndex(index: number, step: 1 | -1, length: number, has: (index: number) => boolean): number | null {
  for (let at = index + step; at >= 0 && at < length; at += step) if (has(at)) return at
  return null
}

/** The range of another length around an instant, which keeps its place. */
export function zoomed({ from, to }: Range, factor: number, at: number): Range {
  return { from: at - (at - from) * factor, to: at + (to - at) * factor }
}

/**
 * Reads and zooms a chart by keyboard: what the mouse does by hovering, dragging and the wheel. The plot is a slider for assistive
 * technology, whose value is the reading at the cursor.
 */
export function followKeys(plot: uPlot, keys: Keys): void {
  const { over } = plot
  const { zoom } = keys
  /** where a selection begins, seconds since 1970 */
  let start: number | null = null
  over.tabIndex = 0
  set({
    role: 'slider',
    'aria-label': keys.label,
    'aria-describedby': keys.hintId,
    'aria-valuemin': '0',
    'aria-valuemax': '100',
    'aria-valuenow': '100',
  })

  function set(attributes: Record<string, string>) {
    for (const [name, value] of Object.entries(attributes)) over.setAttribute(name, value)
  }
  const times = () => plot.data[0]
  const bounds = () => [plot.scales.x?.min ?? 0, plot.scales.x?.max ?? 0] as const
  const isShown = (index: number) => {
    const [min, max] = bounds()
    const at = times()[index] as number
    return at >= min && at <= max && plot.data.some((values, series) => series > 0 && values[index] != null)
  }
  const move = (left: number, top: number) => {
    plot.setCursor({ left, top })
    uPlot.sync(SYNC_KEY).pub('mousemove', plot, left, top, over.clientWidth, over.clientHeight, plot.cursor.idx ?? 0)
  }
  const showSelection = () => {
    const [from, to] = start === null ? [0, 0] : [plot.valToPos(start, 'x'), plot.cursor.left ?? 0]
    const height = start === null ? 0 : over.clientHeight
    plot.setSelect({ left: Math.min(from, to), width: Math.abs(to - from), top: 0, height }, false)
  }
  const read = (index: number | null) => {
    if (index === null) return
    const [min, max] = bounds()
    const at = times()[index] as number
    const value = plot.data.slice(1).find((values) => values[index] != null)?.[index] ?? 0
    move(plot.valToPos(at, 'x'), plot.valToPos(value, 'y'))
    showSelection()
    set({
      'aria-valuenow': String(Math.round(((at - min) / (max - min)) * 100)),
      'aria-valuetext': keys.describe(index),
    })
  }
  const step = (direction: 1 | -1, from = plot.cursor.idx) =>
    read(nextIndex(from ?? (direction === 1 ? -1 : times().length), direction, times().length, isShown))
  const page = (direction: 1 | -1) => {
    const [min, max] = bounds()
    const index = plot.cursor.idx ?? times().length - 1
    const goal = plot.valToIdx((times()[index] ?? max) + direction * (max - min) * PAGE_SHARE)
    const first = direction === 1 ? Math.max(goal, index + 1) : Math.min(goal, index - 1)
    const length = times().length
    read(nextIndex(first - direction, direction, length, isShown) ?? nextIndex(first, direction === 1 ? -1 : 1, length, isShown))
  }
  const select = () => {
    const at = times()[plot.cursor.idx ?? -1]
    if (!zoom || at === undefined) return
    const began = start
    start = began === null ? at : null
    showSelection()
    if (began !== null && began !== at) zoom.select({ from: Math.min(began, at) * 1000, to: Math.max(began, at) * 1000 })
  }
  const pan = (direction: 1 | -1) => {
    if (!zoom) return
    const { from, to } = zoom.range()
    const by = (to - from) * PAN_SHARE * direction
    zoom.to({ from: from + by, to: to + by })
  }
  const scale = (factor: number) => {
    if (!zoom) return
    const at = times()[plot.cursor.idx ?? -1]
    zoom.to(zoomed(zoom.range(), factor, at === undefined ? zoom.range().to : at * 1000))
  }
  /** @returns whether the key has a meaning here */
  const act = ({ key, shiftKey }: KeyboardEvent): boolean => {
    if (key === 'ArrowLeft' || key === 'ArrowRight') {
      const direction = key === 'ArrowLeft' ? -1 : 1
      if (shiftKey) pan(direction)
      else step(direction)
    } else if (key === 'PageDown' || key === 'PageUp') page(key === 'PageDown' ? -1 : 1)
    else if (key === 'Home') step(1, -1)
    else if (key === 'End') step(-1, times().length)
    else if (key === '+') scale(1 / ZOOM_FACTOR)
    else if (key === '-') scale(ZOOM_FACTOR)
    else if (key === 'Enter' || key === ' ') select()
    else if (key === 'Escape' && start !== null) {
      start = null
      showSelection()
    } else return false
    return true
  }
  over.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !act(event)) return
    // a dialog around the chart stays open, and the page does not scroll
    event.preventDefault()
    event.stopPropagation()
  })
  over.addEventListener('blur', () => {
    start = null
    showSelection()
    move(-10, -10)
  })
}
