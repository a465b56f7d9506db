import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { apiQuery, type Schemas } from '../../api/client.ts'
import { TELEMETRY_GAPS_ITEM_REASON, TELEMETRY_MISSED_ITEM_REASON } from '../../api/enums.ts'
import { useMe } from '../../app/me.tsx'
import { useFormat } from '../../i18n/format.tsx'
import { Empty, Panel, Panels } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Table } from '../../kit/table.tsx'
import { TagMappings } from '../tags/panel.tsx'

/** How complete the readings are, what was lost, and which tags they come from. */
export function DataPane({ machine }: { machine: Schemas['Machine'] }) {
  return (
    <Panels>
      <Completeness machineId={machine.id} />
      <Losses machineId={machine.id} />
      <TagMappings machineId={machine.id} />
    </Panels>
  )
}

function Completeness({ machineId }: { machineId: string }) {
  const t = useTranslations('data')
  const format = useFormat()
  const { may } = useMe()
  const query = useQuery(apiQuery('/machines/{machine_id}/summary', { params: { path: { machine_id: machineId } } }))
  return (
    <Panel title={t('completeness')}>
      <Loaded query={query} label={t('completeness')}>
        {(data) =>
          data.metrics.length === 0 ? (
            <Empty title={t('noReadings')}>{t(may('admin') ? 'noReadingsText' : 'noReadingsOther')}</Empty>
          ) : (
            <Table label={t('completeness')}>
              <thead>
                <tr>
                  <th>{t('metric')}</th>
                  <th className="text-right">{t('complete')}</th>
                  <th className="text-right">{t('stored')}</th>
                  <th className="text-right">{t('lost')}</th>
                  <th className="text-right">{t('mean')}</th>
                  <th className="text-right">{t('range')}</th>
                </tr>
              </thead>
              <tbody>
                {data.metrics.map((it) => (
                  <tr key={`${it.metric_name} ${it.unit}`}>
                    <td>{format.metric(it.metric_name)}</td>
                    <td className="tabular text-right">{format.percent(it.completeness_percent)}</td>
                    <td className="tabular text-right">{format.count(it.sample_count)}</td>
                    <td className="tabular text-right">{format.count(it.lost_count)}</td>
                    <td className="tabular text-right">{format.value(it.avg_value, it.unit)}</td>
                    <td className="tabular text-right whitespace-nowrap">
                      {format.value(it.min_value, it.unit)} – {format.value(it.max_value, it.unit)}
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

const REASONS = [...TELEMETRY_GAPS_ITEM_REASON, ...TELEMETRY_MISSED_ITEM_REASON]

function Losses({ machineId }: { machineId: string }) {
  const t = useTranslations('data')
  const reasonText = (reason: string) => {
    const known = REASONS.find((it) => it === reason)
    return known ? t(`reasons.${known}`) : reason.replaceAll('_', ' ')
  }
  const format = useFormat()
  const query = useQuery(apiQuery('/machines/{machine_id}/data-gaps', { params: { path: { machine_id: machineId } } }))
  return (
    <Panel title={t('losses')}>
      <Loaded query={query} label={t('losses')} rows={2}>
        {(data) =>
          data.items.length === 0 ? (
            <Empty title={t('noLosses')} />
          ) : (
            <Table label={t('losses')}>
              <thead>
                <tr>
                  <th>{t('from')}</th>
                  <th>{t('to')}</th>
                  <th>{t('metric')}</th>
                  <th className="text-right">{t('count')}</th>
                  <th>{t('reason')}</th>
                  <th>{t('agent')}</th>
                </tr>
              </thead>
              <tbody>
                {data.items.map((gap) => (
                  <tr key={gap.id}>
                    <td>{format.seconds(gap.from)}</td>
                    <td>{format.seconds(gap.to)}</td>
                    <td>{gap.metric_name ? format.metric(gap.metric_name) : t('allMetrics')}</td>
                    <td className="tabular text-right">{format.count(gap.count)}</td>
                    <td>{reasonText(gap.reason)}</td>
                    <td>{gap.agent_id}</td>
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
