import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { apiQuery, type Schemas } from '../../api/client.ts'
import { useRecordsIn } from '../downtime/records.ts'
import { type ChartContext, zonesOf } from './chart-context.ts'
import type { ChartEvent } from './chart-events.tsx'
import type { Range } from './series.ts'

/** Baselines are the mean and twice the standard deviation to either side: 95 % of normally distributed values. */
const DEVIATIONS = 2
const PAGE = 100
/** Ranges are widened to whole hours, so that a moving window asks again once an hour. */
const HOUR_MS = 3_600_000
const MONTH_MS = 31 * 24 * HOUR_MS

/**
 * What a chart shows beside readings: thresholds, alerts, downtime and maintenance; and what the data itself is like: baselines, losses, and what
 * people noted about it.
 * @param withData false: without those three
 * @returns `areNotesCut`: there are more notes than the latest ones, which it has
 */
export function useChartContext(
  machineId: string,
  range: Range,
  withData = true,
): { context: ChartContext; events: ChartEvent[]; notes: readonly Schemas['Note'][]; areNotesCut: boolean } {
  const path = { machine_id: machineId }
  const start = new Date(Math.floor(range.from / HOUR_MS) * HOUR_MS).toISOString()
  const end = new Date(Math.ceil(range.to / HOUR_MS) * HOUR_MS).toISOString()
  const { data: rules } = useQuery(apiQuery('/alert-rules', { params: { query: { machine_id: machineId } } }))
  const { data: baselines } = useQuery({
    ...apiQuery('/machines/{machine_id}/baselines', { params: { path } }),
    enabled: withData,
  })
  const { data: alerts } = useQuery(
    apiQuery('/alerts', { params: { query: { machine_id: machineId, start_date: start, end_date: end, page_size: PAGE } } }),
  )
  const { data: downtime } = useRecordsIn({ from: new Date(start), to: new Date(end), machineIds: [machineId] })
  // those that overlap the range, and began at most a month before it
  const { data: maintenance } = useQuery(
    apiQuery('/maintenance', {
      params: { query: { machine_id: machineId, start_after: shifted(start, -MONTH_MS), end_after: start, start_before: end } },
    }),
  )
  const { data: noted } = useQuery({
    ...apiQuery('/notes', {
      params: { query: { machine_id: machineId, with_groups: true, from: start, to: end, page_size: PAGE } },
    }),
    enabled: withData,
  })
  const notes = noted?.items ?? NO_NOTES
  const { data: gaps } = useQuery({
    ...apiQuery('/machines/{machine_id}/data-gaps', { params: { path, query: { page_size: PAGE } } }),
    enabled: withData,
  })
  const events = useMemo<ChartEvent[]>(
    () => [
      ...(alerts?.items ?? []).map((alert) => ({
        kind: 'alert' as const,
        ...spanOf(alert.triggered_at, alert.triggered_at),
        alert,
      })),
      ...(downtime?.records ?? []).map((record) => ({
        kind: 'downtime' as const,
        ...spanOf(record.started_at, record.ended_at),
        record,
      })),
      ...(maintenance ?? [])
        .filter(({ status }) => status !== 'cancelled')
        .map((event) => ({ kind: 'maintenance' as const, ...spanOf(event.scheduled_start, event.scheduled_end), event })),
      ...(gaps?.items ?? []).map((gap) => ({ kind: 'loss' as const, ...spanOf(gap.from, gap.to), gap })),
    ],
    [alerts, downtime, maintenance, gaps],
  )
  const context = useMemo<ChartContext>(
    () => ({
      lines: (rules ?? [])
        .filter(({ is_active }) => is_active)
        .flatMap(({ metric_name, warning_threshold, critical_threshold }) => [
          { metric: metric_name, value: warning_threshold, tone: 'warning' as const },
          { metric: metric_name, value: critical_threshold, tone: 'critical' as const },
        ]),
      zones: (rules ?? []).filter(({ is_active }) => is_active).flatMap(zonesOf),
      bands: (baselines ?? []).map(({ metric_name, mean_value, std_dev }) => ({
        metric: metric_name,
        low: mean_value - DEVIATIONS * std_dev,
        high: mean_value + DEVIATIONS * std_dev,
      })),
      spans: events.flatMap((event) =>
        event.kind === 'alert' ? [] : [{ kind: event.kind, from: event.from / 1000, to: event.to / 1000 }],
      ),
      marks: events.flatMap((event) =>
        event.kind === 'alert' ? [{ at: event.from / 1000, tone: event.alert.severity, metric: event.alert.metric_name }] : [],
      ),
      notes: notes.map(({ starts_at, ends_at, author_name, body }) => ({
        from: Date.parse(starts_at) / 1000,
        to: Date.parse(ends_at ?? starts_at) / 1000,
        text: `${author_name}: ${body}`,
      })),
    }),
    [rules, baselines, events, notes],
  )
  return { context, events, notes, areNotesCut: (noted?.pagination.total ?? 0) > notes.length }
}

const NO_NOTES: readonly Schemas['Note'][] = []

const shifted = (at: string, ms: number) => new Date(Date.parse(at) + ms).toISOString()

/** What goes on has no end. */
const spanOf = (start: string, end: string | null) => ({
  from: Date.parse(start),
  to: end ? Date.parse(end) : Number.POSITIVE_INFINITY,
})
