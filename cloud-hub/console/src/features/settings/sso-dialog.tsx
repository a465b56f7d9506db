import { useMutation } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api, type Schemas, unwrap } from '../../api/client.ts'
import { isApiError } from '../../api/error.ts'
import { useFaultText } from '../../app/fault-text.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog, DialogActions } from '../../kit/dialog.tsx'
import { TextField } from '../../kit/field.tsx'
import { formText } from '../../kit/form-text.ts'
import { Notice } from '../../kit/notice.tsx'
import { toast } from '../../kit/toast.tsx'

/** Sets single sign-on up, or changes it. The hub never answers the stored secret. */
export function SsoDialog({
  config,
  onDone,
  onClose,
}: {
  config: Schemas['SsoConfig'] | null
  onDone(): unknown
  onClose(): void
}) {
  const t = useTranslations()
  const faultText = useFaultText()
  const save = useMutation({
    mutationFn: ({ client_secret, ...rest }: Schemas['SsoConfigCreate']) =>
      config
        ? unwrap(api.PATCH('/auth/sso/config', { body: client_secret ? { ...rest, client_secret } : rest }))
        : unwrap(api.POST('/auth/sso/config', { body: { ...rest, client_secret } })),
    onSuccess: async () => {
      await onDone()
      toast('healthy', t('common.saved'))
      onClose()
    },
  })
  const fields = isApiError(save.error) ? save.error.fields : {}
  return (
    <Dialog title={t(config ? 'sso.edit' : 'sso.setUp')} onClose={onClose} isBusy={save.isPending}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          const text = formText(event.currentTarget)
          save.mutate({
            provider_name: text('provider_name'),
            discovery_url: text('discovery_url'),
            client_id: text('client_id'),
            client_secret: text('client_secret'),
            domain: text('domain'),
          })
        }}
      >
        {save.error ? <Notice tone="critical">{faultText(save.error)}</Notice> : null}
        <TextField
          label={t('sso.provider')}
          name="provider_name"
          required
          maxLength={100}
          defaultValue={config?.provider_name}
          hint={t('sso.providerHint')}
          fault={fields.provider_name}
        />
        <TextField
          label={t('sso.discoveryUrl')}
          name="discovery_url"
          type="url"
          required
          maxLength={2048}
          defaultValue={config?.discovery_url}
          hint={t('sso.discoveryUrlHint')}
          fault={fields.discovery_url}
        />
        <TextField
          label={t('sso.clientId')}
          name="client_id"
          required
          maxLength={255}
          autoComplete="off"
          defaultValue={config?.client_id}
          fault={fields.client_id}
        />
        <TextField
          label={t('sso.clientSecret')}
          name="client_secret"
          type="password"
          required={!config}
          maxLength={1000}
          autoComplete="new-password"
          hint={config ? t('sso.secretHint') : undefined}
          fault={fields.client_secret}
        />
        <TextField
          label={t('sso.domain')}
          name="domain"
          required
          maxLength={253}
          defaultValue={config?.domain}
          hint={t('sso.domainHint')}
          fault={fields.domain}
        />
        <DialogActions>
          <Button onPress={onClose}>{t('common.cancel')}</Button>
          <Button look="primary" type="submit" isPending={save.isPending}>
            {t('common.save')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
