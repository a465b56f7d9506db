import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { apiQuery } from '../../api/client.ts'
import { CsvButton } from '../../app/csv-button.tsx'
import { MachineField } from '../../app/machine-field.tsx'
import { useMe } from '../../app/me.tsx'
import { keepWithin, useSite } from '../../app/site.ts'
import { Button } from '../../kit/button.tsx'
import { SelectField } from '../../kit/field.tsx'
import { Filters } from '../../kit/filters.tsx'
import { Empty, Panel, Panels } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Pages } from '../../kit/pages.tsx'
import { RangeFields } from '../../kit/range-fields.tsx'
import { type DowntimeRecord, TYPES } from '../downtime/records.ts'
import { RecordsTable } from '../downtime/records-table.tsx'
import { Timeline } from '../downtime/timeline.tsx'
import { KeyFigures } from './key-figures.tsx'
import { Pareto } from './pareto.tsx'
import { Reliability } from './reliability.tsx'
import { useRange } from './use-range.ts'

const RecordDialog = lazy(() => import('../downtime/record-dialog.tsx').then((it) => ({ default: it.RecordDialog })))

const route = getRouteApi('/app/operations')
const PAGE_SIZE = 30

/** Downtime of all machines, and which reasons cost the most. */
export function DowntimePane() {
  const t = useTranslations()
  const { may } = useMe()
  const [shown, setShown] = useState<DowntimeRecord | 'new' | null>(null)
  const { type, machine, page = 1 } = route.useSearch()
  const { range: exact, days, length, chooseDays, chooseRange } = useRange()
  const site = useSite()
  const navigate = useNavigate({ from: '/operations' })
  const filter = (change: Record<string, string | undefined>) =>
    navigate({ search: (known) => ({ ...known, ...change, page: undefined }), replace: true })
  const [from, to] = [new Date(exact.from), new Date(exact.to)]
  const range = { from, to, machineId: machine }
  const records = {
    machine_id: machine,
    group_id: site,
    reason_type: type,
    date_from: from.toISOString(),
    date_to: days === null ? new Date(exact.to - 1).toISOString() : undefined,
    sort_by: 'started_at',
    sort_dir: 'desc',
  } as const
  const result = useQuery({
    ...apiQuery('/fleet/downtime', { params: { query: { page, page_size: PAGE_SIZE, ...records } } }),
    placeholderData: keepWithin(site),
  })
  const { data } = result
  return (
    <Panels>
      <Filters chosen={[type, machine, days !== '30'].filter(Boolean).length}>
        <RangeFields
          rolling={(['1', '7', '30', '90'] as const).map(
            (it) => [it, it === '1' ? t('operations.day') : t('operations.days', { days: it })] as const,
          )}
          chosen={days}
          range={exact}
          onRolling={chooseDays}
          onRange={chooseRange}
        />
        <SelectField
          label={t('operations.type')}
          value={type ?? ''}
          onChange={({ target }) => filter({ type: target.value || undefined })}
          options={[['', t('filter.all')], ...TYPES.map((it) => [it, t(`downtime.types.${it}`)] as const)]}
        />
        <MachineField
          label={t('operations.machine')}
          className="max-md:col-span-2 md:w-64"
          value={machine ?? ''}
          none={t('filter.all')}
          onChange={(id) => filter({ machine: id || undefined })}
        />
      </Filters>
      <KeyFigures {...range} days={String(length)} />
      <Pareto {...(days === null ? { range: exact } : { days: Number(days) })} machineId={machine} />
      <Timeline {...{ from, type }} to={to} machineId={machine} isOfFleet onOpen={may('operator') ? setShown : undefined} />
      {machine ? null : <Reliability {...range} />}
      <Panel
        title={t('downtime.records')}
        actions={
          <>
            <CsvButton path="/fleet/downtime" query={records} name="downtime" />
            {may('operator') ? <Button onPress={() => setShown('new')}>{t('downtime.enter')}</Button> : null}
          </>
        }
      >
        <Loaded query={result} label={t('downtime.records')}>
          {(data) =>
            data.items.length === 0 ? (
              <Empty title={t('downtime.noRecords')}>{t('downtime.noRecordsText')}</Empty>
            ) : (
              <RecordsTable records={data.items} isOfFleet onEdit={setShown} />
            )
          }
        </Loaded>
        {data ? (
          <Pages pagination={data.pagination} onPage={(next) => navigate({ search: (known) => ({ ...known, page: next }) })} />
        ) : null}
      </Panel>
      <Suspense>
        {shown === null ? null : shown === 'new' ? (
          <RecordDialog machineId={machine} onClose={() => setShown(null)} />
        ) : (
          <RecordDialog key={shown.id} record={shown} onClose={() => setShown(null)} />
        )}
      </Suspense>
    </Panels>
  )
}
