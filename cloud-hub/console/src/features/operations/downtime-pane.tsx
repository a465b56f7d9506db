import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { apiQuery } from '../../api/client.ts'
import { useMachineNames } from '../../app/machine-names.ts'
import { useFormat } from '../../i18n/format.tsx'
import { SelectField } from '../../kit/field.tsx'
import { Empty, Panel, SkeletonRows } from '../../kit/layout.tsx'
import { Pages } from '../../kit/pages.tsx'
import { Table } from '../../kit/table.tsx'
import { Pareto } from './pareto.tsx'

const route = getRouteApi('/app/operations')
const PAGE_SIZE = 30
const DAY_MS = 86_400_000
const TYPES = ['unplanned', 'planned', 'changeover', 'maintenance'] as const

/** Downtime of all machines, and which reasons cost the most. */
export function DowntimePane() {
  const t = useTranslations()
  const format = useFormat()
  const names = useMachineNames()
  const { days = '30', type, machine, page = 1 } = route.useSearch()
  const navigate = useNavigate({ from: '/operations' })
  const filter = (change: Record<string, string | undefined>) =>
    navigate({ search: (known) => ({ ...known, ...change, page: undefined }), replace: true })
  // whole days, so that a reload finds the same query in the cache
  const from = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - (Number(days) - 1) * DAY_MS).toISOString()
  const { data } = useQuery({
    ...apiQuery('/fleet/downtime', {
      params: {
        query: {
          page,
          page_size: PAGE_SIZE,
          machine_id: machine,
          reason_type: type,
          date_from: from,
          sort_by: 'started_at',
          sort_dir: 'desc',
        },
      },
    }),
    placeholderData: keepPreviousData,
  })
  return (
    <div className="flex flex-col gap-4">
      <div className="grid grid-cols-2 gap-3 md:flex">
        <SelectField
          label={t('operations.span')}
          value={days}
          onChange={({ target }) => filter({ days: target.value })}
          options={(['7', '30', '90'] as const).map((it) => [it, t('operations.days', { days: it })] as const)}
        />
        <SelectField
          label={t('operations.type')}
          value={type ?? ''}
          onChange={({ target }) => filter({ type: target.value || undefined })}
          options={[['', t('filter.all')], ...TYPES.map((it) => [it, t(`downtime.types.${it}`)] as const)]}
        />
        <SelectField
          label={t('operations.machine')}
          className="max-md:col-span-2 md:w-64"
          value={machine ?? ''}
          onChange={({ target }) => filter({ machine: target.value || undefined })}
          options={[['', t('filter.all')], ...names]}
        />
      </div>
      <Pareto days={Number(days)} machineId={machine} />
      <Panel title={t('downtime.records')}>
        {!data ? (
          <SkeletonRows label={t('downtime.records')} />
        ) : data.items.length === 0 ? (
          <Empty title={t('downtime.noRecords')}>{t('downtime.noRecordsText')}</Empty>
        ) : (
          <Table label={t('downtime.records')}>
            <thead>
              <tr>
                <th>{t('operations.machine')}</th>
                <th>{t('downtime.began')}</th>
                <th className="text-right">{t('downtime.duration')}</th>
                <th>{t('downtime.reason')}</th>
                <th>{t('downtime.source')}</th>
              </tr>
            </thead>
            <tbody>
              {data.items.map((record) => (
                <tr key={record.id}>
                  <td>
                    <Link to="/machines/$machineId" params={{ machineId: record.machine_id }} search={{ tab: 'downtime' }}>
                      {names.get(record.machine_id) ?? t('operations.machine')}
                    </Link>
                  </td>
                  <td className="whitespace-nowrap">{format.dateTime(record.started_at)}</td>
                  <td className="tabular text-right whitespace-nowrap">
                    {record.duration_minutes === null || record.ended_at === null ? (
                      <span className="font-semibold text-critical">{t('downtime.ongoing')}</span>
                    ) : (
                      format.duration(record.duration_minutes)
                    )}
                  </td>
                  <td>{record.reason_code?.label ?? t(`downtime.types.${record.reason_type}`)}</td>
                  <td>{t(`downtime.sources.${record.source}`)}</td>
                </tr>
              ))}
            </tbody>
          </Table>
        )}
        {data ? (
          <Pages pagination={data.pagination} onPage={(next) => navigate({ search: (known) => ({ ...known, page: next }) })} />
        ) : null}
      </Panel>
    </div>
  )
}
