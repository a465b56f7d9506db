import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { apiQuery } from '../../api/client.ts'
import { MachineName } from '../../app/machine-name.tsx'
import { useSite } from '../../app/site.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Empty, Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Table } from '../../kit/table.tsx'

const SHOWN = 10

/** The machines that fail most, with their mean times, and those of the fleet. */
export function Reliability({ days }: { days: number }) {
  const t = useTranslations('operations')
  const format = useFormat()
  const reliability = useQuery(apiQuery('/fleet/mttr-mtbf', { params: { query: { days, group_id: useSite() } } }))
  const span = (hours: number | null) => (hours === null ? '–' : format.duration(hours * 60))
  return (
    <Panel title={t('reliability')}>
      <Loaded query={reliability} label={t('reliability')} rows={3}>
        {({ machines, fleet_mttr_hours, fleet_mtbf_hours }) => {
          const worst = machines
            .filter((it) => it.failure_event_count + it.repair_event_count > 0)
            .toSorted((a, b) => b.failure_event_count - a.failure_event_count || b.repair_event_count - a.repair_event_count)
          if (worst.length === 0) return <Empty title={t('noFailures')} />
          return (
            <>
              <p className="px-4 pt-3 pb-1 text-sm text-soft">
                {fleet_mttr_hours === null ? null : t('meanRepair', { span: span(fleet_mttr_hours) })}{' '}
                {fleet_mtbf_hours === null ? null : t('meanUptime', { span: span(fleet_mtbf_hours) })}
              </p>
              <Table label={t('reliability')}>
                <thead>
                  <tr>
                    <th>{t('machine')}</th>
                    <th className="text-right">{t('failures')}</th>
                    <th className="text-right">{t('repairs')}</th>
                    <th className="text-right">{t('mttr')}</th>
                    <th className="text-right">{t('mtbf')}</th>
                  </tr>
                </thead>
                <tbody>
                  {worst.slice(0, SHOWN).map((it) => (
                    <tr key={it.machine_id}>
                      <td>
                        <Link to="/machines/$machineId" params={{ machineId: it.machine_id }} search={{ tab: 'downtime' }}>
                          <MachineName id={it.machine_id} />
                        </Link>
                      </td>
                      <td className="tabular text-right font-semibold">{format.count(it.failure_event_count)}</td>
                      <td className="tabular text-right">{format.count(it.repair_event_count)}</td>
                      <td className="tabular text-right">{span(it.mttr_hours)}</td>
                      <td className="tabular text-right">{span(it.mtbf_hours)}</td>
                    </tr>
                  ))}
                </tbody>
              </Table>
            </>
          )
        }}
      </Loaded>
    </Panel>
  )
}
