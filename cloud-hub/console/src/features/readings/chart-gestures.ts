import type uPlot from 'uplot'
import type { Range } from './series.ts'

interface Gestures {
  /** the range that the chart shows now */
  range(): Range
  /** shows a range while a gesture goes on */
  preview(range: Range): void
  /** the gesture has ended on a range */
  end(range: Range): void
}

const WHEEL_STEP = 1.0015
const WHEEL_END_MS = 250
/** A finger that moves less has tapped. */
const MIN_MOVE_PX = 4

/** The range seen through a window whose points moved: each finger keeps the instant that it touched. */
export function gripped(range: Range, width: number, before: readonly number[], now: readonly number[]): Range {
  const scale = (range.to - range.from) / width
  const [a0 = 0, b0] = before
  const [a1 = 0, b1] = now
  const ratio = b0 === undefined || b1 === undefined || Math.abs(b1 - a1) < 1 ? 1 : (b0 - a0) / (b1 - a1)
  const next = scale * Math.abs(ratio)
  const from = range.from + a0 * scale - a1 * next
  return { from, to: from + next * width }
}

/**
 * Moves and zooms a chart: drag with shift or one finger to move, two fingers or the wheel with control to zoom. A drag without
 * shift is uPlot's own selection.
 */
export function followGestures(plot: uPlot, { range, preview, end }: Gestures): void {
  const { over } = plot
  const grips = new Map<number, { from: number; at: number }>()
  let start: Range | null = null
  /** since the first finger touched: the fingers leave one after the other, the last one mostly without a move */
  let hasMoved = false
  const positionOf = (event: PointerEvent | WheelEvent) => event.clientX - over.getBoundingClientRect().left
  const grip = () => {
    for (const held of grips.values()) held.from = held.at
    start = range()
  }
  const seen = () => {
    const held = [...grips.values()]
    return gripped(
      start as Range,
      over.clientWidth,
      held.map(({ from }) => from),
      held.map(({ at }) => at),
    )
  }
  over.addEventListener('pointerdown', (event) => {
    if (event.pointerType === 'mouse' && !(event.shiftKey && event.button === 0)) return
    if (grips.size === 2) return
    over.setPointerCapture(event.pointerId)
    const at = positionOf(event)
    grips.set(event.pointerId, { from: at, at })
    grip()
  })
  over.addEventListener('pointermove', (event) => {
    const held = grips.get(event.pointerId)
    if (!held) return
    held.at = positionOf(event)
    hasMoved ||= grips.size > 1 || Math.abs(held.at - held.from) >= MIN_MOVE_PX
    if (hasMoved) preview(seen())
  })
  over.addEventListener('pointerup', (event) => {
    if (!grips.has(event.pointerId)) return
    const last = seen()
    grips.delete(event.pointerId)
    if (grips.size > 0) return grip()
    if (hasMoved) end(last)
    hasMoved = false
  })
  // the finger scrolls the page instead
  over.addEventListener('pointercancel', (event) => {
    if (!grips.delete(event.pointerId) || !start) return
    preview(start)
    hasMoved = false
  })

  let ended: ReturnType<typeof setTimeout> | undefined
  over.addEventListener(
    'wheel',
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return
      event.preventDefault()
      const { from, to } = range()
      const ratio = WHEEL_STEP ** event.deltaY
      const center = from + (positionOf(event) / over.clientWidth) * (to - from)
      preview({ from: center - (center - from) * ratio, to: center + (to - center) * ratio })
      clearTimeout(ended)
      ended = setTimeout(() => end(range()), WHEEL_END_MS)
    },
    { passive: false },
  )
}
