import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { useMe } from '../../app/me.tsx'
import { useFaultText } from '../../i18n/fault-text.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx'
import { SelectField, TextField } from '../../kit/field.tsx'
import { Empty, Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Status } from '../../kit/status.tsx'
import { Table } from '../../kit/table.tsx'
import { toast } from '../../kit/toast.tsx'
import { useRoleOptions } from './use-role-options.ts'

const AddDialog = lazy(() => import('./add-member-dialog.tsx').then((it) => ({ default: it.AddMemberDialog })))
const EditDialog = lazy(() => import('./edit-member-dialog.tsx').then((it) => ({ default: it.EditMemberDialog })))

const ResetMfaDialog = lazy(() => import('./reset-mfa-dialog.tsx').then((it) => ({ default: it.ResetMfaDialog })))

type User = Schemas['User']
const route = getRouteApi('/app/settings')

/** Who belongs to the company, in which role. */
export function MembersPanel() {
  const t = useTranslations()
  const navigate = useNavigate({ from: '/settings' })
  const { find } = route.useSearch()
  const [dialog, setDialog] = useState<'add' | { edit: User } | { deactivate: User } | { resetMfa: User } | null>(null)
  const users = useQuery(apiQuery('/users'))
  const words = (find ?? '').toLowerCase()
  const matches = ({ full_name, email }: User) => `${full_name} ${email}`.toLowerCase().includes(words)
  return (
    <Panel
      title={t('settings.members')}
      actions={
        <Button look="primary" onPress={() => setDialog('add')}>
          {t('members.add')}
        </Button>
      }
    >
      <Loaded query={users} label={t('settings.members')} rows={3}>
        {(all) => {
          const shown = all.filter(matches)
          return (
            <>
              <div className="p-4 pb-2">
                <TextField
                  label={t('members.find')}
                  type="search"
                  className="w-full sm:w-72"
                  defaultValue={find}
                  onChange={({ target }) =>
                    navigate({ search: (known) => ({ ...known, find: target.value || undefined }), replace: true })
                  }
                />
              </div>
              {shown.length === 0 ? (
                <Empty title={t('members.noneFound')} />
              ) : (
                <Table label={t('settings.members')}>
                  <thead>
                    <tr>
                      <th>{t('settings.fullName')}</th>
                      <th>{t('settings.role')}</th>
                      <th>{t('settings.state')}</th>
                      <th>{t('settings.twoFactor')}</th>
                      <th>{t('settings.lastSeen')}</th>
                      <th>
                        <span className="sr-only">{t('common.edit')}</span>
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {shown.map((user) => (
                      <MemberRow
                        key={user.id}
                        user={user}
                        onEdit={() => setDialog({ edit: user })}
                        onResetMfa={() => setDialog({ resetMfa: user })}
                        onDeactivate={() => setDialog({ deactivate: user })}
                      />
                    ))}
                  </tbody>
                </Table>
              )}
            </>
          )
        }}
      </Loaded>
      <Suspense>
        {dialog === 'add' ? <AddDialog onClose={() => setDialog(null)} /> : null}
        {dialog !== null && dialog !== 'add' && 'edit' in dialog ? (
          <EditDialog user={dialog.edit} onClose={() => setDialog(null)} />
        ) : null}
        {dialog !== null && dialog !== 'add' && 'resetMfa' in dialog ? (
          <ResetMfaDialog user={dialog.resetMfa} onClose={() => setDialog(null)} />
        ) : null}
      </Suspense>
      {dialog !== null && dialog !== 'add' && 'deactivate' in dialog ? (
        <ConfirmDialog
          title={t('members.deactivateTitle', { name: dialog.deactivate.full_name })}
          text={t(dialog.deactivate.is_service_account ? 'members.serviceAccountStop' : 'members.deactivateText')}
          confirm={t('settings.deactivate')}
          run={() => unwrap(api.DELETE('/users/{user_id}', { params: { path: { user_id: dialog.deactivate.id } } }))}
          onClose={() => setDialog(null)}
        />
      ) : null}
    </Panel>
  )
}

