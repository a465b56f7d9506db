import type uPlot from 'uplot'
import type { Format } from '../../i18n/create-format.ts'
import type { ChartContext } from './chart-context.ts'
import type { Series } from './series.ts'

export const SPAN_COLOURS = { downtime: '--critical', maintenance: '--info', loss: '--offline' } as const

/** What is drawn beside the lines of a chart, and in what. */
export interface Drawing {
  context: ChartContext
  series: readonly Series[]
  format: Format
  colour(name: string): string
}

/** Behind the grid: baseline bands, downtime, maintenance and losses. */
export function drawAreas(plot: uPlot, { context, series, format, colour }: Drawing): void {
  const { ctx, bbox } = plot
  const x = (seconds: number) => Math.min(bbox.left + bbox.width, Math.max(bbox.left, plot.valToPos(seconds, 'x', true)))
  const y = (value: number) => Math.min(bbox.top + bbox.height, Math.max(bbox.top, plot.valToPos(value, 'y', true)))
  ctx.save()
  for (const { metric, low, high } of context.bands) {
    const unit = series.find((it) => it.metric === metric)?.unit
    if (unit === undefined) continue
    const [top, bottom] = [y(format.inUnit(high, unit)), y(format.inUnit(low, unit))]
    ctx.globalAlpha = 0.1
    ctx.fillStyle = colour('--healthy')
    ctx.fillRect(bbox.left, Math.min(top, bottom), bbox.width, Math.abs(bottom - top))
  }
  for (const { kind, from, to } of context.spans) {
    const [left, right] = [x(from), x(to)]
    if (right === bbox.left || left === bbox.left + bbox.width) continue
    ctx.globalAlpha = 0.14
    ctx.fillStyle = colour(SPAN_COLOURS[kind])
    ctx.fillRect(left, bbox.top, Math.max(devicePixelRatio, right - left), bbox.height)
  }
  ctx.restore()
}

const OTHER_METRIC_ALPHA = 0.3

/** Over the grid: thresholds and alerts. Those of another metric are faint. */
export function drawLines(plot: uPlot, { context, series, format, colour }: Drawing): void {
  const { ctx, bbox } = plot
  ctx.save()
  ctx.lineWidth = 1.5 * devicePixelRatio
  for (const { metric, value, tone } of context.lines) {
    const unit = series.find((it) => it.metric === metric)?.unit
    if (unit === undefined) continue
    const at = plot.valToPos(format.inUnit(value, unit), 'y', true)
    if (at < bbox.top || at > bbox.top + bbox.height) continue
    stroke(ctx, colour(`--${tone}`), [6, 4], [bbox.left, at], [bbox.left + bbox.width, at])
    label(ctx, format.value(value, unit), [bbox.left, at], [colour(`--${tone}`), colour('--paper')])
  }
  for (const { at, tone, metric } of context.marks) {
    const position = plot.valToPos(at, 'x', true)
    if (position < bbox.left || position > bbox.left + bbox.width) continue
    ctx.globalAlpha = series.some((it) => it.metric === metric) ? 1 : OTHER_METRIC_ALPHA
    stroke(ctx, colour(`--${tone}`), [], [position, bbox.top], [position, bbox.top + bbox.height])
    flag(ctx, colour(`--${tone}`), position, bbox.top)
  }
  ctx.restore()
}

type Point = readonly [x: number, y: number]

function stroke(ctx: CanvasRenderingContext2D, style: string, dash: number[], from: Point, to: Point): void {
  ctx.strokeStyle = style
  ctx.setLineDash(dash.map((length) => length * devicePixelRatio))
  ctx.beginPath()
  ctx.moveTo(...from)
  ctx.lineTo(...to)
  ctx.stroke()
}

const LABEL_PX = 11

/** Writes a text above the left end of a line, on a seam of the background. */
function label(ctx: CanvasRenderingContext2D, text: string, [x, y]: Point, [style, seam]: [string, string]): void {
  ctx.save()
  ctx.setLineDash([])
  ctx.font = `${LABEL_PX * devicePixelRatio}px system-ui`
  ctx.textAlign = 'left'
  ctx.textBaseline = 'bottom'
  ctx.strokeStyle = seam
  ctx.lineWidth = 3 * devicePixelRatio
  ctx.lineJoin = 'round'
  ctx.fillStyle = style
  const at = [x + 4 * devicePixelRatio, y - 2 * devicePixelRatio] as const
  ctx.strokeText(text, ...at)
  ctx.fillText(text, ...at)
  ctx.restore()
}

/** A triangle at the head of an alert, as in the lists of alerts. */
function flag(ctx: CanvasRenderingContext2D, style: string, x: number, y: number): void {
  const size = 5 * devicePixelRatio
  ctx.fillStyle = style
  ctx.beginPath()
  ctx.moveTo(x - size, y)
  ctx.lineTo(x + size, y)
  ctx.lineTo(x, y + 1.5 * size)
  ctx.fill()
}

/** Limits that are farther away would press the readings flat. */
const LIMIT_DISTANCE = 1.5

/** The lowest and highest value of a chart, in the user's unit: those of the readings, with thresholds and baselines that are near. */
export function valueRange(low: number, high: number, { context, series, format }: Omit<Drawing, 'colour'>): [number, number] {
  const reach = (high - low || Math.abs(high) * 0.1 || 1) * LIMIT_DISTANCE
  const unitOf = (metric: string) => series.find((it) => it.metric === metric)?.unit
  const limits = [
    ...context.lines.map(({ metric, value }) => ({ metric, value })),
    ...context.bands.flatMap(({ metric, low, high }) => [
      { metric, value: low },
      { metric, value: high },
    ]),
  ].flatMap(({ metric, value }) => {
    const unit = unitOf(metric)
    return unit === undefined ? [] : [format.inUnit(value, unit)]
  })
  const near = limits.filter((value) => value >= low - reach && value <= high + reach)
  return [Math.min(low, ...near), Math.max(high, ...near)]
}
