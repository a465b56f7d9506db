import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useMemo, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Schemas } from '../../api/client.ts'
import { saveFile } from '../../api/download.ts'
import { useMe } from '../../app/me.tsx'
import { useReadingsOf } from '../../app/readings-in-view.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { Icon } from '../../kit/icon.tsx'
import { useKeptHeight } from '../../kit/kept-height.ts'
import { Empty, Panel, Panels } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { RangeFields } from '../../kit/range-fields.tsx'
import { useWide } from '../../kit/use-narrow.ts'
import { NotesList } from '../notes/notes-list.tsx'
import { ChartEvents } from '../readings/chart-events.tsx'
import { ChartLegend } from '../readings/chart-legend.tsx'
import { latestQuery } from '../readings/latest-query.ts'
import type { Range, Series } from '../readings/series.ts'
import { seriesCsv } from '../readings/series-csv.ts'
import { useChartContext } from '../readings/use-chart-context.ts'
import { useSeries } from '../readings/use-series.ts'
import { EmptyChart } from './empty-chart.tsx'
import { LatestValues } from './latest-values.tsx'
import { useWindow, WINDOWS } from './use-window.ts'

const Chart = lazy(() => import('../readings/chart.tsx'))
const route = getRouteApi('/app/machines/$machineId')

const INTERVAL_NAMES = { '1m': '1 min', '5m': '5 min', '15m': '15 min', '1h': '1 h', '6h': '6 h', '1d': '24 h' } as const

