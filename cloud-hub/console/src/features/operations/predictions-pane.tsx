import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { apiQuery } from '../../api/client.ts'
import { useSite } from '../../app/site.ts'
import { useFormat } from '../../i18n/format.tsx'
import { useCatalogue } from '../../i18n/language.ts'
import { Empty, Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Status } from '../../kit/status.tsx'
import { Table } from '../../kit/table.tsx'

const TONES = { healthy: 'healthy', watch: 'info', warning: 'warning', critical: 'critical' } as const
const SHOWN = 200

/** Machines by their health, the worst first. */
export function PredictionsPane() {
  const t = useTranslations()
  const format = useFormat()
  const { language } = useCatalogue()
  const query = useQuery(apiQuery('/machines/predictions/fleet', { params: { query: { language, group_id: useSite() } } }))
  const { data } = query
  const machines = (data?.predictions ?? []).toSorted((a, b) => a.health_score - b.health_score).slice(0, SHOWN)
  return (
    <Panel title={t('operations.tabs.predictions')}>
      <Loaded query={query} label={t('operations.tabs.predictions')}>
        {() =>
          machines.length === 0 ? (
            <Empty title={t(data?.total === 0 ? 'overview.noMachines' : 'condition.notAnalyzed')}>
              {data?.total === 0 ? (
                <>
                  <p>{t('operations.noPredictionsText')}</p>
                  <Link to="/machines">{t('nav.machines')}</Link>
                </>
              ) : null}
            </Empty>
          ) : (
            <Table label={t('operations.tabs.predictions')}>
              <thead>
                <tr>
                  <th>{t('operations.machine')}</th>
                  <th className="text-right">{t('operations.score')}</th>
                  <th>{t('operations.risk')}</th>
                  <th className="text-right">{t('operations.daysLeft')}</th>
                  <th>{t('condition.reasons')}</th>
                </tr>
              </thead>
              <tbody>
                {machines.map((it) => (
                  <tr key={it.machine_id}>
                    <td>
                      <Link to="/machines/$machineId" params={{ machineId: it.machine_id }} search={{ tab: 'condition' }}>
                        {it.machine_name}
                      </Link>
                    </td>
                    <td className="tabular text-right font-semibold">{it.health_score}</td>
                    <td>
                      <Status tone={TONES[it.risk_level]}>{t(`condition.risk.${it.risk_level}`)}</Status>
                    </td>
                    <td className="tabular text-right">
                      {it.estimated_days_to_failure === null ? '–' : format.count(it.estimated_days_to_failure)}
                    </td>
                    <td>{it.contributing_factors[0] ?? ''}</td>
                  </tr>
                ))}
              </tbody>
            </Table>
          )
        }
      </Loaded>
    </Panel>
  )
}
