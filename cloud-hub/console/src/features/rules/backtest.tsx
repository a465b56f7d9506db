import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, type Schemas, unwrap } from '../../api/client.ts'
import { MachineName } from '../../app/machine-name.tsx'
import { useFormat } from '../../i18n/format.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Notice } from '../../kit/notice.tsx'
import { zonesOf } from '../readings/chart-context.ts'
import { seriesQuery } from '../readings/load-series.ts'
import type { Range } from '../readings/series.ts'

const Chart = lazy(() => import('../readings/chart.tsx'))

export type BacktestRequest = Partial<
  Pick<
    Schemas['RuleBacktest'],
    'machine_id' | 'metric_name' | 'warning_threshold' | 'critical_threshold' | 'expression' | 'severity'
  >
>

const DAYS = 7
const DAY_MS = 86_400_000
const ALERTS_SHOWN = 5

/**
 * Which alerts a rule would have raised in the last week, drawn over the readings of one machine: of a rule for all machines the one
 * with the first alert.
 * @param chartMachineId whose readings are drawn where there is no alert
 */
export function Backtest({ request, chartMachineId }: { request: BacktestRequest; chartMachineId: string | null }) {
  const t = useTranslations('rules')
  const format = useFormat()
  const [range] = useState<Range>(() => ({ from: Date.now() - DAYS * DAY_MS, to: Date.now() }))
  const query = useQuery({
    queryKey: ['/alert-rules/backtest', request, range],
    queryFn: ({ signal }) => {
      const span = { start: new Date(range.from).toISOString(), end: new Date(range.to).toISOString() }
      return unwrap(api.POST('/alert-rules/backtest', { body: { severity: 'warning', ...request, ...span }, signal }))
    },
    retry: false,
  })
  const { data } = query
  if (!data)
    return (
      <Loaded query={query} label={t('testing')} rows={2}>
        {() => null}
      </Loaded>
    )
  const drawnId = request.machine_id ?? data.alerts[0]?.machine_id ?? chartMachineId
  return (
    <div className="flex flex-col gap-3">
      <Notice tone={data.alert_count === 0 ? 'healthy' : 'info'}>
        {t('tested', { count: data.alert_count, days: String(DAYS) })}
      </Notice>
      {drawnId && request.metric_name ? (
        <ReadingsOf machineId={drawnId} request={request} range={range} alerts={data.alerts} />
      ) : null}
      {data.alerts.length > 0 ? (
        <ul className="text-sm">
          {data.alerts.slice(-ALERTS_SHOWN).map((alert) => (
            <li key={`${alert.machine_id} ${alert.triggered_at} ${alert.severity}`}>
              {format.dateTime(alert.triggered_at)} · <MachineName id={alert.machine_id} /> ·{' '}
              {format.value(alert.trigger_value, alert.unit)}
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  )
}

function ReadingsOf({
  machineId,
  request,
  range,
  alerts,
}: {
  machineId: string
  request: BacktestRequest
  range: Range
  alerts: Schemas['RuleBacktestResult']['alerts']
}) {
  const { data } = useQuery(seriesQuery(machineId, range))
  const metric = request.metric_name as string
  const series = useMemo(() => (data?.series ?? []).filter((it) => it.metric === metric).slice(0, 1), [data, metric])
  const context = useMemo(
    () => ({
      lines: [
        ...(request.warning_threshold === undefined
          ? []
          : [{ metric, value: request.warning_threshold, tone: 'warning' as const }]),
        ...(request.critical_threshold === undefined
          ? []
          : [{ metric, value: request.critical_threshold, tone: 'critical' as const }]),
      ],
      zones:
        request.warning_threshold === undefined || request.critical_threshold === undefined
          ? []
          : zonesOf({
              metric_name: metric,
              warning_threshold: request.warning_threshold,
              critical_threshold: request.critical_threshold,
            }),
      bands: [],
      spans: [],
      notes: [],
      marks: alerts
        .filter((alert) => alert.machine_id === machineId)
        .map(({ triggered_at, severity }) => ({ at: Date.parse(triggered_at) / 1000, tone: severity, metric })),
    }),
    [request, alerts, machineId, metric],
  )
  if (series.length === 0) return null
  return (
    <Suspense fallback={<div className="skeleton h-65" />}>
      <Chart series={series} range={range} context={context} />
    </Suspense>
  )
}