/** Latest values, and the readings over time: one chart for each unit. */
export function ChartsPane({ machine }: { machine: Schemas['Machine'] }) {
  const t = useTranslations('charts')
  const notesText = useTranslations('notes')
  const format = useFormat()
  const { may } = useMe()
  const { metrics } = route.useSearch()
  const navigate = useNavigate({ from: '/machines/$machineId' })
  const { range, isLive, window, zoom, choose, pan, scale } = useWindow()
  const { series, interval, query } = useSeries(machine.id, range, isLive)
  useReadingsOf([machine.id])
  // the stream sent nothing of it while the page was away
  const values = useQuery({ ...latestQuery(machine.id), refetchOnMount: 'always' })
  const latest = values.data
  const { context, events, notes, areNotesCut } = useChartContext(machine.id, range)
  const [isMarking, setIsMarking] = useState(false)
  const [marked, setMarked] = useState<Range | null>(null)
  const mark = (range: Range) => {
    setIsMarking(false)
    setMarked(range)
  }
  const chosen = metrics?.split(',')
  const groups = useMemo(
    () => groupByUnit(series?.filter(({ metric }) => isIn(metrics, metric)) ?? [], format.unitLabel),
    [series, metrics, format],
  )

  const columns = useWide() ? 2 : 1
  const newestAt = latest ? newestOf(latest) : null
  const show = (metrics: string | undefined) => navigate({ search: (known) => ({ ...known, metrics }), replace: true })
  const toggle = (metric: string) => {
    const all = [...new Set((series ?? []).map((it) => it.metric))]
    const now = chosen ?? all
    const next = now.includes(metric) ? now.filter((it) => it !== metric) : [...now, metric]
    const isAll = next.length === 0 || all.every((it) => next.includes(it))
    show(isAll ? undefined : next.join(','))
  }
  return (
    <Panels>
      <div ref={useKeptHeight<HTMLDivElement>(t('latest'), 0)}>
        <Loaded query={values} label={t('latest')} rows={2}>
          {(latest) => <LatestValues latest={latest} chosen={chosen} onToggle={toggle} />}
        </Loaded>
      </div>
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
            <Button look="quiet" aria-label={t('zoomOut')} onPress={() => scale(2)}>
              <Icon name="minus" />
            </Button>
            <Button look="quiet" aria-label={t('zoomIn')} onPress={() => scale(0.5)}>
              <Icon name="plus" />
            </Button>
            {(['1h', '8h', '24h'] as const).map((name) => (
              <Button
                key={name}
                look={isLive && name === window ? 'primary' : 'quiet'}
                aria-pressed={isLive && name === window}
                onPress={() => choose(name)}
              >
                {t(`windows.${name}`)}
              </Button>
            ))}
            <RangeFields
              rolling={WINDOWS.map(([name]) => [name, t(`lasts.${name}`)] as const)}
              chosen={isLive ? window : null}
              range={range}
              hasTimes
              isLabelHidden
              onRolling={choose}
              onRange={zoom}
            />
            {may('operator') ? (
              <Button
                look={isMarking ? 'primary' : 'quiet'}
                className="pointer-coarse:hidden"
                aria-pressed={isMarking}
                aria-label={notesText('mark')}
                isDisabled={groups.length === 0}
                onPress={() => setIsMarking(!isMarking)}
              >
                <Icon name="edit" className="size-4.5" />
              </Button>
            ) : null}
            <Button
              isDisabled={groups.length === 0}
              onPress={() => {
                const shown = groups.flatMap(([, group]) => group)
                saveFile(new Blob([seriesCsv(shown, range, format)], { type: 'text/csv' }), `${machine.machine_identifier}.csv`)
              }}
            >
              <Icon name="download" className="size-4.5" />
              CSV
            </Button>
          </>
        }
      >
        <p className="px-4 pt-3 pb-1 text-sm text-soft">
          <span role={isLive ? undefined : 'status'}>
            {t('range', {
              from: format.seconds(new Date(range.from)),
              to: format.seconds(new Date(range.to)),
              resolution: interval ? INTERVAL_NAMES[interval] : 'raw',
            })}
          </span>{' '}
          <span className="no-print pointer-coarse:hidden">{t(isMarking ? 'noteHint' : 'mouseHint')}</span>
          <span className="no-print hidden pointer-coarse:inline">{t('touchHint')}</span>
        </p>
        <Loaded query={{ ...query, data: series }} label={t('title')} rows={6}>
          {(series) =>
            groups.length === 0 && newestAt === null ? (
              <Empty shape="chart" title={t('empty')}>
                {t(may('admin') ? 'emptyText' : 'emptyOther')}
              </Empty>
            ) : (
              <div className={`flex flex-col gap-4 p-4 ${query.isPlaceholderData ? 'opacity-60' : ''}`}>
                {groups.length === 0 && newestAt !== null ? (
                  <EmptyChart
                    range={range}
                    context={context}
                    newestAt={newestAt}
                    zoom={zoom}
                    onZoomOut={() => scale(2)}
                    onPresent={isLive ? undefined : () => choose(window)}
                    onShowAll={series.length > 0 ? () => show(undefined) : undefined}
                  />
                ) : null}
                {/* what is below the charts waits for them */}
                <Suspense fallback={<div className="skeleton h-65" />}>
                  <div className="grid min-[100rem]:grid-cols-2 gap-x-6 gap-y-1">
                    {groups.map(([unit, group], place) => (
                      <figure
                        key={unit}
                        aria-label={t('chartOf', { metrics: group.map(({ metric }) => format.metric(metric)).join(', ') })}
                      >
                        <Chart
                          series={group}
                          range={range}
                          context={context}
                          // the lowest chart of each column has the axis of all above it
                          hidesTimes={place < groups.length - columns}
                          onZoom={zoom}
                          onZoomOut={() => scale(2)}
                          onSelect={isMarking ? mark : undefined}
                        />
                      </figure>
                    ))}
                  </div>
                  <ChartLegend />
                  <NotesList
                    machine={machine}
                    notes={notes}
                    isCut={areNotesCut}
                    range={range}
                    marked={marked}
                    onMarked={() => setMarked(null)}
                  />
                  <ChartEvents events={events} range={range} />
                </Suspense>
              </div>
            )
          }
        </Loaded>
      </Panel>
    </Panels>
  )
}

/** @param metrics those that are chosen, with commas; undefined: all */
const isIn = (metrics: string | undefined, metric: string) => metrics === undefined || metrics.split(',').includes(metric)

/** When the newest reading was taken, ms since 1970; null where there is none. */
function newestOf({ readings }: Schemas['LatestReadings']): number | null {
  const times = Object.values(readings).map(({ timestamp }) => Date.parse(timestamp))
  return times.length > 0 ? Math.max(...times) : null
}

function groupByUnit(series: readonly Series[], unitLabel: (unit: string) => string): [string, Series[]][] {
  const groups = new Map<string, Series[]>()
  for (const one of series) {
    const name = unitLabel(one.unit)
    groups.set(name, [...(groups.get(name) ?? []), one])
  }
  return [...groups]
}
