import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useMemo, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Schemas } from '../../api/client.ts'
import { useFormat } from '../../i18n/format.tsx'
import { buttonClass } from '../../kit/button.tsx'
import { Empty, Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { ChartLegend } from '../readings/chart-legend.tsx'
import { useChartContext } from '../readings/use-chart-context.ts'
import { useSeries } from '../readings/use-series.ts'

const Chart = lazy(() => import('../readings/chart.tsx'))

/** The chart shows half an hour to either side of the alert; the last hour while that is not over. */
const AROUND_MS = 30 * 60_000
const STEP_MS = 5_000

/** The readings that raised an alert; of a combined rule those of its first true condition. */
export function AlertChart({ alert }: { alert: Schemas['Alert'] }) {
  const t = useTranslations('alerts')
  const charts = useTranslations('charts')
  const format = useFormat()
  const at = Date.parse(alert.triggered_at)
  const now = useNow(STEP_MS)
  const isLive = now < at + AROUND_MS
  const range = isLive ? { from: now - 2 * AROUND_MS, to: now } : { from: at - AROUND_MS, to: at + AROUND_MS }
  const { series, query } = useSeries(alert.machine_id, range, isLive)
  const { context } = useChartContext(alert.machine_id, range, false)
  const shown = useMemo(
    () => series?.filter(({ metric, unit }) => metric === alert.metric_name && unit === alert.unit),
    [series, alert.metric_name, alert.unit],
  )
  return (
    <Panel
      title={t('chart')}
      className="lg:col-span-2"
      actions={
        <Link
          to="/machines/$machineId"
          params={{ machineId: alert.machine_id }}
          search={{ from: new Date(range.from).toISOString(), to: new Date(range.to).toISOString() }}
          className={buttonClass('quiet')}
        >
          {t('openCharts')}
        </Link>
      }
    >
      <Loaded query={{ ...query, data: shown }} label={t('chart')} skeleton={<div className="skeleton m-4 h-60" />}>
        {(shown) =>
          shown.length === 0 ? (
            <Empty shape="chart" title={charts('empty')} />
          ) : (
            <div className="flex flex-col gap-3 p-4">
              <Suspense fallback={<div className="skeleton h-60" />}>
                <figure aria-label={charts('chartOf', { metrics: format.metric(alert.metric_name) })}>
                  <Chart series={shown} range={range} context={context} />
                </figure>
                <ChartLegend withData={false} />
              </Suspense>
            </div>
          )
        }
      </Loaded>
    </Panel>
  )
}

/** The present time, which moves on by a step. */
function useNow(stepMs: number): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), stepMs)
    return () => clearInterval(timer)
  }, [stepMs])
  return now
}
