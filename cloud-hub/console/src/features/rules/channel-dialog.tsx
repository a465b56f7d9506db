import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, type Schemas, unwrap } from '../../api/client.ts'
import { NOTIFICATION_CHANNEL_PUT_NAME_MAX_LENGTH } from '../../api/limits.ts'
import { useFieldFaults } from '../../i18n/fault-text.ts'
import { CheckField, SelectField, TextArea, TextField } from '../../kit/field.tsx'
import { FormDialog } from '../../kit/form-dialog.tsx'
import { useRecordChange } from '../../kit/record-change.ts'
import { CHANNEL_TYPES, type ChannelType, headersOf } from './channel-types.ts'

/** Creates a notification channel of any type, or changes one. The hub never answers stored secrets: an empty one stays. */
export function ChannelDialog({ channel, onClose }: { channel: Schemas['NotificationChannel'] | null; onClose(): void }) {
  const t = useTranslations()
  const [type, setType] = useState<ChannelType>((channel?.channel_type as ChannelType | undefined) ?? 'email')
  const known: Record<string, unknown> = channel?.config ?? {}
  const [change] = useRecordChange(channel, async ({ id }) =>
    (await unwrap(api.GET('/notification-channels'))).find((it) => it.id === id),
  )
  const save = useMutation({
    mutationFn: (body: Schemas['NotificationChannelPut'] & { name: string }) =>
      channel
        ? change(body, (body, header) =>
            unwrap(
              api.PUT('/notification-channels/{channel_id}', { params: { path: { channel_id: channel.id }, header }, body }),
            ),
          )
        : // the hub checks the keys of `config`
          unwrap(
            api.POST('/notification-channels', { body: { ...body, channel_type: type } as Schemas['NotificationChannelCreate'] }),
          ),
    onSuccess: onClose,
  })
  const faults = useFieldFaults(save.error)
  const { fields, hasHeaders } = CHANNEL_TYPES[type]
  return (
    <FormDialog
      title={t(channel ? 'rules.editChannel' : 'rules.addChannel')}
      draftKey={channel?.id}
      saving={save}
      submit={t(channel ? 'common.save' : 'common.add')}
      onSubmit={(form) => {
        const values = new FormData(form)
        const text = (name: string) => String(values.get(name) ?? '').trim()
        const config: Record<string, unknown> = Object.fromEntries(
          fields
            // an optional value that was cleared is deleted; a secret that was not entered again stays
            .map(({ name, type: kind, isOptional }) => [
              name,
              text(name) || (channel && isOptional && kind !== 'password' ? null : ''),
            ])
            .filter(([, value]) => value !== ''),
        )
        // stored ones that are not entered again stay
        if (hasHeaders && values.has('remove_headers')) config.headers = null
        else if (hasHeaders && text('headers')) config.headers = headersOf(text('headers'))
        save.mutate({
          name: text('channel_name'),
          config,
          is_active: channel?.is_active ?? true,
          notify_on_alert: values.has('notify_on_alert'),
        })
      }}
      onClose={onClose}
    >
      <TextField
        label={t('rules.name')}
        name="channel_name"
        required
        maxLength={NOTIFICATION_CHANNEL_PUT_NAME_MAX_LENGTH}
        defaultValue={channel?.name}
        fault={faults.name}
      />
      <SelectField
        label={t('rules.type')}
        value={type}
        disabled={channel !== null}
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
          required={!isOptional && !(channel && kind === 'password')}
          maxLength={2_000}
          defaultValue={kind === 'password' || typeof known[name] !== 'string' ? '' : known[name]}
          hint={channel && kind === 'password' ? t('erp.secretHint') : undefined}
          fault={faults[`config.${name}`]}
        />
      ))}
      {hasHeaders ? (
        <>
          <TextArea
            label={`${t('rules.headers')} (${t('common.optional')})`}
            hint={t(known.headers ? 'rules.headersStored' : 'rules.headersHint')}
            name="headers"
            placeholder="Authorization: Bearer ..."
            spellCheck={false}
            fault={Object.entries(faults).find(([path]) => path.startsWith('config.headers'))?.[1]}
          />
          {known.headers ? <CheckField label={t('rules.removeHeaders')} name="remove_headers" /> : null}
        </>
      ) : null}
      <CheckField
        label={t('rules.everyAlert')}
        hint={t('rules.everyAlertHint')}
        name="notify_on_alert"
        defaultChecked={channel?.notify_on_alert ?? true}
      />
    </FormDialog>
  )
}
