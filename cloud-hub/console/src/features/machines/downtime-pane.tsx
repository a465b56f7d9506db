import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { useFaultText } from '../../app/fault-text.ts'
import { useMe } from '../../app/me.tsx'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { SelectField } from '../../kit/field.tsx'
import { Empty, Panel, SkeletonRows } from '../../kit/layout.tsx'
import { Pages } from '../../kit/pages.tsx'
import { Table } from '../../kit/table.tsx'
import { toast } from '../../kit/toast.tsx'
import { OeePanel } from './oee-panel.tsx'

const PAGE_SIZE = 20

/** When the machine stood, and what that costs. */
export function DowntimePane({ machine }: { machine: Schemas['Machine'] }) {
  const t = useTranslations('downtime')
  const format = useFormat()
  const path = { machine_id: machine.id }
  const uptime = useQuery(apiQuery('/machines/{machine_id}/uptime-summary', { params: { path } }))
  const reliability = useQuery(apiQuery('/machines/{machine_id}/mttr-mtbf', { params: { path } }))
  const figures = [
    ['uptime', uptime.data?.uptime_percent, format.percent],
    ['stood', uptime.data?.downtime_hours, format.hours],
    ['mttr', reliability.data?.mttr_hours, format.hours],
    ['mtbf', reliability.data?.mtbf_hours, format.hours],
  ] as const
  return (
    <div className="flex flex-col gap-4">
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        {figures.map(([name, value, show]) => (
          <div key={name} className="card flex flex-col-reverse px-4 py-3">
            <dt className="text-sm text-soft">{t(name)}</dt>
            <dd className="tabular text-2xl font-bold">{value === null || value === undefined ? '–' : show(value)}</dd>
          </div>
        ))}
      </dl>
      <OeePanel machineId={machine.id} />
      <Records machineId={machine.id} />
    </div>
  )
}

function Records({ machineId }: { machineId: string }) {
  const t = useTranslations('downtime')
  const { may } = useMe()
  const format = useFormat()
  const faultText = useFaultText()
  const client = useQueryClient()
  const [page, setPage] = useState(1)
  const { data } = useQuery({
    ...apiQuery('/fleet/downtime', {
      params: { query: { machine_id: machineId, page, page_size: PAGE_SIZE, sort_by: 'started_at', sort_dir: 'desc' } },
    }),
    placeholderData: keepPreviousData,
  })
  const { data: codes } = useQuery(apiQuery('/reason-codes', { params: { query: { active_only: true } } }))
  const refresh = () => client.invalidateQueries({ queryKey: ['/fleet/downtime'] })
  const classify = useMutation({
    mutationFn: ({ id, codeId }: { id: string; codeId: string }) => {
      const params = { path: { machine_id: machineId, record_id: id } }
      return unwrap(api.PUT('/machines/{machine_id}/downtime/{record_id}', { params, body: { reason_code_id: codeId || null } }))
    },
    onError: (error) => toast('critical', faultText(error)),
    onSettled: refresh,
  })
  const end = useMutation({
    mutationFn: (id: string) =>
      unwrap(
        api.POST('/machines/{machine_id}/downtime/{record_id}/end', {
          params: { path: { machine_id: machineId, record_id: id } },
        }),
      ),
    onError: (error) => toast('critical', faultText(error)),
    onSettled: refresh,
  })
  return (
    <Panel title={t('records')}>
      {!data ? (
        <SkeletonRows label={t('records')} />
      ) : data.items.length === 0 ? (
        <Empty title={t('noRecords')}>{t('noRecordsText')}</Empty>
      ) : (
        <Table label={t('records')}>
          <thead>
            <tr>
              <th>{t('began')}</th>
              <th className="text-right">{t('duration')}</th>
              <th>{t('reason')}</th>
              <th>{t('source')}</th>
              <th>{t('note')}</th>
            </tr>
          </thead>
          <tbody>
            {data.items.map((record) => (
              <tr key={record.id}>
                <td className="whitespace-nowrap">{format.dateTime(record.started_at)}</td>
                <td className="tabular text-right whitespace-nowrap">
                  {record.ended_at !== null && record.duration_minutes !== null ? (
                    format.duration(record.duration_minutes)
                  ) : (
                    <span className="inline-flex items-center gap-2">
                      <span className="font-semibold text-critical">{t('ongoing')}</span>
                      {may('operator') ? (
                        <Button isPending={end.isPending} onPress={() => end.mutate(record.id)}>
                          {t('end')}
                        </Button>
                      ) : null}
                    </span>
                  )}
                </td>
                <td>
                  {may('operator') ? (
                    <SelectField
                      label={t('reason')}
                      isLabelHidden
                      value={record.reason_code_id ?? ''}
                      onChange={({ target }) => classify.mutate({ id: record.id, codeId: target.value })}
                      options={[
                        ['', t(`types.${record.reason_type}`)],
                        ...(codes ?? []).map((code) => [code.id, `${code.code} · ${code.label}`] as const),
                      ]}
                    />
                  ) : (
                    (record.reason_code?.label ?? t(`types.${record.reason_type}`))
                  )}
                </td>
                <td>{t(`sources.${record.source}`)}</td>
                <td>{record.reason_note ?? ''}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      {data ? <Pages pagination={data.pagination} onPage={setPage} /> : null}
    </Panel>
  )
}
