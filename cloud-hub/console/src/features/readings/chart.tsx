import 'uplot/dist/uPlot.min.css'
import './chart.css'
import { useEffect, useId, useLayoutEffect, useRef } from 'react'
import uPlot from 'uplot'
import { useTranslations } from 'use-intl'
import type { Format } from '../../i18n/create-format.ts'
import { useFormat } from '../../i18n/format.tsx'
import { axisSize } from './chart-axis.ts'
import type { ChartContext } from './chart-context.ts'
import { drawAreas, drawEnds, drawLines, fontFamily, valueRange } from './chart-drawing.ts'
import { followGestures } from './chart-gestures.ts'
import { followKeys, SYNC_KEY } from './chart-keys.ts'
import { notesAt, showNotes } from './chart-notes.ts'
import { axisTime, lastOf, readingsAt } from './chart-texts.ts'
import type { Range, Series } from './series.ts'

/** of the plot; the axis of times is below it */
const [PLOT_PX, AXIS_PX] = [210, 30]
/** what the values at the ends of the lines need */
const END_PX = 60
const PALETTE = ['--brand', '--healthy', '--warning', '--critical', '--soft'] as const
const MARGIN = 0.08

const lineColour = (place: number) => colour(PALETTE[place % PALETTE.length] as string)
const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

interface Props {
  /** of one unit; none: the chart shows the time axis and what is drawn behind readings */
  series: readonly Series[]
  range: Range
  context: ChartContext
  /** the charts below it have the same axis of times */
  hidesTimes?: boolean
  /** absent: the chart shows its range only */
  onZoom?: ((range: Range) => void) | undefined
  onZoomOut?: (() => void) | undefined
  /** takes what a drag or the keys select, instead of a zoom */
  onSelect?: ((range: Range) => void) | undefined
}

interface State extends Props {
  /** what is shown while a gesture goes on */
  preview: Range | null
  /** names the plot, and the id of the text about its keys */
  keys: { label: string; hintId: string }
}

/**
 * Series of one unit over a range. A drag selects what to zoom into; `followGestures` has the other gestures, and `followKeys` does
 * the same by keyboard.
 */
export default function Chart(props: Props) {
  const { series, range, context, hidesTimes = false, onZoom } = props
  const height = PLOT_PX + (hidesTimes ? 0 : AXIS_PX)
  const t = useTranslations('charts')
  const format = useFormat()
  const hintId = useId()
  const frame = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  /** a chart that is made anew takes the focus over */
  const hadFocus = useRef(false)
  const state = useRef<State>({ ...props, preview: null, keys: { label: '', hintId } })
  Object.assign(state.current, props, { keys: { label: t('values'), hintId } })
  const names = series.map(({ metric }) => metric).join(' ')
  const unit = series[0]?.unit ?? ''

  // the axes, and what is drawn behind the lines, depend on colours that follow the theme
  // biome-ignore lint/correctness/useExhaustiveDependencies: a chart is made anew for other series; its data are set below
  useLayoutEffect(() => {
    const element = frame.current as HTMLDivElement
    const destroy = () => {
      hadFocus.current = plot.current !== null && plot.current.over === document.activeElement
      plot.current?.destroy()
    }
    const make = () => {
      if (plot.current) destroy()
      plot.current = new uPlot(
        options([element.clientWidth, height], unit, format, state.current),
        dataOf(series, format),
        element,
      )
      if (hadFocus.current) plot.current.over.focus({ preventScroll: true })
      hadFocus.current = false
    }
    make()
    const sizes = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height }))
    sizes.observe(element)
    const theme = new MutationObserver(make)
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => {
      sizes.disconnect()
      theme.disconnect()
      destroy()
      plot.current = null
    }
  }, [names, unit, format, height])
  useEffect(() => {
    state.current.preview = null
    plot.current?.setData(dataOf(series, format), false)
    plot.current?.setScale('x', { min: range.from / 1000, max: range.to / 1000 })
  }, [series, range.from, range.to, format])
  // the limits belong to the scale
  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawing reads it from the ref
  useEffect(() => {
    plot.current?.setScale('x', { min: range.from / 1000, max: range.to / 1000 })
  }, [context])

  return (
    <>
      {/* it is drawn a frame later */}
      <div ref={frame} className="uplot-frame min-w-0" style={{ minHeight: height }} />
      <p id={hintId} className="uplot-keys sr-only text-sm text-soft">
        {t(onZoom ? 'keyHint' : 'keyHintFixed')}
      </p>
    </>
  )
}

/** All series on one time axis, in the unit of the user. */
function dataOf(series: readonly Series[], format: Format): uPlot.AlignedData {
  const tables = series.map(({ times, values, unit }) => {
    const convert = format.converter(unit)
    return [times, values.map((value) => (value === null ? null : convert(value)))] as uPlot.AlignedData
  })
  const [first = [[]]] = tables
  const isAligned = tables.every(([times]) => isSame(times, first[0]))
  if (isAligned) return [first[0], ...tables.map((table) => table[1])] as uPlot.AlignedData
  return uPlot.join(
    tables,
    tables.map((table) => table.map(() => 2)),
  )
}

