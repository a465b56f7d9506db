import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { apiQuery, type Schemas } from '../../api/client.ts'
import { useFormat } from '../../i18n/format.tsx'
import { useCatalogue } from '../../i18n/language.ts'
import { Empty, Panel, Panels } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Status } from '../../kit/status.tsx'
import { Table } from '../../kit/table.tsx'

const TONES = { healthy: 'healthy', watch: 'info', warning: 'warning', critical: 'critical' } as const

/** How the machine wears: prediction with its reasons, anomalies and baselines. */
export function ConditionPane({ machine }: { machine: Schemas['Machine'] }) {
  return (
    <Panels className="grid items-start gap-4 lg:grid-cols-2">
      <Prediction machineId={machine.id} />
      <Anomalies machineId={machine.id} />
      <Baselines machineId={machine.id} />
    </Panels>
  )
}

function Prediction({ machineId }: { machineId: string }) {
  const t = useTranslations('condition')
  const format = useFormat()
  const { language } = useCatalogue()
  const days = (count: number) => (count < 10 ? format.rounded(count) : format.count(count))
  const path = { machine_id: machineId }
  const query = useQuery(apiQuery('/machines/{machine_id}/prediction', { params: { path, query: { language } } }))
  const { data: history } = useQuery(
    apiQuery('/machines/{machine_id}/prediction/history', { params: { path, query: { days: 30 } } }),
  )
  return (
    <Panel title={t('prediction')}>
      <Loaded query={query} label={t('prediction')}>
        {(data) => (
          <div className="flex flex-col gap-3 p-4">
            <div className="flex items-center gap-4">
              <p className="tabular text-4xl font-semibold">{data.health_score}</p>
              <div>
                <Status tone={TONES[data.risk_level]}>{t(`risk.${data.risk_level}`)}</Status>
                <p className="text-sm text-soft">{t('scoreText')}</p>
              </div>
            </div>
            {history && history.points.length > 1 ? <ScoreLine points={history.points} /> : null}
            {data.ai_narrative ? (
              <div>
                <p>{data.ai_narrative}</p>
                {data.ai_narrative_source === 'model' ? <p className="text-sm text-soft">{t('writtenByModel')}</p> : null}
              </div>
            ) : null}
            {data.estimated_days_to_failure !== null ? (
              <p className="font-medium">
                {t('daysLeft', {
                  days: days(data.estimated_days_to_failure),
                  low: days(data.failure_days_low ?? data.estimated_days_to_failure),
                  high: days(data.failure_days_high ?? data.estimated_days_to_failure),
                })}
              </p>
            ) : null}
            {data.contributing_factors.length > 0 ? (
              <div>
                <h3 className="font-semibold">{t('reasons')}</h3>
                <ul className="list-disc pl-5">
                  {data.contributing_factors.map((reason) => (
                    <li key={reason}>{reason}</li>
                  ))}
                </ul>
              </div>
            ) : null}
            <p className="text-sm text-soft">
              {data.last_analyzed_at ? t('analyzed', { ago: format.ago(data.last_analyzed_at) }) : t('notAnalyzed')}
            </p>
          </div>
        )}
      </Loaded>
    </Panel>
  )
}

/** The score of the last 30 days, 0 to 100. */
function ScoreLine({ points }: { points: Schemas['PredictionHistory']['points'] }) {
  const t = useTranslations('condition')
  const times = points.map(({ recorded_at }) => Date.parse(recorded_at))
  const [first, span] = [Math.min(...times), Math.max(1, Math.max(...times) - Math.min(...times))]
  const line = points.map(
    ({ health_score }, index) => `${(((times[index] as number) - first) / span) * 300},${60 - health_score * 0.6}`,
  )
  return (
    <svg viewBox="0 -2 300 64" className="h-16 w-full text-brand" role="img" aria-label={t('history')} preserveAspectRatio="none">
      <polyline points={line.join(' ')} fill="none" stroke="currentColor" strokeWidth="2" vectorEffect="non-scaling-stroke" />
    </svg>
  )
}

function Anomalies({ machineId }: { machineId: string }) {
  const t = useTranslations('condition')
  const format = useFormat()
  const query = useQuery(
    apiQuery('/machines/{machine_id}/anomalies', { params: { path: { machine_id: machineId }, query: { page_size: 20 } } }),
  )
  return (
    <Panel title={t('anomalies')}>
      <Loaded query={query} label={t('anomalies')}>
        {(data) =>
          data.items.length === 0 ? (
            <Empty title={t('noAnomalies')} />
          ) : (
            <Table label={t('anomalies')}>
              <thead>
                <tr>
                  <th>{t('since')}</th>
                  <th>{t('metric')}</th>
                  <th className="text-right">{t('value')}</th>
                </tr>
              </thead>
              <tbody>
                {data.items.map((event) => (
                  <tr key={event.id}>
                    <td>
                      {format.dateTime(event.started_at)}
                      {event.ended_at ? null : <span className="ml-2 font-medium text-warning">{t('ongoing')}</span>}
                    </td>
                    <td>{format.metric(event.metric_name)}</td>
                    <td className="tabular text-right">
                      {t('driftOf', { value: format.value(event.value, event.unit), sigma: format.signed(event.sigma) })}
                    </td>
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

function Baselines({ machineId }: { machineId: string }) {
  const t = useTranslations('condition')
  const format = useFormat()
  const query = useQuery(apiQuery('/machines/{machine_id}/baselines', { params: { path: { machine_id: machineId } } }))
  const { data: summary } = useQuery(
    apiQuery('/machines/{machine_id}/anomalies/summary', { params: { path: { machine_id: machineId } } }),
  )
  const driftOf = (metric: string, unit: string) => {
    const found = summary?.baseline_drift.find((it) => it.metric_name === metric && it.unit === unit)
    if (!found) return '–'
    const value = format.value(found.current_mean, unit)
    return found.drift_sigma === null ? value : t('driftOf', { value, sigma: format.signed(found.drift_sigma) })
  }
  return (
    <Panel title={t('baselines')} className="lg:col-span-2">
      <Loaded query={query} label={t('baselines')}>
        {(data) =>
          data.length === 0 ? (
            <Empty title={t('noBaselines')}>{t('noBaselinesText')}</Empty>
          ) : (
            <Table label={t('baselines')}>
              <thead>
                <tr>
                  <th>{t('metric')}</th>
                  <th className="text-right">{t('mean')}</th>
                  <th className="text-right">{t('deviation')}</th>
                  <th className="text-right">{t('drift')}</th>
                  <th className="text-right">{t('lowest')}</th>
                  <th className="text-right">{t('highest')}</th>
                  <th className="text-right">{t('readings')}</th>
                </tr>
              </thead>
              <tbody>
                {data.map((it) => (
                  <tr key={it.id}>
                    <td>{format.metric(it.metric_name)}</td>
                    <td className="tabular text-right">{format.value(it.mean_value, it.unit)}</td>
                    <td className="tabular text-right">{format.spread(it.std_dev, it.unit)}</td>
                    <td className="tabular text-right">{driftOf(it.metric_name, it.unit)}</td>
                    <td className="tabular text-right">{format.value(it.min_value, it.unit)}</td>
                    <td className="tabular text-right">{format.value(it.max_value, it.unit)}</td>
                    <td className="tabular text-right">{format.count(it.sample_count)}</td>
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
