import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { api, type Schemas, unwrap } from '../../api/client.ts'
import {
  REGISTER_EMAIL_MAX_LENGTH,
  REGISTER_FULL_NAME_MAX_LENGTH,
  REGISTER_PASSWORD_MAX_LENGTH,
  REGISTER_PASSWORD_MIN_LENGTH,
  REGISTER_TENANT_NAME_MAX_LENGTH,
} from '../../api/limits.ts'
import { signedIn } from '../../api/session.ts'
import { browserZone } from '../../i18n/browser-zone.ts'
import { useFaultText, useFieldFaults } from '../../i18n/fault-text.ts'
import { Button } from '../../kit/button.tsx'
import { TextField } from '../../kit/field.tsx'
import { Notice } from '../../kit/notice.tsx'
import { Card } from './card.tsx'

/** Creates a company on a hub that is open for it, and its first administrator. */
export function RegisterPage() {
  const t = useTranslations('account')
  const signIn = useTranslations('signIn')
  const faultText = useFaultText()
  const navigate = useNavigate()
  const register = useMutation({
    mutationFn: (body: Schemas['Register']) => unwrap(api.POST('/auth/register', { body })),
    onSuccess: async ({ access_token }) => {
      signedIn(access_token)
      // shifts and reports of a new company follow the zone of who founds it; the settings have it for later
      const time_zone = browserZone()
      if (time_zone) await unwrap(api.PATCH('/settings/plant', { body: { time_zone } })).catch(() => {})
      return navigate({ to: '/' })
    },
  })
  const fields = useFieldFaults(register.error)
  return (
    <Card title={t('register')}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          const values = new FormData(event.currentTarget)
          const text = (name: string) => String(values.get(name)).trim()
          register.mutate({
            tenant_name: text('tenant_name'),
            full_name: text('full_name'),
            email: text('email'),
            password: String(values.get('password')),
          })
        }}
      >
        <p>{t('registerText')}</p>
        {register.error && Object.keys(fields).length === 0 ? <Notice tone="critical">{faultText(register.error)}</Notice> : null}
        <TextField
          label={t('company')}
          name="tenant_name"
          autoComplete="organization"
          required
          maxLength={REGISTER_TENANT_NAME_MAX_LENGTH}
          fault={fields.tenant_name}
        />
        <TextField
          label={t('fullName')}
          name="full_name"
          autoComplete="name"
          required
          maxLength={REGISTER_FULL_NAME_MAX_LENGTH}
          fault={fields.full_name}
        />
        <TextField
          label={signIn('email')}
          name="email"
          type="email"
          autoComplete="username"
          required
          maxLength={REGISTER_EMAIL_MAX_LENGTH}
          fault={fields.email}
        />
        <TextField
          label={signIn('password')}
          hint={t('passwordHint')}
          name="password"
          type="password"
          autoComplete="new-password"
          required
          minLength={REGISTER_PASSWORD_MIN_LENGTH}
          maxLength={REGISTER_PASSWORD_MAX_LENGTH}
          fault={'password' in fields ? t('weak') : undefined}
        />
        <Button look="primary" type="submit" isPending={register.isPending}>
          {t('registerSubmit')}
        </Button>
      </form>
      <Link to="/sign-in" className="self-start">
        {t('signIn')}
      </Link>
    </Card>
  )
}
