import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, type Schemas, unwrap } from '../../api/client.ts'
import { isApiError } from '../../api/error.ts'
import { LOGIN_EMAIL_MAX_LENGTH, LOGIN_PASSWORD_MAX_LENGTH } from '../../api/limits.ts'
import { useFaultText } from '../../i18n/fault-text.ts'
import { Button, buttonClass } from '../../kit/button.tsx'
import { TextField } from '../../kit/field.tsx'
import { Notice } from '../../kit/notice.tsx'

/** E-mail address and password; offers single sign-on where the company of the address has it. */
export function PasswordForm({ onToken }: { onToken(token: Schemas['Token']): void }) {
  const t = useTranslations('signIn')
  const fault = useSignInFault()
  const [sso, setSso] = useState<Schemas['SsoCheck'] | null>(null)
  const signIn = useMutation({
    mutationFn: (body: Schemas['Login']) => unwrap(api.POST('/auth/login', { body })),
    onSuccess: onToken,
  })
  const checkSso = async (email: string) => {
    if (!email.includes('@')) return setSso(null)
    const found = await unwrap(api.GET('/auth/sso/check', { params: { query: { email } } })).catch(() => null)
    setSso(found?.sso_enabled ? found : null)
  }
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        const values = new FormData(event.currentTarget)
        signIn.mutate({ email: String(values.get('email')).trim(), password: String(values.get('password')) })
      }}
    >
      {signIn.error ? <Notice tone="critical">{fault(signIn.error)}</Notice> : null}
      <TextField
        label={t('email')}
        name="email"
        type="email"
        autoComplete="username"
        required
        maxLength={LOGIN_EMAIL_MAX_LENGTH}
        onBlur={({ target }) => checkSso(target.value.trim())}
      />
      {sso?.authorization_url ? (
        <div className="flex flex-col gap-2 rounded-lg bg-raised p-3">
          <p>{t('ssoTitle', { provider: sso.provider_name ?? 'SSO' })}</p>
          <a href={sso.authorization_url} className={buttonClass('primary')}>
            {t('ssoSubmit', { provider: sso.provider_name ?? 'SSO' })}
          </a>
        </div>
      ) : null}
      <TextField
        label={t('password')}
        name="password"
        type="password"
        autoComplete="current-password"
        required
        maxLength={LOGIN_PASSWORD_MAX_LENGTH}
      />
      <Button look={sso ? 'plain' : 'primary'} type="submit" isPending={signIn.isPending}>
        {t('submit')}
      </Button>
      <p className="flex flex-wrap justify-between gap-x-4 gap-y-1">
        <Link to="/reset-password">{t('forgot')}</Link>
        <Link to="/register">{t('register')}</Link>
      </p>
    </form>
  )
}

function useSignInFault(): (error: unknown) => string {
  const t = useTranslations('signIn')
  const other = useFaultText()
  return (error) => {
    if (isApiError(error) && error.code === 'login_failed') return t('wrong')
    return other(error)
  }
}