const isSame = (a: ArrayLike<number>, b: ArrayLike<number>): boolean => {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false
  return true
}

/** Whole milliseconds. */
const rounded = ({ from, to }: Range): Range => ({ from: Math.round(from), to: Math.round(to) })

const stepped = uPlot.paths.stepped?.({ align: 1 })

function options([width, height]: [number, number], unit: string, format: Format, state: State): uPlot.Options {
  const { series } = state
  const axis = {
    stroke: colour('--soft'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { stroke: colour('--line'), size: 5 },
    font: `12px ${fontFamily()}`,
  }
  const shown = () => state.preview ?? state.range
  const drawing = () => ({ context: state.context, series: state.series, format, colour })
  const select = (range: Range) => (state.onSelect ?? state.onZoom)?.(rounded(range))
  const text = (value: number | null | undefined) => (value === null || value === undefined ? '–' : format.converted(value, unit))
  return {
    width,
    height,
    padding: [10, series.length > 0 ? END_PX : null, state.hidesTimes ? 8 : null, null],
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), format.timeZone),
    cursor: {
      drag: { x: state.onZoom !== undefined, y: false, setScale: false },
      sync: { key: SYNC_KEY },
      points: { size: 7 },
      // with shift the chart moves
      bind: {
        mousedown: (_plot, _target, handle) => (event: MouseEvent) => {
          if (event.button === 0 && !event.shiftKey) handle(event)
          return null
        },
        // a metric is hidden by its latest value, which the keyboard reaches too
        click: () => null,
      },
    },
    legend: { show: true, live: true, mount: (plot, legend) => plot.root.prepend(legend) },
    scales: {
      x: { time: true, auto: false, range: () => [shown().from / 1000, shown().to / 1000] },
      y: {
        range: (_plot, low, high) => {
          if (low === null || high === null) return [0, 1]
          const [from, to] = valueRange(low, high, drawing())
          return uPlot.rangeNum(from, to, MARGIN, true)
        },
      },
    },
    axes: [
      {
        ...axis,
        size: state.hidesTimes ? 0 : AXIS_PX,
        ticks: { ...axis.ticks, show: !state.hidesTimes },
        values: (_plot, splits, _axis, _space, step) =>
          splits.map((at) => (state.hidesTimes ? null : axisTime(at, step, format))),
      },
      // without readings there is no scale of values
      {
        ...axis,
        size: axisSize,
        ...(series[0]?.unit === 'bool' ? { incrs: [1] } : {}),
        values: (_plot, splits) => splits.map((value) => (series[0] ? format.tick(value, series[0].unit) : null)),
      },
    ],
    series: [
      { label: format.timeName, value: (_plot, at) => (at === null ? '' : format.seconds(new Date(at * 1000))) },
      ...series.map(({ metric }, index) => ({
        label: format.metric(metric),
        stroke: lineColour(index),
        width: 1.75,
        spanGaps: false,
        points: { size: 5 },
        ...(unit === 'bool' && stepped ? { paths: stepped } : {}),
        value: (plot: uPlot, value: number | null, at: number, index: number | null) =>
          text(index === null ? lastOf(plot.data[at]) : value),
      })),
    ],
    hooks: {
      // for the style of the cursor's time: WebKit does not notice in a `:has()` that a cell becomes empty
      setLegend: [(plot) => plot.root.toggleAttribute('data-cursor', plot.legend.idxs?.[0] != null)],
      drawClear: [(plot) => drawAreas(plot, drawing())],
      drawAxes: [(plot) => drawLines(plot, drawing())],
      draw: [
        (plot) =>
          drawEnds(
            plot,
            drawing(),
            series.map((_, index) => lineColour(index)),
          ),
      ],
      setSelect: [
        (plot) => {
          const { left, width: size } = plot.select
          if (size < 4) return
          const [from, to] = [plot.posToVal(left, 'x'), plot.posToVal(left + size, 'x')]
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
          select({ from: from * 1000, to: to * 1000 })
        },
      ],
      setCursor: [(plot) => showNotes(plot, state.context.notes)],
      ready: [
        (plot) => {
          const zoom = (range: Range) => state.onZoom?.(rounded(range))
          followKeys(plot, {
            ...state.keys,
            describe: (index) => {
              const noted = notesAt(state.context.notes, plot.data[0][index] ?? 0, 0).map(({ text }) => text)
              return [readingsAt(plot, index, series, format, text), ...noted].join('. ')
            },
            zoom: state.onZoom && { range: shown, to: zoom, select },
          })
          if (!state.onZoom) return
          plot.over.addEventListener('dblclick', () => state.onZoomOut?.())
          followGestures(plot, {
            range: shown,
            preview: (range) => {
              state.preview = range
              plot.setScale('x', { min: range.from / 1000, max: range.to / 1000 })
            },
            end: zoom,
          })
        },
      ],
    },
  }
}