const TONES = { active: 'healthy', invited: 'info', deactivated: 'offline' } as const

function MemberRow({
  user,
  onEdit,
  onResetMfa,
  onDeactivate,
}: {
  user: User
  onEdit(): void
  onResetMfa(): void
  onDeactivate(): void
}) {
  const t = useTranslations()
  const format = useFormat()
  const faultText = useFaultText()
  const { user: me } = useMe()
  const roles = useRoleOptions()
  const isMe = user.id === me.id
  const params = { path: { user_id: user.id } }
  const after = {
    onError: (error: unknown) => toast('critical', faultText(error)),
  }
  const setRole = useMutation({
    mutationFn: (role: string) => unwrap(api.PUT('/users/{user_id}/role', { params, body: { role } })),
    onSuccess: () => toast('healthy', t('common.saved')),
    ...after,
  })
  const activate = useMutation({
    mutationFn: () => unwrap(api.PATCH('/users/{user_id}', { params, body: { is_active: true } })),
    ...after,
  })
  const inviteAgain = useMutation({
    mutationFn: () =>
      unwrap(api.POST('/users/invite', { body: { email: user.email, full_name: user.full_name, role: user.role } })),
    onSuccess: ({ email }) => toast('healthy', t('settings.invited', { email })),
    ...after,
  })
  return (
    <tr>
      <td className="min-w-40 wrap-anywhere">
        <span className="font-medium">{user.full_name}</span>
        <span className="block text-sm text-soft">
          {user.is_service_account ? (
            t('members.serviceAccount')
          ) : (
            <>
              {user.email.split('@')[0]}
              <wbr />@{user.email.split('@')[1]}
            </>
          )}
        </span>
      </td>
      <td className="min-w-36">
        <SelectField
          label={t('settings.roleOf', { name: user.full_name })}
          isLabelHidden
          actsAtOnce
          value={setRole.isPending ? setRole.variables : user.role}
          disabled={isMe}
          // a control that is disabled meanwhile would lose the focus
          onChange={({ target }) => (setRole.isPending ? undefined : setRole.mutate(target.value))}
          options={roles}
        />
      </td>
      <td>
        <Status tone={TONES[user.status]}>{t(`settings.states.${user.status}`)}</Status>
      </td>
      <td>{user.is_service_account ? '–' : t(user.mfa_enabled ? 'settings.on' : 'settings.off')}</td>
      <td className="whitespace-nowrap">{user.last_login_at ? format.dateTime(user.last_login_at) : '–'}</td>
      <td className="xl:min-w-68">
        {isMe ? null : (
          <span className="flex flex-wrap justify-end gap-x-1 gap-y-2">
            {user.status === 'invited' ? (
              <Button
                look="quiet"
                className="whitespace-nowrap"
                isPending={inviteAgain.isPending}
                onPress={() => inviteAgain.mutate()}
              >
                {t('members.inviteAgain')}
              </Button>
            ) : null}
            {user.is_service_account ? null : (
              <Button look="quiet" aria-label={t('members.editOf', { name: user.full_name })} onPress={onEdit}>
                {t('common.edit')}
              </Button>
            )}
            {user.mfa_enabled ? (
              <Button look="quiet" aria-label={t('members.resetMfaOf', { name: user.full_name })} onPress={onResetMfa}>
                {t('members.resetMfa')}
              </Button>
            ) : null}
            {user.is_active ? (
              <Button look="quiet" aria-label={t('members.deactivateOf', { name: user.full_name })} onPress={onDeactivate}>
                {t('settings.deactivate')}
              </Button>
            ) : (
              <Button look="quiet" isPending={activate.isPending} onPress={() => activate.mutate()}>
                {t('settings.activate')}
              </Button>
            )}
          </span>
        )}
      </td>
    </tr>
  )
}
