import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { apiQuery, type Schemas } from '../../api/client.ts'
import { useMe } from '../../app/me.tsx'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { Empty, Panel, Panels } from '../../kit/layout.tsx'
import { Failed, Loaded } from '../../kit/loaded.tsx'
import { Pages } from '../../kit/pages.tsx'
import { Quantity } from '../../kit/quantity.tsx'
import { DetectionPanel } from '../downtime/detection-panel.tsx'
import type { DowntimeRecord } from '../downtime/records.ts'
import { RecordsTable } from '../downtime/records-table.tsx'
import { Timeline } from '../downtime/timeline.tsx'
import { OeePanel } from './oee-panel.tsx'

const RecordDialog = lazy(() => import('../downtime/record-dialog.tsx').then((it) => ({ default: it.RecordDialog })))

const PAGE_SIZE = 20
/** That of the uptime summary, unless it is asked for another range. */
const FIGURE_DAYS = 30
const HOUR_MS = 3_600_000
const TIMELINE_MS = 7 * 24 * HOUR_MS

/** When the machine stood, and what that costs. */
export function DowntimePane({ machine }: { machine: Schemas['Machine'] }) {
  const t = useTranslations('downtime')
  const format = useFormat()
  const path = { machine_id: machine.id }
  const uptime = useQuery(apiQuery('/machines/{machine_id}/uptime-summary', { params: { path } }))
  const reliability = useQuery(apiQuery('/machines/{machine_id}/mttr-mtbf', { params: { path, query: { days: FIGURE_DAYS } } }))
  const span = (hours: number) => format.duration(hours * 60)
  const since = uptime.data && lateObservation(uptime.data)
  const figures = [
    ['uptime', uptime.data?.uptime_percent, format.percent],
    ['stood', uptime.data?.downtime_hours, span],
    ['mttr', reliability.data?.mttr_hours, span],
    ['mtbf', reliability.data?.mtbf_hours, span],
  ] as const
  return (
    <Panels>
      <Panel title={t('figures', { days: String(FIGURE_DAYS) })}>
        <Failed query={uptime.error ? uptime : reliability} />
        <dl className="grid grid-cols-2 gap-3 p-4 sm:grid-cols-4">
          {figures.map(([name, value, show]) => (
            <div key={name} className="flex flex-col-reverse justify-end">
              <dt className="text-sm text-soft">{t(name)}</dt>
              {since !== undefined && name !== 'stood' ? (
                <dd className="text-lg">
                  {since === null ? t('notObserved') : t('observedSince', { at: format.dateTime(since) })}
                </dd>
              ) : (
                <dd className="tabular text-2xl font-semibold">
                  <Quantity>{value === null || value === undefined ? '–' : show(value)}</Quantity>
                </dd>
              )}
            </div>
          ))}
        </dl>
      </Panel>
      <OeePanel machineId={machine.id} />
      <DetectionPanel machineId={machine.id} />
      <Records machine={machine} />
    </Panels>
  )
}

/** A machine that was observed for less of the window has no percentage yet: time before its first reading looks like uptime. */
const MIN_OBSERVED = 0.1

/** @returns since when the machine is observed, or null for never; undefined where its figures can be shown */
function lateObservation({ observed_from, total_hours }: Schemas['UptimeSummary']): string | null | undefined {
  if (observed_from === null) return null
  const observedMs = Date.now() - Date.parse(observed_from)
  return observedMs < MIN_OBSERVED * total_hours * HOUR_MS ? observed_from : undefined
}

function Records({ machine }: { machine: Schemas['Machine'] }) {
  const t = useTranslations('downtime')
  const { may } = useMe()
  const [page, setPage] = useState(1)
  const [shown, setShown] = useState<DowntimeRecord | 'new' | null>(null)
  const query = useQuery({
    ...apiQuery('/fleet/downtime', {
      params: { query: { machine_id: machine.id, page, page_size: PAGE_SIZE, sort_by: 'started_at', sort_dir: 'desc' } },
    }),
    placeholderData: keepPreviousData,
  })
  const { data } = query
  // whole hours, so that the timeline is not drawn anew all the time
  const now = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS
  return (
    <>
      <Timeline
        from={new Date(now - TIMELINE_MS)}
        to={new Date(now)}
        machineId={machine.id}
        onOpen={may('operator') ? setShown : undefined}
      />
      <Panel
        title={t('records')}
        actions={may('operator') ? <Button onPress={() => setShown('new')}>{t('enter')}</Button> : null}
      >
        <Loaded query={query} label={t('records')}>
          {(data) =>
            data.items.length === 0 ? (
              <Empty title={t('noRecords')}>{t('noRecordsText')}</Empty>
            ) : (
              <RecordsTable records={data.items} onEdit={setShown} />
            )
          }
        </Loaded>
        {data ? <Pages pagination={data.pagination} onPage={setPage} /> : null}
      </Panel>
      <Suspense>
        {shown === null ? null : shown === 'new' ? (
          <RecordDialog machineId={machine.id} onClose={() => setShown(null)} />
        ) : (
          <RecordDialog key={shown.id} record={shown} onClose={() => setShown(null)} />
        )}
      </Suspense>
    </>
  )
}
