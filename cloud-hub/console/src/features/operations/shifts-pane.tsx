import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { apiQuery, type Schemas } from '../../api/client.ts'
import { MachineField } from '../../app/machine-field.tsx'
import { keepWithin, useSite } from '../../app/site.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { Empty, Panel, Panels } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Pages } from '../../kit/pages.tsx'
import { RangeFields } from '../../kit/range-fields.tsx'
import { RowMenu } from '../../kit/row-menu.tsx'
import { Table } from '../../kit/table.tsx'
import { ShiftComparison } from './shift-comparison.tsx'
import { ShiftDefinitions, ShiftName } from './shift-definitions.tsx'
import { useRange } from './use-range.ts'

const HandoverDialog = lazy(() => import('./handover-dialog.tsx').then((it) => ({ default: it.HandoverDialog })))
const LogDialog = lazy(() => import('./shift-log-dialog.tsx').then((it) => ({ default: it.ShiftLogDialog })))
const route = getRouteApi('/app/operations')
const PAGE_SIZE = 30

/** Shifts compared, their logs with the handover of each, and how they are defined. */
export function ShiftsPane() {
  const t = useTranslations()
  const { machine } = route.useSearch()
  const { range, days: given, chooseDays, chooseRange } = useRange()
  // a day holds too few shifts to compare
  const days = given === '1' ? '7' : given
  const navigate = useNavigate({ from: '/operations' })
  const filter = (change: Record<string, string | undefined>) =>
    navigate({ search: (known) => ({ ...known, ...change, page: undefined }), replace: true })
  return (
    <Panels>
      <div className="grid grid-cols-2 items-end gap-3 md:flex md:flex-wrap">
        <RangeFields
          rolling={(['7', '30', '90'] as const).map((it) => [it, t('operations.days', { days: it })] as const)}
          chosen={days}
          range={range}
          onRolling={chooseDays}
          onRange={chooseRange}
        />
        <MachineField
          label={t('operations.machine')}
          className="md:w-64"
          value={machine ?? ''}
          none={t('filter.all')}
          onChange={(id) => filter({ machine: id || undefined })}
        />
      </div>
      <ShiftComparison {...(days === null ? { range } : { days: Number(days) })} machineId={machine} />
      <ShiftDefinitions />
      <ShiftLogs machineId={machine} />
    </Panels>
  )
}

function ShiftLogs({ machineId }: { machineId: string | undefined }) {
  const t = useTranslations('shifts')
  const common = useTranslations('common')
  const format = useFormat()
  const navigate = useNavigate({ from: '/operations' })
  const { page = 1 } = route.useSearch()
  const [shown, setShown] = useState<Schemas['ShiftLog'] | null>(null)
  const [dialog, setDialog] = useState<'start' | Schemas['ShiftLog'] | null>(null)
  const site = useSite()
  const logs = useQuery({
    ...apiQuery('/shifts/logs', {
      params: { query: { machine_id: machineId, group_id: site, page, page_size: PAGE_SIZE } },
    }),
    placeholderData: keepWithin(site),
  })
  return (
    <Panel title={t('shiftLogs')} actions={<Button onPress={() => setDialog('start')}>{t('start')}</Button>}>
      <Loaded query={logs} label={t('shiftLogs')}>
        {(list) =>
          list.items.length === 0 ? (
            <Empty title={t('noLogs')}>{t('noLogsText')}</Empty>
          ) : (
            <>
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
                  {list.items.map((log) => (
                    <tr key={log.id}>
                      <td className="whitespace-nowrap">{format.date(`${log.shift_date}T12:00:00Z`)}</td>
                      <td>
                        <ShiftName name={log.shift_name} color={log.shift_color} />
                      </td>
                      <td>{log.machine_name}</td>
                      <td className="whitespace-nowrap">{format.dateTime(log.actual_start)}</td>
                      <td className="whitespace-nowrap">
                        {log.status === 'cancelled'
                          ? t('cancelled')
                          : log.actual_end
                            ? format.dateTime(log.actual_end)
                            : t('active')}
                      </td>
                      <td>{log.supervisor ?? ''}</td>
                      <td className="text-right whitespace-nowrap">
                        <RowMenu
                          label={t('editLogOf', { shift: log.shift_name })}
                          groups={() => [
                            [
                              { text: t('handover'), onPress: () => setShown(log) },
                              { text: common('edit'), onPress: () => setDialog(log) },
                            ],
                          ]}
                        />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </Table>
              <Pages pagination={list} onPage={(next) => navigate({ search: (known) => ({ ...known, page: next }) })} />
            </>
          )
        }
      </Loaded>
      <Suspense>{shown ? <HandoverDialog log={shown} onClose={() => setShown(null)} /> : null}</Suspense>
      <Suspense>
        {dialog ? <LogDialog {...(dialog !== 'start' && { log: dialog })} onClose={() => setDialog(null)} /> : null}
      </Suspense>
    </Panel>
  )
}
