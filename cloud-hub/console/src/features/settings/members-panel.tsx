import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { isApiError } from '../../api/error.ts'
import { useFaultText } from '../../app/fault-text.ts'
import { useMe } from '../../app/me.tsx'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { SelectField, TextField } from '../../kit/field.tsx'
import { Panel, SkeletonRows } from '../../kit/layout.tsx'
import { Notice } from '../../kit/notice.tsx'
import { Table } from '../../kit/table.tsx'
import { toast } from '../../kit/toast.tsx'

/** Who belongs to the company, in which role; invites others. */
export function MembersPanel() {
  const t = useTranslations()
  const format = useFormat()
  const faultText = useFaultText()
  const client = useQueryClient()
  const { user: me } = useMe()
  const { data: users } = useQuery(apiQuery('/users'))
  const { data: roles } = useQuery(apiQuery('/settings/roles'))
  const refresh = () => client.invalidateQueries({ queryKey: ['/users'] })
  const roleOptions = (roles ?? []).map(({ key, name }) => [key, name] as const)
  const setRole = useMutation({
    mutationFn: ({ id, role }: { id: string; role: string }) =>
      unwrap(api.PUT('/users/{user_id}/role', { params: { path: { user_id: id } }, body: { role } })),
    onError: (error) => toast('critical', faultText(error)),
    onSettled: refresh,
  })
  const setActive = useMutation({
    mutationFn: ({ id, isActive }: { id: string; isActive: boolean }) =>
      unwrap(api.PATCH('/users/{user_id}', { params: { path: { user_id: id } }, body: { is_active: isActive } })),
    onError: (error) => toast('critical', faultText(error)),
    onSettled: refresh,
  })
  return (
    <Panel title={t('settings.members')} className="lg:col-span-2">
      <InviteForm roles={roleOptions} onDone={refresh} />
      {!users ? (
        <SkeletonRows rows={3} label={t('settings.members')} />
      ) : (
        <Table label={t('settings.members')}>
          <thead>
            <tr>
              <th>{t('settings.fullName')}</th>
              <th>{t('settings.role')}</th>
              <th>{t('settings.state')}</th>
              <th>{t('settings.lastSeen')}</th>
              <th>
                <span className="sr-only">{t('common.edit')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {users.map((user) => (
              <tr key={user.id}>
                <td>
                  <span className="font-medium">{user.full_name}</span>
                  <span className="block text-sm text-soft">{user.email}</span>
                </td>
                <td>
                  <SelectField
                    label={t('settings.roleOf', { name: user.full_name })}
                    isLabelHidden
                    value={user.role}
                    disabled={user.id === me.id || setRole.isPending}
                    onChange={({ target }) => setRole.mutate({ id: user.id, role: target.value })}
                    options={roleOptions}
                  />
                </td>
                <td>{t(`settings.states.${user.status}`)}</td>
                <td>{user.last_login_at ? format.dateTime(user.last_login_at) : '–'}</td>
                <td className="text-right">
                  {user.id === me.id ? null : (
                    <Button
                      isPending={setActive.isPending && setActive.variables.id === user.id}
                      onPress={() => setActive.mutate({ id: user.id, isActive: !user.is_active })}
                    >
                      {t(user.is_active ? 'settings.deactivate' : 'settings.activate')}
                    </Button>
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

function InviteForm({ roles, onDone }: { roles: readonly (readonly [string, string])[]; onDone(): unknown }) {
  const t = useTranslations('settings')
  const faultText = useFaultText()
  const form = useRef<HTMLFormElement>(null)
  const invite = useMutation({
    mutationFn: (body: Schemas['InvitationCreate']) => unwrap(api.POST('/users/invite', { body })),
    onSuccess: ({ email }) => {
      toast('healthy', t('invited', { email }))
      form.current?.reset()
      return onDone()
    },
  })
  const fields = isApiError(invite.error) ? invite.error.fields : {}
  return (
    <form
      ref={form}
      className="grid items-start gap-3 border-b border-line p-4 sm:grid-cols-2 lg:grid-cols-4"
      onSubmit={(event) => {
        event.preventDefault()
        const values = new FormData(event.currentTarget)
        const text = (name: string) => String(values.get(name) ?? '').trim()
        invite.mutate({ email: text('email'), full_name: text('full_name'), role: text('role') })
      }}
    >
      {invite.error ? (
        <div className="col-span-full">
          <Notice tone="critical">{faultText(invite.error)}</Notice>
        </div>
      ) : null}
      <TextField label={t('fullName')} name="full_name" required maxLength={200} fault={fields.full_name} />
      <TextField label={t('email')} name="email" type="email" required maxLength={254} fault={fields.email} />
      <SelectField label={t('role')} name="role" options={roles} defaultValue="viewer" key={roles.length} />
      <Button type="submit" className="self-end" isPending={invite.isPending}>
        {t('invite')}
      </Button>
    </form>
  )
}
