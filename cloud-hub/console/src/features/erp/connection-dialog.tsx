import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, type Schemas, unwrap } from '../../api/client.ts'
import { ERP_CONNECTION_PATCH_NAME_MAX_LENGTH } from '../../api/limits.ts'
import { useFieldFaults } from '../../i18n/fault-text.ts'
import { SelectField, TextArea, TextField } from '../../kit/field.tsx'
import { FormDialog } from '../../kit/form-dialog.tsx'
import { formText } from '../../kit/form-text.ts'
import { useRecordChange } from '../../kit/record-change.ts'
import { toast } from '../../kit/toast.tsx'
import { ENTITIES, PROVIDERS, type Provider } from './providers.ts'

type Connection = Schemas['ErpConnection']

/** Connects an ERP, or changes how it is reached. The hub never answers secrets. */
export function ConnectionDialog({
  connection,
  onDone,
  onClose,
}: {
  connection: Connection | null
  onDone?(saved: Connection): unknown
  onClose(): void
}) {
  const t = useTranslations()
  const [provider, setProvider] = useState<Provider>(connection?.provider ?? 'erp_a')
  const { fields, example } = PROVIDERS[provider]
  const known = (connection?.config ?? {}) as Record<string, unknown>
  const paths = (known.paths ?? {}) as Record<string, string>
  const [change] = useRecordChange(connection, ({ id }) =>
    unwrap(api.GET('/erp/connections/{connection_id}', { params: { path: { connection_id: id } } })),
  )
  const save = useMutation({
    mutationFn: ({ name, config }: { name: string; config: object }) =>
      connection
        ? change({ name, config: config as Record<string, unknown> }, (body, header) =>
            unwrap(
              api.PATCH('/erp/connections/{connection_id}', {
                params: { path: { connection_id: connection.id }, header },
                body,
              }),
            ),
          )
        : unwrap(
            api.POST('/erp/connections', {
              body: {
                provider,
                name,
                config: config as never,
                is_active: true,
                auto_push_work_orders: false,
                auto_push_production_data: false,
                auto_push_downtime: false,
                auto_pull_assets: false,
                sync_interval_minutes: 60,
                field_mapping: {},
              },
            }),
          ),
    onSuccess: async (saved) => {
      toast('healthy', t('common.saved'))
      onClose()
      await onDone?.(saved)
    },
  })
  const faults = useFieldFaults(save.error)
  const submit = (form: HTMLFormElement) => {
    const text = formText(form)
    const config: Record<string, unknown> = {}
    for (const { name, isSecret } of fields) {
      const value = text(name)
      if (value) config[name] = value
      // an absent key stays, null deletes it; an empty secret keeps the stored one
      else if (connection && !isSecret) config[name] = null
    }
    const named = Object.fromEntries(ENTITIES.map((it) => [it, text(`path.${it}`)]).filter(([, value]) => value !== ''))
    for (const [key, value] of [
      ['paths', Object.keys(named).length > 0 ? named : ''],
      ['ca_certificate', text('ca_certificate')],
    ] as const) {
      if (value) config[key] = value
      else if (key in known) config[key] = null
    }
    save.mutate({ name: text('connection_name'), config })
  }
  return (
    <FormDialog
      title={t(connection ? 'erp.edit' : 'erp.add')}
      draftKey={connection?.id}
      width="max-w-2xl"
      saving={save}
      submit={t('common.save')}
      onSubmit={(form) => submit(form)}
      onClose={onClose}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t('erp.name')}
          name="connection_name"
          required
          maxLength={ERP_CONNECTION_PATCH_NAME_MAX_LENGTH}
          defaultValue={connection?.name}
          hint={t('erp.nameHint')}
          fault={faults.name}
        />
        <SelectField
          label={t('erp.provider')}
          value={provider}
          disabled={connection !== null}
          onChange={({ target }) => setProvider(target.value as Provider)}
          options={Object.entries(PROVIDERS).map(([key, { label }]) => [key, label] as const)}
        />
        {fields.map(({ name, isSecret, isOptional, isUrl }) => (
          <TextField
            key={`${provider} ${name}`}
            className={isUrl ? 'sm:col-span-2' : ''}
            label={`${t(`erp.config.${name as 'base_url'}`)}${isOptional ? ` (${t('common.optional')})` : ''}`}
            name={name}
            type={isSecret ? 'password' : isUrl ? 'url' : 'text'}
            autoComplete={isSecret ? 'new-password' : 'off'}
            required={!isOptional && !(connection && isSecret)}
            maxLength={2_000}
            defaultValue={isSecret ? '' : String(known[name] ?? '')}
            hint={isSecret && connection ? t('erp.secretHint') : name === 'base_url' ? t('erp.example', { example }) : undefined}
            fault={faults[`config.${name}`]}
          />
        ))}
      </div>
      <details>
        <summary className="cursor-pointer font-medium">{t('erp.advanced')}</summary>
        <div className="grid gap-4 pt-3 sm:grid-cols-2">
          <p className="text-sm text-soft sm:col-span-2">{t('erp.pathsText')}</p>
          {ENTITIES.map((entity) => (
            <TextField
              key={entity}
              label={t('erp.pathOf', { entity: t(`erp.entities.${entity}`) })}
              name={`path.${entity}`}
              maxLength={500}
              defaultValue={paths[entity] ?? ''}
              fault={faults[`config.paths.${entity}`]}
            />
          ))}
          <TextArea
            className="sm:col-span-2"
            label={t('erp.config.ca_certificate')}
            name="ca_certificate"
            rows={3}
            defaultValue={String(known.ca_certificate ?? '')}
            hint={t('erp.certificateHint')}
            fault={faults['config.ca_certificate']}
          />
        </div>
      </details>
    </FormDialog>
  )
}
