import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Range } from '../readings/series.ts'

const HOUR = 3_600_000
export const WINDOWS = [
  ['1h', HOUR],
  ['8h', 8 * HOUR],
  ['24h', 24 * HOUR],
  ['7d', 168 * HOUR],
  ['30d', 720 * HOUR],
  ['90d', 2_160 * HOUR],
  ['1y', 8_760 * HOUR],
] as const

type WindowName = (typeof WINDOWS)[number][0]

/** A window that moves on by less would look the same: it is as many pixels wide. */
const PIXELS = 720
const STEP_MS = 2_000
const MIN_SPAN_MS = 1_000
const MAX_SPAN_MS = 5 * 8_760 * HOUR
const route = getRouteApi('/app/machines/$machineId')

/** The range of a chart, in the address: fixed, or the last hours, which move with the time. */
export function useWindow() {
  const { from, to, window = '1h' } = route.useSearch()
  const fixed = fixedRange(from, to)
  const navigate = useNavigate({ from: '/machines/$machineId' })
  const [now, setNow] = useState(Date.now)
  const span = WINDOWS.find(([name]) => name === window)?.[1] ?? HOUR
  const isLive = fixed === null
  useEffect(() => {
    if (!isLive) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), Math.max(STEP_MS, span / PIXELS))
    return () => clearInterval(timer)
  }, [isLive, span])

  const range: Range = fixed ?? { from: now - span, to: now }
  const length = range.to - range.from
  /** Shows a range up to now at most. One of the same length moves back to that; others become shorter. */
  const zoom = (next: Range) => {
    const end = Math.min(next.to, Date.now())
    const isMove = Math.abs(next.to - next.from - length) < 1
    const wanted = isMove ? end - length : next.from
    const start = Math.max(end - MAX_SPAN_MS, Math.min(wanted, end - MIN_SPAN_MS))
    navigate({ search: (known) => ({ ...known, from: new Date(start).toISOString(), to: new Date(end).toISOString() }) })
  }
  const choose = (name: WindowName) =>
    navigate({
      search: (known) => ({ ...known, from: undefined, to: undefined, window: name === '1h' ? undefined : name }),
    })
  /** @param share of the range; negative goes back */
  const pan = (share: number) => zoom({ from: range.from + length * share, to: range.to + length * share })
  /** @param factor of the length; below 1 shows less. A live window keeps its end. */
  const scale = (factor: number) => {
    const half = Math.max(MIN_SPAN_MS, length * factor) / 2
    const center = isLive ? range.to - half : (range.from + range.to) / 2
    zoom({ from: center - half, to: center + half })
  }
  return { range, isLive, window, zoom, choose, pan, scale }
}

/** The range of an address; null where there is none, or one that no chart shows. */
function fixedRange(from: string | undefined, to: string | undefined): Range | null {
  if (from === undefined || to === undefined) return null
  const range = { from: Date.parse(from), to: Date.parse(to) }
  const length = range.to - range.from
  return length >= MIN_SPAN_MS && length <= MAX_SPAN_MS ? range : null
}
