import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import {
  PROFILE_PATCH_EMAIL_MAX_LENGTH,
  PROFILE_PATCH_FULL_NAME_MAX_LENGTH,
  PROFILE_PATCH_PHONE_MAX_LENGTH,
} from '../../api/limits.ts'
import { useMe } from '../../app/me.tsx'
import { useFaultText, useFieldFaults } from '../../i18n/fault-text.ts'
import { Button } from '../../kit/button.tsx'
import { SelectField, TextField } from '../../kit/field.tsx'
import { Panel } from '../../kit/layout.tsx'
import { Notice } from '../../kit/notice.tsx'
import { PageConflict, useRecordForm } from '../../kit/record-form.tsx'
import { toast } from '../../kit/toast.tsx'

const LOCALES = [
  ['en-GB', 'English (UK)'],
  ['en-US', 'English (US)'],
  ['de-DE', 'Deutsch'],
  ['de-AT', 'Deutsch (Österreich)'],
  ['de-CH', 'Deutsch (Schweiz)'],
] as const

/** Name, language and time zone. */
export function ProfilePanel() {
  const t = useTranslations()
  const faultText = useFaultText()
  const client = useQueryClient()
  const { user } = useMe()
  const [email, setEmail] = useState(user.email)
  const hasNewEmail = email.trim() !== user.email
  const { form, opened, key, change, saved } = useRecordForm(
    user,
    () => unwrap(api.GET('/auth/me')),
    (body: Schemas['ProfilePatch'], header) => unwrap(api.PATCH('/settings/profile', { params: { header }, body })),
  )
  const save = useMutation({
    mutationFn: change,
    onSuccess: (changed, body) => {
      saved(changed, body)
      client.setQueryData(apiQuery('/auth/me').queryKey, changed)
      setEmail(changed.email)
      toast('healthy', (words) => words('saved'))
    },
  })
  const fields = useFieldFaults(save.error)
  const locales =
    LOCALES.some(([locale]) => locale === user.locale) || !user.locale
      ? LOCALES
      : [[user.locale, user.locale] as const, ...LOCALES]
  // the browser lists neither UTC nor both names of a renamed zone; a value without an option would be lost at the next save
  const zones = [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', user.timezone ?? 'UTC'])].toSorted()
  return (
    <Panel title={t('settings.profile')}>
      <form
        key={key}
        ref={form}
        className="flex flex-col gap-4 p-4"
        onSubmit={(event) => {
          event.preventDefault()
          const values = new FormData(event.currentTarget)
          const text = (name: string) => String(values.get(name) ?? '').trim()
          save.mutate({
            full_name: text('full_name'),
            ...(hasNewEmail ? { email: text('email'), current_password: String(values.get('current_password')) } : {}),
            phone: text('phone') || null,
            locale: text('locale') || null,
            timezone: text('timezone') || null,
          })
        }}
      >
        {save.error ? <Notice tone="critical">{faultText(save.error)}</Notice> : null}
        <TextField
          label={t('settings.fullName')}
          name="full_name"
          required
          maxLength={PROFILE_PATCH_FULL_NAME_MAX_LENGTH}
          defaultValue={opened.full_name}
          fault={fields.full_name}
        />
        <TextField
          label={t('settings.email')}
          name="email"
          type="email"
          required
          maxLength={PROFILE_PATCH_EMAIL_MAX_LENGTH}
          autoComplete="email"
          value={email}
          onChange={({ target }) => setEmail(target.value)}
          fault={fields.email}
        />
        {hasNewEmail ? (
          <TextField
            label={t('settings.emailPassword')}
            name="current_password"
            type="password"
            required
            autoComplete="current-password"
            fault={fields.current_password}
          />
        ) : null}
        <TextField
          label={`${t('settings.phone')} (${t('common.optional')})`}
          name="phone"
          type="tel"
          maxLength={PROFILE_PATCH_PHONE_MAX_LENGTH}
          defaultValue={opened.phone ?? ''}
          fault={fields.phone}
        />
        <SelectField
          label={t('settings.language')}
          name="locale"
          defaultValue={opened.locale ?? ''}
          fault={fields.locale}
          options={[['', t('settings.ofBrowser')], ...locales]}
        />
        <SelectField
          label={t('settings.timeZone')}
          name="timezone"
          defaultValue={opened.timezone ?? ''}
          fault={fields.timezone}
          options={[['', t('settings.ofBrowser')], ...zones.map((zone) => [zone, zone.replaceAll('_', ' ')] as const)]}
        />
        <Button look="primary" type="submit" className="self-start" isPending={save.isPending}>
          {t('common.save')}
        </Button>
      </form>
      <PageConflict form={form} isBusy={save.isPending} />
    </Panel>
  )
}
