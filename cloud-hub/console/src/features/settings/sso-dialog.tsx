import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, type Schemas, unwrap } from '../../api/client.ts'
import {
  SSO_CONFIG_CREATE_CLIENT_ID_MAX_LENGTH,
  SSO_CONFIG_CREATE_CLIENT_SECRET_MAX_LENGTH,
  SSO_CONFIG_CREATE_DISCOVERY_URL_MAX_LENGTH,
  SSO_CONFIG_CREATE_DOMAIN_MAX_LENGTH,
  SSO_CONFIG_CREATE_PROVIDER_NAME_MAX_LENGTH,
} from '../../api/limits.ts'
import { needsPassword, PasswordCheckField } from '../../app/password-check.tsx'
import { useFieldFaults } from '../../i18n/fault-text.ts'
import { CheckField, TextField } from '../../kit/field.tsx'
import { FormDialog } from '../../kit/form-dialog.tsx'
import { formText } from '../../kit/form-text.ts'
import { useRecordChange } from '../../kit/record-change.ts'
import { toast } from '../../kit/toast.tsx'

const trusts = (form: HTMLFormElement): boolean => new FormData(form).has('trust_email')

/** Sets single sign-on up, or changes it. The hub never answers the stored secret. */
export function SsoDialog({ config, onClose }: { config: Schemas['SsoConfig'] | null; onClose(): void }) {
  const t = useTranslations()
  const [asksPassword, askPassword] = useState(false)
  const [change] = useRecordChange(config, () => unwrap(api.GET('/auth/sso/config')))
  const save = useMutation({
    mutationFn: ({ client_secret, ...rest }: Schemas['SsoConfigCreate']) =>
      config
        ? change(client_secret ? { ...rest, client_secret } : rest, (body, header) =>
            unwrap(api.PATCH('/auth/sso/config', { params: { header }, body })),
          )
        : unwrap(api.POST('/auth/sso/config', { body: { ...rest, client_secret } })),
    onError: (error) => {
      if (needsPassword(error)) askPassword(true)
    },
    onSuccess: () => {
      toast('healthy', t('common.saved'))
      onClose()
    },
  })
  const fields = useFieldFaults(save.error)
  return (
    <FormDialog
      title={t(config ? 'sso.edit' : 'sso.setUp')}
      saving={save}
      error={needsPassword(save.error) ? null : save.error}
      submit={t('common.save')}
      onSubmit={(form) => {
        const text = formText(form)
        save.mutate({
          provider_name: text('provider_name'),
          discovery_url: text('discovery_url'),
          client_id: text('client_id'),
          client_secret: text('client_secret'),
          domain: text('domain'),
          ...(asksPassword ? { current_password: String(new FormData(form).get('current_password')) } : {}),
          // a changed domain ends it by itself
          ...(config && trusts(form) !== config.trust_email ? { trust_email: trusts(form) } : {}),
        })
      }}
      onClose={onClose}
    >
      <TextField
        label={t('sso.provider')}
        name="provider_name"
        required
        maxLength={SSO_CONFIG_CREATE_PROVIDER_NAME_MAX_LENGTH}
        defaultValue={config?.provider_name}
        hint={t('sso.providerHint')}
        fault={fields.provider_name}
      />
      <TextField
        label={t('sso.discoveryUrl')}
        name="discovery_url"
        type="url"
        required
        maxLength={SSO_CONFIG_CREATE_DISCOVERY_URL_MAX_LENGTH}
        defaultValue={config?.discovery_url}
        hint={t('sso.discoveryUrlHint')}
        fault={fields.discovery_url}
      />
      <TextField
        label={t('sso.clientId')}
        name="client_id"
        required
        maxLength={SSO_CONFIG_CREATE_CLIENT_ID_MAX_LENGTH}
        autoComplete="off"
        defaultValue={config?.client_id}
        fault={fields.client_id}
      />
      <TextField
        label={t('sso.clientSecret')}
        name="client_secret"
        type="password"
        required={!config}
        maxLength={SSO_CONFIG_CREATE_CLIENT_SECRET_MAX_LENGTH}
        autoComplete="new-password"
        hint={config ? t('sso.secretHint') : undefined}
        fault={fields.client_secret}
      />
      <TextField
        label={t('sso.domain')}
        name="domain"
        required
        maxLength={SSO_CONFIG_CREATE_DOMAIN_MAX_LENGTH}
        defaultValue={config?.domain}
        hint={t('sso.domainHint')}
        fault={fields.domain}
      />
      {config?.domain_verified ? (
        <div>
          <CheckField
            label={t('sso.trustEmail')}
            name="trust_email"
            defaultChecked={config.trust_email}
            hint={t('sso.trustEmailHint')}
          />
          {fields.trust_email ? <p className="mt-1 text-sm text-critical">{fields.trust_email}</p> : null}
        </div>
      ) : null}
      {asksPassword ? <PasswordCheckField error={save.error} /> : null}
    </FormDialog>
  )
}
