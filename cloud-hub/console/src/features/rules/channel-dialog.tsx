import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, type Schemas, unwrap } from '../../api/client.ts'
import { fieldFaults } from '../../api/error.ts'
import { CheckField, SelectField, TextField } from '../../kit/field.tsx'
import { FormDialog } from '../../kit/form-dialog.tsx'
import { CHANNEL_TYPES, type ChannelType } from './channel-types.ts'

/** Creates a notification channel of any type. */
export function ChannelDialog({ onDone, onClose }: { onDone(): unknown; onClose(): void }) {
  const t = useTranslations()
  const [type, setType] = useState<ChannelType>('email')
  const add = useMutation({
    mutationFn: (body: Schemas['NotificationChannelCreate']) => unwrap(api.POST('/notification-channels', { body })),
    onSuccess: async () => {
      await onDone()
      onClose()
    },
  })
  const faults = fieldFaults(add.error)
  const { fields } = CHANNEL_TYPES[type]
  return (
    <FormDialog
      title={t('rules.addChannel')}
      saving={add}
      submit={t('common.add')}
      onSubmit={(form) => {
        const values = new FormData(form)
        const text = (name: string) => String(values.get(name) ?? '').trim()
        const config: Record<string, never> = Object.fromEntries(
          fields.map(({ name }) => [name, text(name)]).filter(([, value]) => value !== ''),
        )
        add.mutate({
          name: text('channel_name'),
          channel_type: type,
          config,
          is_active: true,
          notify_on_alert: values.has('notify_on_alert'),
        })
      }}
      onClose={onClose}
    >
      <TextField label={t('rules.name')} name="channel_name" required maxLength={255} fault={faults.name} />
      <SelectField
        label={t('rules.type')}
        value={type}
        onChange={({ target }) => setType(target.value as ChannelType)}
        options={Object.entries(CHANNEL_TYPES).map(([name, { label }]) => [name, label] as const)}
      />
      {fields.map(({ name, type: kind, isOptional }) => (
        <TextField
          key={`${type} ${name}`}
          label={`${t(`rules.config.${name as 'url'}`)}${isOptional ? ` (${t('common.optional')})` : ''}`}
          name={name}
          type={kind}
          autoComplete={kind === 'password' ? 'new-password' : 'off'}
          required={!isOptional}
          maxLength={2_000}
          fault={faults[`config.${name}`]}
        />
      ))}
      <CheckField label={t('rules.everyAlert')} hint={t('rules.everyAlertHint')} name="notify_on_alert" defaultChecked />
    </FormDialog>
  )
}
