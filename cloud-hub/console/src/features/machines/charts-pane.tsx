import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useMemo, useState } from 'react'
import { useTranslations } from 'use-intl'
import { apiQuery, type Schemas } from '../../api/client.ts'
import { fetchFile, saveFile } from '../../api/download.ts'
import { useFaultText } from '../../app/fault-text.ts'
import { useFormat, useValue } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { Icon } from '../../kit/icon.tsx'
import { Empty, Panel, SkeletonRows } from '../../kit/layout.tsx'
import { Notice } from '../../kit/notice.tsx'
import { toast } from '../../kit/toast.tsx'
import { type Range, resolutionOf, type Series, seriesQuery } from './load-series.ts'
import { useChartContext } from './use-chart-context.ts'
import { useWindow, WINDOWS } from './use-window.ts'

const Chart = lazy(() => import('./chart.tsx'))
const route = getRouteApi('/app/machines/$machineId')

/** Latest values, and the readings over time: one chart for each unit. */
export function ChartsPane({ machine }: { machine: Schemas['Machine'] }) {
  const t = useTranslations('charts')
  const faultText = useFaultText()
  const format = useFormat()
  const { metrics } = route.useSearch()
  const navigate = useNavigate({ from: '/machines/$machineId' })
  const { range, isLive, zoom, choose, pan } = useWindow()
  const {
    data: stored,
    error,
    isPlaceholderData,
  } = useQuery({ ...seriesQuery(machine.id, range, isLive), placeholderData: keepPreviousData })
  const { data: latest } = useQuery(
    apiQuery('/machines/{machine_id}/readings/latest', { params: { path: { machine_id: machine.id } } }),
  )
  const series = useLiveSeries(stored, isLive && resolutionOf(range).interval === null ? latest : undefined)
  const context = useChartContext(machine.id, range)
  const chosen = metrics?.split(',')
  const shown = series?.filter(({ metric }) => !chosen || chosen.includes(metric))
  const groups = useMemo(() => groupByUnit(shown ?? [], format.unitName), [shown, format])

  const toggle = (metric: string) => {
    const all = [...new Set((series ?? []).map((it) => it.metric))]
    const now = chosen ?? all
    const next = now.includes(metric) ? now.filter((it) => it !== metric) : [...now, metric]
    const isAll = next.length === 0 || all.every((it) => next.includes(it))
    navigate({ search: (known) => ({ ...known, metrics: isAll ? undefined : next.join(',') }), replace: true })
  }
  return (
    <div className="flex flex-col gap-4">
      <LatestValues latest={latest} chosen={chosen} onToggle={toggle} />
      <Panel
        title={t('title')}
        actions={
          <>
            <Button look="quiet" aria-label={t('earlier')} onPress={() => pan(-0.5)}>
              <Icon name="left" />
            </Button>
            <Button look="quiet" aria-label={t('later')} isDisabled={isLive} onPress={() => pan(0.5)}>
              <Icon name="right" />
            </Button>
            {WINDOWS.map(([name, ms]) => (
              <Button
                key={name}
                look={isLive && Math.abs(range.to - range.from - ms) < 1_000 ? 'primary' : 'quiet'}
                aria-pressed={isLive && Math.abs(range.to - range.from - ms) < 1_000}
                onPress={() => choose(ms)}
              >
                {t(`windows.${name}`)}
              </Button>
            ))}
            <ExportButton machine={machine} range={range} />
          </>
        }
      >
        <p className="px-4 pt-3 text-sm text-soft" role="status">
          {t('range', {
            from: format.seconds(new Date(range.from)),
            to: format.seconds(new Date(range.to)),
            resolution: resolutionOf(range).interval ?? 'raw',
          })}
        </p>
        {error && !series ? (
          <div className="p-4">
            <Notice tone="critical">{faultText(error)}</Notice>
          </div>
        ) : !series ? (
          <SkeletonRows rows={6} label={t('title')} />
        ) : groups.length === 0 ? (
          <Empty title={t('empty')}>{t('emptyText')}</Empty>
        ) : (
          <div className={`flex flex-col gap-4 p-4 ${isPlaceholderData ? 'opacity-60' : ''}`}>
            <Suspense fallback={<div className="skeleton h-65" />}>
              {groups.map(([unit, group]) => (
                <figure
                  key={unit}
                  aria-label={t('chartOf', { metrics: group.map(({ metric }) => format.metric(metric)).join(', ') })}
                >
                  <Chart series={group} range={range} context={context} onZoom={zoom} onZoomOut={() => zoom(doubled(range))} />
                </figure>
              ))}
            </Suspense>
            <Legend />
          </div>
        )}
      </Panel>
    </div>
  )
}

