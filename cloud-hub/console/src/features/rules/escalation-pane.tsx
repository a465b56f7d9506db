import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { useFaultText } from '../../app/fault-text.ts'
import { useMe } from '../../app/me.tsx'
import { Button } from '../../kit/button.tsx'
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx'
import { SelectField, TextField } from '../../kit/field.tsx'
import { Empty, Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Notice } from '../../kit/notice.tsx'
import { Table } from '../../kit/table.tsx'
import { toast } from '../../kit/toast.tsx'

type Policy = Schemas['EscalationPolicy']

/** Whom an alert reaches when nobody acknowledges it. */
export function EscalationPane() {
  const t = useTranslations()
  const faultText = useFaultText()
  const client = useQueryClient()
  const { may } = useMe()
  const [deleting, setDeleting] = useState<Policy | null>(null)
  const query = useQuery(apiQuery('/escalation-policies'))
  const { data: channels } = useQuery(apiQuery('/notification-channels'))
  const refresh = () => client.invalidateQueries({ queryKey: ['/escalation-policies'] })
  const toggle = useMutation({
    mutationFn: ({ id, is_active }: Policy) =>
      unwrap(
        api.PUT('/escalation-policies/{policy_id}', { params: { path: { policy_id: id } }, body: { is_active: !is_active } }),
      ),
    onError: (error) => toast('critical', faultText(error)),
    onSettled: refresh,
  })
  return (
    <Panel title={t('rules.tabs.escalation')}>
      {may('admin') && channels && channels.length > 0 ? <AddForm channels={channels} onDone={refresh} /> : null}
      <Loaded query={query} label={t('rules.tabs.escalation')}>
        {(data) =>
          data.length === 0 ? (
            <Empty title={t('rules.noPolicies')}>{t('rules.noPoliciesText')}</Empty>
          ) : (
            <Table label={t('rules.tabs.escalation')}>
              <thead>
                <tr>
                  <th>{t('rules.name')}</th>
                  <th>{t('alerts.severity')}</th>
                  <th className="text-right">{t('rules.wait')}</th>
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
                    <td>{channels?.find(({ id }) => id === policy.channel_id)?.name ?? '–'}</td>
                    <td>{t(policy.is_active ? 'rules.active' : 'rules.inactive')}</td>
                    <td>
                      {may('admin') ? (
                        <span className="flex justify-end gap-2">
                          <Button
                            look="quiet"
                            isPending={toggle.isPending && toggle.variables.id === policy.id}
                            onPress={() => toggle.mutate(policy)}
                          >
                            {t(policy.is_active ? 'rules.deactivate' : 'rules.activate')}
                          </Button>
                          <Button look="quiet" onPress={() => setDeleting(policy)}>
                            {t('common.delete')}
                          </Button>
                        </span>
                      ) : null}
                    </td>
                  </tr>
                ))}
              </tbody>
            </Table>
          )
        }
      </Loaded>
      {deleting ? (
        <ConfirmDialog
          title={t('rules.deleteTitle', { name: deleting.name })}
          text={t('rules.deletePolicyText')}
          confirm={t('common.delete')}
          run={() => unwrap(api.DELETE('/escalation-policies/{policy_id}', { params: { path: { policy_id: deleting.id } } }))}
          onDone={refresh}
          onClose={() => setDeleting(null)}
        />
      ) : null}
    </Panel>
  )
}

function AddForm({ channels, onDone }: { channels: readonly Schemas['NotificationChannel'][]; onDone(): unknown }) {
  const t = useTranslations()
  const faultText = useFaultText()
  const form = useRef<HTMLFormElement>(null)
  const add = useMutation({
    mutationFn: (body: Schemas['EscalationPolicyCreate']) => unwrap(api.POST('/escalation-policies', { body })),
    onSuccess: () => {
      form.current?.reset()
      return onDone()
    },
  })
  return (
    <form
      ref={form}
      className="grid items-end gap-3 border-b border-line p-4 sm:grid-cols-2 lg:grid-cols-5"
      onSubmit={(event) => {
        event.preventDefault()
        const values = new FormData(event.currentTarget)
        add.mutate({
          name: String(values.get('name')).trim(),
          severity: values.get('severity') as Policy['severity'],
          wait_minutes: Number(values.get('wait_minutes')),
          channel_id: String(values.get('channel_id')),
          is_active: true,
        })
      }}
    >
      {add.error ? (
        <div className="col-span-full">
          <Notice tone="critical">{faultText(add.error)}</Notice>
        </div>
      ) : null}
      <TextField label={t('rules.name')} name="name" required maxLength={255} />
      <SelectField
        label={t('alerts.severity')}
        name="severity"
        defaultValue="critical"
        options={(['critical', 'warning', 'info'] as const).map((it) => [it, t(`severity.${it}`)] as const)}
      />
      <TextField label={t('rules.wait')} name="wait_minutes" type="number" min={1} max={1440} defaultValue={15} required />
      <SelectField label={t('rules.channel')} name="channel_id" options={channels.map(({ id, name }) => [id, name] as const)} />
      <Button type="submit" isPending={add.isPending}>
        {t('common.add')}
      </Button>
    </form>
  )
}
