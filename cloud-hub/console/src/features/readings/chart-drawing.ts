import type uPlot from 'uplot'
import type { Format } from '../../i18n/create-format.ts'
import type { ChartContext, Tone } from './chart-context.ts'
import { drawNotes } from './chart-notes.ts'
import type { Series } from './series.ts'

export const SPAN_COLOURS = { downtime: '--critical', maintenance: '--info', loss: '--offline' } as const

/** What is drawn beside the lines of a chart, and in what. */
export interface Drawing {
  context: ChartContext
  series: readonly Series[]
  format: Format
  colour(name: string): string
}

/** Behind the grid: zones beyond thresholds, baseline bands, downtime, maintenance, losses and notes. */
export function drawAreas(plot: uPlot, { context, series, format, colour }: Drawing): void {
  const { ctx, bbox } = plot
  const x = (seconds: number) => Math.min(bbox.left + bbox.width, Math.max(bbox.left, plot.valToPos(seconds, 'x', true)))
  const y = (value: number) => Math.min(bbox.top + bbox.height, Math.max(bbox.top, plot.valToPos(value, 'y', true)))
  ctx.save()
  // those of several metrics would lie over each other
  const isOfOne =
    new Set(context.zones.filter(({ metric }) => series.some((it) => it.metric === metric)).map(({ metric }) => metric)).size ===
    1
  for (const { metric, low, high, tone } of isOfOne ? context.zones : []) {
    const unit = series.find((it) => it.metric === metric)?.unit
    if (unit === undefined) continue
    const [top, bottom] = [high, low].map((value) =>
      Number.isFinite(value) ? y(format.inUnit(value, unit)) : value > 0 ? bbox.top : bbox.top + bbox.height,
    ) as [number, number]
    ctx.globalAlpha = ZONE_ALPHA
    ctx.fillStyle = colour(`--${tone}`)
    ctx.fillRect(bbox.left, top, bbox.width, bottom - top)
  }
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
  drawNotes(plot, context.notes, colour('--brand'))
  ctx.restore()
}

const ZONE_ALPHA = 0.09
/** Alerts that are closer together have one flag. */
const FLAG_PX = 9

/** Over the grid: thresholds, and the alerts of the metrics of this chart. */
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
    label(ctx, format.limit(value, unit), [bbox.left, at], [colour(`--${tone}`), colour('--paper')])
  }
  for (const { at, tone } of flagsOf(plot, context.marks, series)) {
    stroke(ctx, colour(`--${tone}`), [1, 3], [at, bbox.top], [at, bbox.top + bbox.height])
    flag(ctx, colour(`--${tone}`), at, bbox.top)
  }
  ctx.restore()
}

const TONES: readonly Tone[] = ['info', 'warning', 'critical']

/** Where flags stand, in pixels of the canvas; of alerts that are close together the most severe has it. */
function flagsOf(plot: uPlot, marks: ChartContext['marks'], series: readonly Series[]): { at: number; tone: Tone }[] {
  const { left, width } = plot.bbox
  const flags: { at: number; tone: Tone }[] = []
  const own = marks.filter(({ metric }) => series.some((it) => it.metric === metric)).toSorted((a, b) => a.at - b.at)
  for (const { at: seconds, tone } of own) {
    const at = plot.valToPos(seconds, 'x', true)
    if (at < left || at > left + width) continue
    const last = flags.at(-1)
    if (last && at - last.at < FLAG_PX * devicePixelRatio) {
      if (TONES.indexOf(tone) > TONES.indexOf(last.tone)) last.tone = tone
    } else flags.push({ at, tone })
  }
  return flags
}

const END_PX = 12
const END_DIGITS = 3

/** The newest value of each line in view, at its end. Texts that would overlap move apart. */
export function drawEnds(plot: uPlot, { series, format, colour }: Drawing, colours: readonly string[]): void {
  const { ctx, bbox } = plot
  const [min, max] = [plot.scales.x?.min ?? 0, plot.scales.x?.max ?? 0]
  const times = plot.data[0]
  const ends = series.flatMap(({ unit }, place) => {
    const values = plot.data[place + 1] ?? []
    for (let at = times.length - 1; at >= 0; at--) {
      const [time, value] = [times[at] as number, values[at]]
      if (time < min) break
      if (time > max || value == null) continue
      const y = plot.valToPos(value, 'y', true)
      return [
        {
          x: plot.valToPos(time, 'x', true),
          y,
          textY: y,
          text: format.tick(Number(value.toPrecision(Math.abs(value) < 1_000 ? END_DIGITS : 15)), unit),
          style: colours[place] as string,
        },
      ]
    }
    return []
  })
  ends.sort((a, b) => a.y - b.y)
  const line = (END_PX + 2) * devicePixelRatio
  for (const [place, end] of ends.entries())
    end.textY = Math.max(end.textY, (ends[place - 1]?.textY ?? Number.NEGATIVE_INFINITY) + line)
  ctx.save()
  ctx.setLineDash([])
  ctx.font = `600 ${END_PX * devicePixelRatio}px ${fontFamily()}`
  ctx.textAlign = 'left'
  ctx.textBaseline = 'middle'
  ctx.lineWidth = 3 * devicePixelRatio
  ctx.lineJoin = 'round'
  ctx.strokeStyle = colour('--paper')
  for (const { x, y, textY, text, style } of ends) {
    ctx.fillStyle = style
    ctx.beginPath()
    ctx.arc(x, y, 3.5 * devicePixelRatio, 0, 2 * Math.PI)
    ctx.fill()
    const left = bbox.left + bbox.width + 8 * devicePixelRatio
    // beside the end of the line, or at the edge where it reaches that
    const at = [Math.min(left, x + 8 * devicePixelRatio), textY] as const
    ctx.strokeText(text, ...at)
    ctx.fillText(text, ...at)
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

/** That of the page: a canvas inherits none. */
export const fontFamily = () => getComputedStyle(document.documentElement).fontFamily

/** Writes a text above the left end of a line, on a seam of the background. */
function label(ctx: CanvasRenderingContext2D, text: string, [x, y]: Point, [style, seam]: [string, string]): void {
  ctx.save()
  ctx.setLineDash([])
  ctx.font = `${LABEL_PX * devicePixelRatio}px ${fontFamily()}`
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

/** A small flag on its pole. */
function flag(ctx: CanvasRenderingContext2D, style: string, x: number, y: number): void {
  const [length, height] = [FLAG_PX * devicePixelRatio, 7 * devicePixelRatio]
  ctx.fillStyle = style
  ctx.fillRect(x - devicePixelRatio / 2, y, devicePixelRatio, 2 * height)
  ctx.beginPath()
  ctx.moveTo(x, y)
  ctx.lineTo(x + length, y + height / 2)
  ctx.lineTo(x, y + height)
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
