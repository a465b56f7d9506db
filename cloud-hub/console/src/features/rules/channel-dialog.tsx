import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, type Schemas, unwrap } from '../../api/client.ts'
import { isApiError } from '../../api/error.ts'
import { useFaultText } from '../../app/fault-text.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog, DialogActions } from '../../kit/dialog.tsx'
import { CheckField, SelectField, TextField } from '../../kit/field.tsx'
import { Notice } from '../../kit/notice.tsx'
import { CHANNEL_TYPES, type ChannelType } from './channel-types.ts'

/** Creates a notification channel of any type. */
export function ChannelDialog({ onDone, onClose }: { onDone(): unknown; onClose(): void }) {
  const t = useTranslations()
  const faultText = useFaultText()
  const [type, setType] = useState<ChannelType>('email')
  const add = useMutation({
    mutationFn: (body: Schemas['NotificationChannelCreate']) => unwrap(api.POST('/notification-channels', { body })),
    onSuccess: async () => {
      await onDone()
      onClose()
    },
  })
  const faults = isApiError(add.error) ? add.error.fields : {}
  const { fields } = CHANNEL_TYPES[type]
  return (
    <Dialog title={t('rules.addChannel')} onClose={onClose} isBusy={add.isPending}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          const values = new FormData(event.currentTarget)
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
      >
        {add.error ? <Notice tone="critical">{faultText(add.error)}</Notice> : null}
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
        <DialogActions>
          <Button onPress={onClose}>{t('common.cancel')}</Button>
          <Button look="primary" type="submit" isPending={add.isPending}>
            {t('common.add')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
