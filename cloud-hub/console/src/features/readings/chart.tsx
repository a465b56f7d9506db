import 'uplot/dist/uPlot.min.css'
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import { type Format, useFormat } from '../../i18n/format.tsx'
import type { ChartContext } from './chart-context.ts'
import { drawContext } from './chart-drawing.ts'
import type { Range, Series } from './load-series.ts'

const HEIGHT = 260
const PALETTE = ['--brand', '--healthy', '--warning', '--critical', '--soft'] as const

const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

/** Series of one unit over a range. Dragging over the chart zooms in; a double click zooms out. */
export default function Chart({
  series,
  range,
  context,
  onZoom,
  onZoomOut,
}: {
  series: readonly Series[]
  range: Range
  context: ChartContext
  onZoom(range: Range): void
  onZoomOut(): void
}) {
  const format = useFormat()
  const frame = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const state = useRef({ context, onZoom, onZoomOut, range })
  state.current = { context, onZoom, onZoomOut, range }
  const names = series.map(({ metric }) => metric).join(' ')
  const unit = series[0]?.unit ?? ''

  // the axes, and what is drawn behind the lines, depend on colours that follow the theme
  // biome-ignore lint/correctness/useExhaustiveDependencies: a chart is made anew for other series; its data are set below
  useEffect(() => {
    const element = frame.current as HTMLDivElement
    const make = () => {
      plot.current?.destroy()
      plot.current = new uPlot(
        options(element.clientWidth, series, unit, format, () => state.current),
        dataOf(series, format),
        element,
      )
    }
    make()
    const sizes = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height: HEIGHT }))
    sizes.observe(element)
    const theme = new MutationObserver(make)
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => {
      sizes.disconnect()
      theme.disconnect()
      plot.current?.destroy()
      plot.current = null
    }
  }, [names, unit, format])
  useEffect(() => {
    plot.current?.setData(dataOf(series, format), false)
    plot.current?.setScale('x', { min: range.from / 1000, max: range.to / 1000 })
  }, [series, range, format])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawing reads it from the ref
  useEffect(() => plot.current?.redraw(), [context])

  return <div ref={frame} className="uplot-frame min-w-0" />
}

/** All series on one time axis, in the unit of the user. */
function dataOf(series: readonly Series[], format: Format): uPlot.AlignedData {
  const tables = series.map(
    ({ times, values, unit }) =>
      [times, values.map((value) => (value === null ? null : format.inUnit(value, unit)))] as uPlot.AlignedData,
  )
  if (tables.length === 0) return [[]]
  return tables.length === 1
    ? (tables[0] as uPlot.AlignedData)
    : uPlot.join(
        tables,
        tables.map((table) => table.map(() => 2)),
      )
}

function options(
  width: number,
  series: readonly Series[],
  unit: string,
  format: Format,
  current: () => { context: ChartContext; onZoom(range: Range): void; onZoomOut(): void; range: Range },
): uPlot.Options {
  const axis = {
    stroke: colour('--soft'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { stroke: colour('--line') },
    font: '12px system-ui',
  }
  return {
    width,
    height: HEIGHT,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), format.timeZone),
    cursor: { drag: { x: true, y: false, setScale: false }, sync: { key: 'machine' }, points: { size: 7 } },
    legend: { show: true, live: true },
    scales: { x: { time: true, auto: false, range: () => [current().range.from / 1000, current().range.to / 1000] } },
    axes: [
      { ...axis, values: (_plot, splits, _axis, _space, step) => splits.map((at) => axisTime(at, step, format)) },
      { ...axis, size: 64, values: (_plot, splits) => splits.map((value) => format.number(value)) },
    ],
    series: [
      { label: format.timeName, value: (_plot, at) => (at === null ? '' : format.seconds(new Date(at * 1000))) },
      ...series.map(({ metric }, index) => ({
        label: format.metric(metric),
        stroke: colour(PALETTE[index % PALETTE.length] as string),
        width: 1.75,
        spanGaps: false,
        points: { show: false },
        value: (_plot: uPlot, value: number | null) =>
          value === null ? '–' : `${format.number(value)} ${format.unitName(unit)}`.trim(),
      })),
    ],
    hooks: {
      drawClear: [(plot) => drawContext(plot, current().context, series, format, colour)],
      setSelect: [
        (plot) => {
          const { left, width: size } = plot.select
          if (size < 4) return
          const [from, to] = [plot.posToVal(left, 'x'), plot.posToVal(left + size, 'x')]
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
          current().onZoom({ from: Math.round(from * 1000), to: Math.round(to * 1000) })
        },
      ],
      ready: [(plot) => plot.over.addEventListener('dblclick', () => current().onZoomOut())],
    },
  }
}

/** The date on axes of days, hours and minutes below it, seconds where the range is short. */
function axisTime(at: number, step: number, format: Format): string {
  const date = new Date(at * 1000)
  if (step >= 86_400) return format.date(date)
  return step < 60 ? format.clock(date) : format.time(date)
}
