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

/** The window moves on with the time, by at least this. */
const STEP_MS = 2_000
const MIN_SPAN_MS = 1_000
const MAX_SPAN_MS = 5 * 8_760 * HOUR
const route = getRouteApi('/app/machines/$machineId')

/** The range of a chart: in the address where it is fixed, else the last hours, which move with the time. */
export function useWindow() {
  const { from, to } = route.useSearch()
  const navigate = useNavigate({ from: '/machines/$machineId' })
  const [span, setSpan] = useState<number>(HOUR)
  const [now, setNow] = useState(Date.now)
  const isLive = from === undefined || to === undefined
  useEffect(() => {
    if (!isLive) return
    setNow(Date.now())
    // a range of months does not move visibly in seconds
    const timer = setInterval(() => setNow(Date.now()), Math.max(STEP_MS, span / 360))
    return () => clearInterval(timer)
  }, [isLive, span])

  const range: Range = isLive ? { from: now - span, to: now } : { from: Date.parse(from), to: Date.parse(to) }
  const zoom = (next: Range) => {
    const end = Math.min(next.to, Date.now())
    const start = Math.max(end - MAX_SPAN_MS, Math.min(next.from, end - MIN_SPAN_MS))
    navigate({ search: (known) => ({ ...known, from: new Date(start).toISOString(), to: new Date(end).toISOString() }) })
  }
  const choose = (ms: number) => {
    setSpan(ms)
    navigate({ search: (known) => ({ ...known, from: undefined, to: undefined }) })
  }
  /** @param share of the range; negative goes back */
  const pan = (share: number) => {
    const move = (range.to - range.from) * share
    zoom({ from: range.from + move, to: range.to + move })
  }
  /** @param factor of the length; below 1 shows less. A live window keeps its end. */
  const scale = (factor: number) => {
    const length = Math.max(MIN_SPAN_MS, (range.to - range.from) * factor)
    const center = (range.from + range.to) / 2
    if (isLive) zoom({ from: range.to - length, to: range.to })
    else zoom({ from: center - length / 2, to: center + length / 2 })
  }
  return { range, isLive, zoom, choose, pan, scale }
}
