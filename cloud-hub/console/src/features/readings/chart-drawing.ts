import type uPlot from 'uplot'
import type { Format } from '../../i18n/format.tsx'
import type { ChartContext } from './chart-context.ts'
import type { Series } from './load-series.ts'

const SPAN_COLOURS = { downtime: '--critical', maintenance: '--info', loss: '--offline' } as const

/** Draws what happened behind the lines: baseline bands, downtime, maintenance, losses, thresholds and alerts. */
export function drawContext(
  plot: uPlot,
  { lines, bands, spans, marks }: ChartContext,
  series: readonly Series[],
  format: Format,
  colour: (name: string) => string,
): void {
  const { ctx, bbox } = plot
  const x = (seconds: number) => Math.min(bbox.left + bbox.width, Math.max(bbox.left, plot.valToPos(seconds, 'x', true)))
  const y = (value: number) => Math.min(bbox.top + bbox.height, Math.max(bbox.top, plot.valToPos(value, 'y', true)))
  const unitOf = (metric: string) => series.find((it) => it.metric === metric)?.unit
  ctx.save()
  for (const { metric, low, high } of bands) {
    const unit = unitOf(metric)
    if (unit === undefined) continue
    const [top, bottom] = [y(format.inUnit(high, unit)), y(format.inUnit(low, unit))]
    ctx.globalAlpha = 0.1
    ctx.fillStyle = colour('--healthy')
    ctx.fillRect(bbox.left, Math.min(top, bottom), bbox.width, Math.abs(bottom - top))
  }
  for (const { kind, from, to } of spans) {
    ctx.globalAlpha = 0.14
    ctx.fillStyle = colour(SPAN_COLOURS[kind])
    ctx.fillRect(x(from), bbox.top, Math.max(1, x(to) - x(from)), bbox.height)
  }
  ctx.globalAlpha = 0.9
  ctx.lineWidth = devicePixelRatio
  for (const { metric, value, tone } of lines) {
    const unit = unitOf(metric)
    if (unit === undefined) continue
    const at = plot.valToPos(format.inUnit(value, unit), 'y', true)
    if (at < bbox.top || at > bbox.top + bbox.height) continue
    stroke(ctx, colour(`--${tone}`), [6, 4], bbox.left, at, bbox.left + bbox.width, at)
  }
  for (const { at, tone } of marks) {
    const position = plot.valToPos(at, 'x', true)
    if (position < bbox.left || position > bbox.left + bbox.width) continue
    stroke(ctx, colour(`--${tone}`), [], position, bbox.top, position, bbox.top + bbox.height)
  }
  ctx.restore()
}

function stroke(
  ctx: CanvasRenderingContext2D,
  style: string,
  dash: number[],
  x1: number,
  y1: number,
  x2: number,
  y2: number,
): void {
  ctx.strokeStyle = style
  ctx.setLineDash(dash.map((length) => length * devicePixelRatio))
  ctx.beginPath()
  ctx.moveTo(x1, y1)
  ctx.lineTo(x2, y2)
  ctx.stroke()
}
