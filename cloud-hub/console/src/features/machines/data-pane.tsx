import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { useFaultText } from '../../app/fault-text.ts'
import { useMe } from '../../app/me.tsx'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { Empty, Panel, SkeletonRows } from '../../kit/layout.tsx'
import { Table } from '../../kit/table.tsx'
import { toast } from '../../kit/toast.tsx'

/** How complete the readings are, what was lost, and which tags they come from. */
export function DataPane({ machine }: { machine: Schemas['Machine'] }) {
  return (
    <div className="flex flex-col gap-4">
      <Completeness machineId={machine.id} />
      <Losses machineId={machine.id} />
      <TagMappings machineId={machine.id} />
    </div>
  )
}

function Completeness({ machineId }: { machineId: string }) {
  const t = useTranslations('data')
  const format = useFormat()
  const { data } = useQuery(apiQuery('/machines/{machine_id}/summary', { params: { path: { machine_id: machineId } } }))
  return (
    <Panel title={t('completeness')}>
      {!data ? (
        <SkeletonRows label={t('completeness')} />
      ) : data.metrics.length === 0 ? (
        <Empty title={t('noReadings')} />
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
      )}
    </Panel>
  )
}

function Losses({ machineId }: { machineId: string }) {
  const t = useTranslations('data')
  const format = useFormat()
  const { data } = useQuery(apiQuery('/machines/{machine_id}/data-gaps', { params: { path: { machine_id: machineId } } }))
  return (
    <Panel title={t('losses')}>
      {!data ? (
        <SkeletonRows rows={2} label={t('losses')} />
      ) : data.items.length === 0 ? (
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
                <td>{gap.reason.replaceAll('_', ' ')}</td>
                <td>{gap.agent_id}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </Panel>
  )
}

function TagMappings({ machineId }: { machineId: string }) {
  const t = useTranslations('data')
  const { may } = useMe()
  const format = useFormat()
  const faultText = useFaultText()
  const client = useQueryClient()
  const { data } = useQuery(apiQuery('/machines/{machine_id}/tag-mappings', { params: { path: { machine_id: machineId } } }))
  const confirm = useMutation({
    mutationFn: (id: string) => unwrap(api.POST('/tag-mappings/{mapping_id}/confirm', { params: { path: { mapping_id: id } } })),
    onError: (error) => toast('critical', faultText(error)),
    onSettled: () => client.invalidateQueries({ queryKey: ['/machines/{machine_id}/tag-mappings'] }),
  })
  return (
    <Panel title={t('mappings')}>
      {!data ? (
        <SkeletonRows rows={2} label={t('mappings')} />
      ) : data.length === 0 ? (
        <Empty title={t('noMappings')} />
      ) : (
        <Table label={t('mappings')}>
          <thead>
            <tr>
              <th>{t('tag')}</th>
              <th>{t('metric')}</th>
              <th>{t('unit')}</th>
              <th className="text-right">{t('confidence')}</th>
              <th>{t('state')}</th>
            </tr>
          </thead>
          <tbody>
            {data.map((mapping) => (
              <tr key={mapping.id}>
                <td>
                  <code>{mapping.raw_tag}</code>
                </td>
                <td>{format.metric(mapping.standardized_name)}</td>
                <td>{mapping.unit}</td>
                <td className="tabular text-right">{format.percent(mapping.confidence_score * 100)}</td>
                <td>
                  {mapping.is_confirmed ? (
                    t('confirmed')
                  ) : may('operator') ? (
                    <Button
                      look="quiet"
                      onPress={() => confirm.mutate(mapping.id)}
                      isPending={confirm.isPending && confirm.variables === mapping.id}
                    >
                      {t('confirm')}
                    </Button>
                  ) : (
                    t('suggested')
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </Panel>
  )
}
