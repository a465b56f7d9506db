import { LANGUAGE_NAMES } from '@haltless/protocol/languages'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, unwrap } from '../../api/client.ts'
import {
  USER_CREATE_EMAIL_MAX_LENGTH,
  USER_CREATE_FULL_NAME_MAX_LENGTH,
  USER_CREATE_PASSWORD_MAX_LENGTH,
  USER_CREATE_PASSWORD_MIN_LENGTH,
} from '../../api/limits.ts'
import { useFieldFaults } from '../../i18n/fault-text.ts'
import { useCatalogue } from '../../i18n/language.ts'
import { SelectField, TextField } from '../../kit/field.tsx'
import { FormDialog } from '../../kit/form-dialog.tsx'
import { formText } from '../../kit/form-text.ts'
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
  const { language } = useCatalogue()
  const roles = useRoleOptions()
  const [way, setWay] = useState<'invite' | 'password'>('invite')
  const add = useMutation({
    mutationFn: ({ password, locale, ...body }: Draft) =>
      way === 'invite'
        ? unwrap(api.POST('/users/invite', { body: { ...body, locale } }))
        : unwrap(api.POST('/users', { body: { ...body, password } })),
    onSuccess: async ({ email }) => {
      toast('healthy', t(way === 'invite' ? 'settings.invited' : 'members.added', { email }))
      onClose()
    },
  })
  const fields = useFieldFaults(add.error)
  return (
    <FormDialog
      title={t('members.add')}
      saving={add}
      submit={t(way === 'invite' ? 'settings.invite' : 'common.add')}
      onSubmit={(form) => {
        const text = formText(form)
        const values = new FormData(form)
        add.mutate({
          email: text('email'),
          full_name: text('full_name'),
          role: text('role'),
          locale: text('locale'),
          password: String(values.get('password') ?? ''),
        })
      }}
      onClose={onClose}
    >
      <TextField
        label={t('settings.fullName')}
        name="full_name"
        required
        maxLength={USER_CREATE_FULL_NAME_MAX_LENGTH}
        fault={fields.full_name}
      />
      <TextField
        label={t('settings.email')}
        name="email"
        type="email"
        required
        maxLength={USER_CREATE_EMAIL_MAX_LENGTH}
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
          defaultValue={language}
          options={Object.entries(LANGUAGE_NAMES)}
        />
      ) : (
        <TextField
          label={t('members.password')}
          name="password"
          type="password"
          autoComplete="new-password"
          required
          minLength={USER_CREATE_PASSWORD_MIN_LENGTH}
          maxLength={USER_CREATE_PASSWORD_MAX_LENGTH}
          hint={t('settings.passwordHint')}
          fault={fields.password}
        />
      )}
    </FormDialog>
  )
}
