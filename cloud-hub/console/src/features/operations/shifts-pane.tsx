import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { apiQuery, type Schemas } from '../../api/client.ts'
import { useMachineNames } from '../../app/machine-names.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { Empty, Panel, SkeletonRows } from '../../kit/layout.tsx'
import { Pages } from '../../kit/pages.tsx'
import { Table } from '../../kit/table.tsx'

const HandoverDialog = lazy(() => import('./handover-dialog.tsx').then((it) => ({ default: it.HandoverDialog })))
const PAGE_SIZE = 30

/** Shifts compared, and their logs with the handover of each. */
export function ShiftsPane() {
  const t = useTranslations('shifts')
  const format = useFormat()
  const names = useMachineNames()
  const [page, setPage] = useState(1)
  const [shown, setShown] = useState<Schemas['ShiftLog'] | null>(null)
  const comparison = useQuery(apiQuery('/shifts/comparison'))
  const logs = useQuery({
    ...apiQuery('/shifts/logs', { params: { query: { page, page_size: PAGE_SIZE } } }),
    placeholderData: keepPreviousData,
  })
  const percent = (value: number | null) => (value === null ? '–' : format.percent(value))
  return (
    <div className="flex flex-col gap-4">
      <Panel title={t('comparison')}>
        {!comparison.data ? (
          <SkeletonRows rows={3} label={t('comparison')} />
        ) : comparison.data.shifts.length === 0 ? (
          <Empty title={t('none')}>{t('noneText')}</Empty>
        ) : (
          <Table label={t('comparison')}>
            <thead>
              <tr>
                <th>{t('shift')}</th>
                <th className="text-right">{t('logs')}</th>
                <th className="text-right">{t('oee')}</th>
                <th className="text-right">{t('availability')}</th>
                <th className="text-right">{t('performance')}</th>
                <th className="text-right">{t('quality')}</th>
                <th className="text-right">{t('downtime')}</th>
              </tr>
            </thead>
            <tbody>
              {comparison.data.shifts.map((shift) => (
                <tr key={shift.shift_definition_id}>
                  <td className="font-medium">{shift.shift_name}</td>
                  <td className="tabular text-right">{format.count(shift.record_count)}</td>
                  <td className="tabular text-right font-semibold">{percent(shift.avg_oee_pct)}</td>
                  <td className="tabular text-right">{percent(shift.avg_availability_pct)}</td>
                  <td className="tabular text-right">{percent(shift.avg_performance_pct)}</td>
                  <td className="tabular text-right">{percent(shift.avg_quality_pct)}</td>
                  <td className="tabular text-right whitespace-nowrap">{format.duration(shift.total_downtime_minutes)}</td>
                </tr>
              ))}
            </tbody>
          </Table>
        )}
      </Panel>
      <Panel title={t('shiftLogs')}>
        {!logs.data ? (
          <SkeletonRows label={t('shiftLogs')} />
        ) : logs.data.items.length === 0 ? (
          <Empty title={t('noLogs')} />
        ) : (
          <Table label={t('shiftLogs')}>
            <thead>
              <tr>
                <th>{t('date')}</th>
                <th>{t('shift')}</th>
                <th>{t('machine')}</th>
                <th>{t('began')}</th>
                <th>{t('ended')}</th>
                <th>{t('supervisor')}</th>
                <th>
                  <span className="sr-only">{t('handover')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {logs.data.items.map((log) => (
                <tr key={log.id}>
                  <td className="whitespace-nowrap">{format.date(`${log.shift_date}T12:00:00Z`)}</td>
                  <td>{log.shift_name}</td>
                  <td>{names.get(log.machine_id) ?? '–'}</td>
                  <td className="whitespace-nowrap">{format.dateTime(log.actual_start)}</td>
                  <td className="whitespace-nowrap">{log.actual_end ? format.dateTime(log.actual_end) : t('active')}</td>
                  <td>{log.supervisor ?? ''}</td>
                  <td className="text-right">
                    <Button onPress={() => setShown(log)}>{t('handover')}</Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </Table>
        )}
        {logs.data ? <Pages pagination={logs.data} onPage={setPage} /> : null}
      </Panel>
      <Suspense>{shown ? <HandoverDialog log={shown} onClose={() => setShown(null)} /> : null}</Suspense>
    </div>
  )
}
