import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, unwrap } from '../../api/client.ts'
import { isApiError } from '../../api/error.ts'
import { useFaultText } from '../../app/fault-text.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog, DialogActions } from '../../kit/dialog.tsx'
import { SelectField, TextField } from '../../kit/field.tsx'
import { formText } from '../../kit/form-text.ts'
import { Notice } from '../../kit/notice.tsx'
import { toast } from '../../kit/toast.tsx'
import { useRoleOptions } from './use-role-options.ts'

interface Draft {
  email: string
  full_name: string
  role: string
  locale: string
  password: string
}

/** Invites a person by mail, or adds one with a first password where no mail arrives. */
export function AddMemberDialog({ onClose }: { onClose(): void }) {
  const t = useTranslations()
  const faultText = useFaultText()
  const client = useQueryClient()
  const roles = useRoleOptions()
  const [way, setWay] = useState<'invite' | 'password'>('invite')
  const add = useMutation({
    mutationFn: ({ password, locale, ...body }: Draft) =>
      way === 'invite'
        ? unwrap(api.POST('/users/invite', { body: { ...body, locale } }))
        : unwrap(api.POST('/users', { body: { ...body, password } })),
    onSuccess: async ({ email }) => {
      await Promise.all(['/users', '/settings/roles'].map((path) => client.invalidateQueries({ queryKey: [path] })))
      toast('healthy', t(way === 'invite' ? 'settings.invited' : 'members.added', { email }))
      onClose()
    },
  })
  const fields = isApiError(add.error) ? add.error.fields : {}
  return (
    <Dialog title={t('members.add')} onClose={onClose} isBusy={add.isPending}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          const text = formText(event.currentTarget)
          const values = new FormData(event.currentTarget)
          add.mutate({
            email: text('email'),
            full_name: text('full_name'),
            role: text('role'),
            locale: text('locale'),
            password: String(values.get('password') ?? ''),
          })
        }}
      >
        {add.error ? <Notice tone="critical">{faultText(add.error)}</Notice> : null}
        <TextField label={t('settings.fullName')} name="full_name" required maxLength={255} fault={fields.full_name} />
        <TextField
          label={t('settings.email')}
          name="email"
          type="email"
          required
          maxLength={254}
          autoComplete="off"
          fault={fields.email}
        />
        <SelectField label={t('settings.role')} name="role" options={roles} defaultValue="viewer" key={roles.length} />
        <SelectField
          label={t('members.way')}
          value={way}
          onChange={({ target }) => setWay(target.value as typeof way)}
          options={[
            ['invite', t('members.byInvitation')],
            ['password', t('members.byPassword')],
          ]}
          hint={t(way === 'invite' ? 'members.byInvitationHint' : 'members.byPasswordHint')}
        />
        {way === 'invite' ? (
          <SelectField
            label={t('members.language')}
            name="locale"
            options={[
              ['en', 'English'],
              ['de', 'Deutsch'],
            ]}
          />
        ) : (
          <TextField
            label={t('members.password')}
            name="password"
            type="password"
            autoComplete="new-password"
            required
            minLength={8}
            maxLength={128}
            hint={t('settings.passwordHint')}
            fault={fields.password}
          />
        )}
        <DialogActions>
          <Button onPress={onClose}>{t('common.cancel')}</Button>
          <Button look="primary" type="submit" isPending={add.isPending}>
            {t(way === 'invite' ? 'settings.invite' : 'common.add')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