const doubled = ({ from, to }: Range): Range => ({ from: from - (to - from) / 2, to: to + (to - from) / 2 })

function groupByUnit(series: readonly Series[], unitName: (unit: string) => string): [string, Series[]][] {
  const groups = new Map<string, Series[]>()
  for (const one of series) {
    const name = unitName(one.unit) || one.unit
    groups.set(name, [...(groups.get(name) ?? []), one])
  }
  return [...groups]
}

/** Adds readings that arrived since the range was loaded. */
function useLiveSeries(stored: Series[] | undefined, latest: Schemas['LatestReadings'] | undefined): Series[] | undefined {
  const [series, setSeries] = useState(stored)
  useEffect(() => setSeries(stored), [stored])
  useEffect(() => {
    if (!latest) return
    setSeries((known) =>
      known?.map((one) => {
        const reading = latest.readings[one.metric]
        const at = reading ? Date.parse(reading.timestamp) / 1000 : 0
        if (!reading || reading.unit !== one.unit || at <= (one.times.at(-1) ?? 0)) return one
        return { ...one, times: [...one.times, at], values: [...one.values, reading.value] }
      }),
    )
  }, [latest])
  return series
}

function LatestValues({
  latest,
  chosen,
  onToggle,
}: {
  latest: Schemas['LatestReadings'] | undefined
  chosen: string[] | undefined
  onToggle(metric: string): void
}) {
  const t = useTranslations('charts')
  const format = useFormat()
  const value = useValue()
  if (!latest) return <SkeletonRows rows={2} label={t('latest')} />
  const entries = Object.entries(latest.readings).toSorted(([a], [b]) => a.localeCompare(b))
  return (
    <ul aria-label={t('latest')} className="grid grid-cols-2 gap-3 sm:grid-cols-3 xl:grid-cols-5">
      {entries.map(([metric, reading]) => (
        <li key={metric}>
          <button
            type="button"
            aria-pressed={chosen ? chosen.includes(metric) : true}
            onClick={() => onToggle(metric)}
            className="card flex w-full flex-col px-3.5 py-2.5 text-left hover:bg-raised aria-[pressed=false]:border-dashed aria-[pressed=false]:bg-ground"
          >
            <span className="truncate text-sm text-soft">{format.metric(metric)}</span>
            <span className="tabular text-xl font-bold">{value(reading.value, reading.unit)}</span>
            <span className="text-xs text-soft">{format.clock(reading.timestamp)}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}

/** What the colours behind the lines mean. */
function Legend() {
  const t = useTranslations('charts.legend')
  const entries = [
    ['downtime', 'bg-critical/30'],
    ['maintenance', 'bg-info/30'],
    ['loss', 'bg-offline/30'],
    ['baseline', 'bg-healthy/25'],
  ] as const
  return (
    <ul className="flex flex-wrap gap-x-5 gap-y-1 text-sm text-soft">
      {entries.map(([name, look]) => (
        <li key={name} className="flex items-center gap-1.5">
          <span className={`h-3 w-5 rounded-sm ${look}`} />
          {t(name)}
        </li>
      ))}
      <li>{t('lines')}</li>
    </ul>
  )
}

/** Saves what the chart shows as CSV, in local times. */
function ExportButton({ machine, range }: { machine: Schemas['Machine']; range: Range }) {
  const faultText = useFaultText()
  const { timeZone } = useFormat()
  const [isPending, setPending] = useState(false)
  const save = async () => {
    setPending(true)
    try {
      const { interval } = resolutionOf(range)
      const query = new URLSearchParams({
        start: new Date(Math.max(range.from, range.to - 90 * 86_400_000)).toISOString(),
        end: new Date(range.to).toISOString(),
        timezone: timeZone,
        bom: 'true',
        ...(interval ? { interval } : {}),
      })
      const file = await fetchFile(`/machines/${machine.id}/readings?${query}`, 'text/csv')
      saveFile(file, `${machine.machine_identifier}.csv`)
    } catch (error) {
      toast('critical', faultText(error))
    }
    setPending(false)
  }
  return (
    <Button look="plain" isPending={isPending} onPress={save}>
      <Icon name="download" className="size-4.5" />
      CSV
    </Button>
  )
}
