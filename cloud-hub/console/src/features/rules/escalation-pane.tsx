import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { useMe } from '../../app/me.tsx'
import { useFaultText } from '../../i18n/fault-text.ts'
import { Button } from '../../kit/button.tsx'
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx'
import { Empty, Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Table } from '../../kit/table.tsx'
import { toast } from '../../kit/toast.tsx'
import { RuleActions } from './rule-actions.tsx'

const PolicyDialog = lazy(() => import('./policy-dialog.tsx').then((it) => ({ default: it.PolicyDialog })))

type Policy = Schemas['EscalationPolicy']

/** Whom an alert reaches when nobody acknowledges it. */
export function EscalationPane() {
  const t = useTranslations()
  const faultText = useFaultText()
  const { may } = useMe()
  const [edited, setEdited] = useState<Policy | 'new' | null>(null)
  const [deleting, setDeleting] = useState<Policy | null>(null)
  const query = useQuery(apiQuery('/escalation-policies'))
  const { data: channels } = useQuery(apiQuery('/notification-channels'))
  const toggle = useMutation({
    mutationFn: ({ id, is_active }: Policy) =>
      unwrap(
        api.PUT('/escalation-policies/{policy_id}', { params: { path: { policy_id: id } }, body: { is_active: !is_active } }),
      ),
    onSuccess: (changed) =>
      toast('healthy', t(changed.is_active ? 'rules.policyActivated' : 'rules.policyDeactivated'), {
        text: t('common.undo'),
        run: () => toggle.mutate(changed),
      }),
    onError: (error) => toast('critical', faultText(error)),
  })
  return (
    <Panel
      title={t('rules.tabs.escalation')}
      actions={
        may('admin') && channels && channels.length > 0 ? (
          <Button look="primary" onPress={() => setEdited('new')}>
            {t('rules.addPolicy')}
          </Button>
        ) : null
      }
    >
      <Loaded query={query} label={t('rules.tabs.escalation')}>
        {(data) =>
          data.length === 0 ? (
            <Empty title={t('rules.noPolicies')}>
              <p>{t('rules.noPoliciesText')}</p>
              {may('admin') && channels?.length === 0 ? (
                <Link to="/rules" search={{ tab: 'channels' }}>
                  {t('rules.channelFirst')}
                </Link>
              ) : null}
            </Empty>
          ) : (
            <Table label={t('rules.tabs.escalation')}>
              <thead>
                <tr>
                  <th>{t('rules.name')}</th>
                  <th>{t('alerts.severity')}</th>
                  <th className="text-right">{t('rules.waitShort')}</th>
                  <th>{t('rules.channel')}</th>
                  <th>{t('rules.state')}</th>
                  <th>
                    <span className="sr-only">{t('common.edit')}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {data.map((policy) => (
                  <tr key={policy.id}>
                    <td className="font-medium">{policy.name}</td>
                    <td>{t(`severity.${policy.severity}`)}</td>
                    <td className="tabular text-right">{t('rules.minutes', { count: policy.wait_minutes })}</td>
                    <td>
                      {channels?.find(({ id }) => id === policy.channel_id)?.name ?? '–'}
                      {policy.channel_is_active ? null : (
                        <span className="block text-sm text-critical">{t('rules.channelInactive')}</span>
                      )}
                    </td>
                    <td>{t(policy.is_active ? 'rules.active' : 'rules.inactive')}</td>
                    <td>
                      {may('admin') ? (
                        <RuleActions
                          isActive={policy.is_active}
                          isPending={toggle.isPending && toggle.variables.id === policy.id}
                          onEdit={() => setEdited(policy)}
                          onToggle={() => toggle.mutate(policy)}
                          onDelete={() => setDeleting(policy)}
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
      <Suspense>
        {edited && channels ? (
          <PolicyDialog policy={edited === 'new' ? null : edited} channels={channels} onClose={() => setEdited(null)} />
        ) : null}
      </Suspense>
      {deleting ? (
        <ConfirmDialog
          title={t('rules.deleteTitle', { name: deleting.name })}
          text={t('rules.deletePolicyText')}
          confirm={t('common.delete')}
          run={() => unwrap(api.DELETE('/escalation-policies/{policy_id}', { params: { path: { policy_id: deleting.id } } }))}
          onClose={() => setDeleting(null)}
        />
      ) : null}
    </Panel>
  )
}
