import { useMutation, useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { MachineName } from '../../app/machine-name.tsx'
import { useMe } from '../../app/me.tsx'
import { useFaultText } from '../../i18n/fault-text.ts'
import { Button } from '../../kit/button.tsx'
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx'
import { Empty, Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Status } from '../../kit/status.tsx'
import { toast } from '../../kit/toast.tsx'
import { useExpressionText } from './expression-text.ts'
import { useMetricUnits } from './metric-units.ts'
import { RuleActions } from './rule-actions.tsx'

const CompositeDialog = lazy(() => import('./composite-dialog.tsx').then((it) => ({ default: it.CompositeDialog })))

type Rule = Schemas['CompositeRule']

/** Rules that combine several metrics of a machine. */
export function CompositesPane() {
  const t = useTranslations()
  const expressionText = useExpressionText()
  const faultText = useFaultText()
  const { may } = useMe()
  const [editing, setEditing] = useState<Rule | 'new' | null>(null)
  const [deleting, setDeleting] = useState<Rule | null>(null)
  const query = useQuery(apiQuery('/composite-rules'))
  const units = useMetricUnits((query.data ?? []).map(({ machine_id }) => machine_id))
  const toggle = useMutation({
    mutationFn: ({ id, is_active }: Rule) =>
      unwrap(api.PUT('/composite-rules/{rule_id}', { params: { path: { rule_id: id } }, body: { is_active: !is_active } })),
    onSuccess: (changed) =>
      toast('healthy', t(changed.is_active ? 'rules.wasActivated' : 'rules.wasDeactivated'), {
        text: t('common.undo'),
        run: () => toggle.mutate(changed),
      }),
    onError: (error) => toast('critical', faultText(error)),
  })
  return (
    <Panel
      title={t('rules.tabs.composites')}
      actions={
        may('admin') ? (
          <Button look="primary" onPress={() => setEditing('new')}>
            {t('rules.addComposite')}
          </Button>
        ) : null
      }
    >
      <Loaded query={query} label={t('rules.tabs.composites')}>
        {(data) =>
          data.length === 0 ? (
            <Empty title={t('rules.noComposites')}>{t('rules.noCompositesText')}</Empty>
          ) : (
            <ul className="divide-y divide-line">
              {data.map((rule) => (
                <li key={rule.id} className="flex flex-wrap items-center justify-between gap-3 px-4 py-3">
                  <span className="min-w-0 flex-1 basis-72">
                    <span className="flex flex-wrap items-center gap-3">
                      <span className="font-medium">{rule.name}</span>
                      <Status tone={rule.severity}>{t(`severity.${rule.severity}`)}</Status>
                      {rule.is_active ? null : <span className="text-soft">{t('rules.inactive')}</span>}
                    </span>
                    {rule.description ? <span className="block text-sm whitespace-pre-wrap">{rule.description}</span> : null}
                    <span className="block text-sm text-soft">
                      <MachineName id={rule.machine_id} />:{' '}
                      {expressionText(rule.expression, (metric) => units.one(metric, rule.machine_id))}
                    </span>
                  </span>
                  {may('admin') ? (
                    <RuleActions
                      isActive={rule.is_active}
                      isPending={toggle.isPending && toggle.variables.id === rule.id}
                      onEdit={() => setEditing(rule)}
                      onToggle={() => toggle.mutate(rule)}
                      onDelete={() => setDeleting(rule)}
                    />
                  ) : null}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <Suspense>
        {editing ? <CompositeDialog rule={editing === 'new' ? null : editing} onClose={() => setEditing(null)} /> : null}
      </Suspense>
      {deleting ? (
        <ConfirmDialog
          title={t('rules.deleteTitle', { name: deleting.name })}
          text={t('rules.deleteText')}
          confirm={t('common.delete')}
          run={() => unwrap(api.DELETE('/composite-rules/{rule_id}', { params: { path: { rule_id: deleting.id } } }))}
          onClose={() => setDeleting(null)}
        />
      ) : null}
    </Panel>
  )
}
