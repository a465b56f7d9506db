import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { CsvButton } from '../../app/csv-button.tsx'
import { useSite } from '../../app/site.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Empty, Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Table } from '../../kit/table.tsx'
import { type FiguresRange, useRanking, useTotals } from './use-figures.ts'

const SHOWN = 10

/** The machines that fail most, with their mean times, and those of the fleet. */
export function Reliability(range: FiguresRange) {
  const t = useTranslations('operations')
  const format = useFormat()
  const site = useSite()
  const ranking = useRanking(range, 'failure_event_count', SHOWN)
  const fleet = useTotals(range).data?.items[0]?.figures
  const span = (hours: number | null) => (hours === null ? '–' : format.duration(hours * 60))
  return (
    <Panel
      title={t('reliability')}
      actions={
        <CsvButton
          path="/fleet/figures"
          query={{ from: range.from.toISOString(), to: range.to.toISOString(), group_id: site, by: 'machine' }}
          name="figures"
        />
      }
    >
      <Loaded query={ranking} label={t('reliability')} rows={3}>
        {({ items }) => {
          const worst = items.filter(({ figures }) => figures.failure_event_count || figures.repair_event_count)
          if (worst.length === 0) return <Empty title={t('noFailures')} />
          return (
            <>
              <p className="px-4 pt-3 pb-1 text-sm text-soft">
                {fleet?.mttr_hours ? t('meanRepair', { span: span(fleet.mttr_hours) }) : null}{' '}
                {fleet?.mtbf_hours ? t('meanUptime', { span: span(fleet.mtbf_hours) }) : null}
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
                  {worst.map(({ machine_id, name, figures }) => (
                    <tr key={machine_id}>
                      <td>
                        <Link to="/machines/$machineId" params={{ machineId: machine_id ?? '' }} search={{ tab: 'downtime' }}>
                          {name}
                        </Link>
                      </td>
                      <td className="tabular text-right font-semibold">{format.count(figures.failure_event_count ?? 0)}</td>
                      <td className="tabular text-right">{format.count(figures.repair_event_count ?? 0)}</td>
                      <td className="tabular text-right">{span(figures.mttr_hours)}</td>
                      <td className="tabular text-right">{span(figures.mtbf_hours)}</td>
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
