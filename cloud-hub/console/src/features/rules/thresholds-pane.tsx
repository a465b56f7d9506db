import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { MachineName } from '../../app/machine-name.tsx'
import { useMe } from '../../app/me.tsx'
import { useFaultText } from '../../i18n/fault-text.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx'
import { Empty, Panel, Panels } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Table } from '../../kit/table.tsx'
import { toast } from '../../kit/toast.tsx'
import { useMetricUnits } from './metric-units.ts'
import { RuleActions } from './rule-actions.tsx'
import { Suggestions } from './suggestions.tsx'
import type { ThresholdDraft } from './threshold-dialog.tsx'

const ThresholdDialog = lazy(() => import('./threshold-dialog.tsx').then((it) => ({ default: it.ThresholdDialog })))

/** Threshold rules, and suggestions from the readings of the last days. */
export function ThresholdsPane() {
  const t = useTranslations()
  const format = useFormat()
  const faultText = useFaultText()
  const client = useQueryClient()
  const { may } = useMe()
  const [draft, setDraft] = useState<ThresholdDraft | null>(null)
  const [deleting, setDeleting] = useState<Schemas['AlertRule'] | null>(null)
  const query = apiQuery('/alert-rules')
  const result = useQuery(query)
  const units = useMetricUnits((result.data ?? []).map(({ machine_id }) => machine_id))
  const thresholdText = ({ metric_name, machine_id }: Schemas['AlertRule'], value: number) =>
    format.limit(value, units.one(metric_name, machine_id) ?? '')
  const toggle = useMutation({
    mutationFn: ({ id, is_active }: Schemas['AlertRule']) =>
      unwrap(api.PUT('/alert-rules/{rule_id}', { params: { path: { rule_id: id } }, body: { is_active: !is_active } })),
    onMutate: async (rule) => {
      await client.cancelQueries({ queryKey: query.queryKey })
      const before = client.getQueryData<Schemas['AlertRule'][]>(query.queryKey)
      client.setQueryData<Schemas['AlertRule'][]>(query.queryKey, (known) =>
        known?.map((it) => (it.id === rule.id ? { ...it, is_active: !rule.is_active } : it)),
      )
      return { before }
    },
    onSuccess: (changed) =>
      toast('healthy', t(changed.is_active ? 'rules.wasActivated' : 'rules.wasDeactivated'), {
        text: t('common.undo'),
        run: () => toggle.mutate(changed),
      }),
    onError: (error, _, context) => {
      client.setQueryData(query.queryKey, context?.before)
      toast('critical', faultText(error))
    },
  })
  return (
    <Panels>
      <Panel
        title={t('rules.tabs.thresholds')}
        actions={
          may('admin') ? (
            <Button look="primary" onPress={() => setDraft({})}>
              {t('rules.add')}
            </Button>
          ) : null
        }
      >
        <Loaded query={result} label={t('rules.tabs.thresholds')}>
          {(data) =>
            data.length === 0 ? (
              <Empty title={t('rules.none')}>{t(may('admin') ? 'rules.noneText' : 'rules.noneOther')}</Empty>
            ) : (
              <Table label={t('rules.tabs.thresholds')}>
                <thead>
                  <tr>
                    <th>{t('rules.metric')}</th>
                    <th>{t('rules.machine')}</th>
                    <th className="text-right">{t('severity.warning')}</th>
                    <th className="text-right">{t('severity.critical')}</th>
                    <th>{t('rules.state')}</th>
                    <th>
                      <span className="sr-only">{t('common.edit')}</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {data.map((rule) => (
                    <tr key={rule.id}>
                      <td className="font-medium">{format.metric(rule.metric_name)}</td>
                      <td>{rule.machine_id ? <MachineName id={rule.machine_id} /> : t('rules.allMachines')}</td>
                      <td className="tabular text-right">{thresholdText(rule, rule.warning_threshold)}</td>
                      <td className="tabular text-right">{thresholdText(rule, rule.critical_threshold)}</td>
                      <td>{t(rule.is_active ? 'rules.active' : 'rules.inactive')}</td>
                      <td>
                        {may('admin') ? (
                          <RuleActions
                            isActive={rule.is_active}
                            isPending={toggle.isPending && toggle.variables.id === rule.id}
                            onEdit={() => setDraft(rule)}
                            onToggle={() => toggle.mutate(rule)}
                            onDelete={() => setDeleting(rule)}
                          />
                        ) : null}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </Table>
            )
          }
        </Loaded>
      </Panel>
      <Suggestions onChoose={may('admin') ? setDraft : undefined} />
      <Suspense>{draft ? <ThresholdDialog draft={draft} onClose={() => setDraft(null)} /> : null}</Suspense>
      {deleting ? (
        <ConfirmDialog
          title={t('rules.deleteTitle', { name: format.metric(deleting.metric_name) })}
          text={t('rules.deleteText')}
          confirm={t('common.delete')}
          run={() => unwrap(api.DELETE('/alert-rules/{rule_id}', { params: { path: { rule_id: deleting.id } } }))}
          onClose={() => setDeleting(null)}
        />
      ) : null}
    </Panels>
  )
}
