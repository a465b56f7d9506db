import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { apiQuery } from '../../api/client.ts'
import type { ChartContext } from './chart-context.ts'
import type { Range } from './load-series.ts'

/** Baselines are the mean and twice the standard deviation to either side: 95 % of normally distributed values. */
const DEVIATIONS = 2
const PAGE = 100
/** Ranges are widened to whole hours, so that a moving window asks again once an hour. */
const HOUR_MS = 3_600_000

/** What a chart shows beside readings: thresholds, baselines, alerts, downtime, maintenance and losses. */
export function useChartContext(machineId: string, range: Range): ChartContext {
  const path = { machine_id: machineId }
  const start = new Date(Math.floor(range.from / HOUR_MS) * HOUR_MS).toISOString()
  const end = new Date(Math.ceil(range.to / HOUR_MS) * HOUR_MS).toISOString()
  const rules = useQuery(apiQuery('/alert-rules', { params: { query: { machine_id: machineId } } }))
  const baselines = useQuery(apiQuery('/machines/{machine_id}/baselines', { params: { path } }))
  const alerts = useQuery(
    apiQuery('/alerts', { params: { query: { machine_id: machineId, start_date: start, end_date: end, page_size: PAGE } } }),
  )
  const downtime = useQuery(
    apiQuery('/fleet/downtime', {
      params: { query: { machine_id: machineId, date_from: start, date_to: end, page_size: PAGE } },
    }),
  )
  const maintenance = useQuery(
    apiQuery('/maintenance', { params: { query: { machine_id: machineId, start_after: start, end_before: end } } }),
  )
  const gaps = useQuery(apiQuery('/machines/{machine_id}/data-gaps', { params: { path, query: { page_size: PAGE } } }))
  return useMemo(() => {
    const seconds = (at: string) => Date.parse(at) / 1000
    return {
      lines: (rules.data ?? [])
        .filter(({ is_active }) => is_active)
        .flatMap(({ metric_name, warning_threshold, critical_threshold }) => [
          { metric: metric_name, value: warning_threshold, tone: 'warning' as const },
          { metric: metric_name, value: critical_threshold, tone: 'critical' as const },
        ]),
      bands: (baselines.data ?? []).map(({ metric_name, mean_value, std_dev }) => ({
        metric: metric_name,
        low: mean_value - DEVIATIONS * std_dev,
        high: mean_value + DEVIATIONS * std_dev,
      })),
      spans: [
        ...(downtime.data?.items ?? []).map(({ started_at, ended_at }) => ({
          kind: 'downtime' as const,
          from: seconds(started_at),
          to: ended_at ? seconds(ended_at) : Date.now() / 1000,
        })),
        ...(maintenance.data ?? [])
          .filter(({ status }) => status !== 'cancelled')
          .map(({ scheduled_start, scheduled_end }) => ({
            kind: 'maintenance' as const,
            from: seconds(scheduled_start),
            to: seconds(scheduled_end),
          })),
        ...(gaps.data?.items ?? []).map((gap) => ({ kind: 'loss' as const, from: seconds(gap.from), to: seconds(gap.to) })),
      ],
      marks: (alerts.data?.items ?? []).map(({ triggered_at, severity }) => ({ at: seconds(triggered_at), tone: severity })),
    }
  }, [rules.data, baselines.data, alerts.data, downtime.data, maintenance.data, gaps.data])
}
