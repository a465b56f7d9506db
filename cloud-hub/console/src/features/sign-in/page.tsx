import { useState, useSyncExternalStore } from 'react'
import { useTranslations } from 'use-intl'
import { keepsSession, onSessionChange, sessionState, signedIn } from '../../api/session.ts'
import { Notice } from '../../kit/notice.tsx'
import { Card } from './card.tsx'
import { CodeForm } from './code-form.tsx'
import { useDemoSignIn } from './demo-sign-in.ts'
import { PasswordForm } from './password-form.tsx'

export function SignInPage() {
  const t = useTranslations('signIn')
  const session = useSyncExternalStore(onSessionChange, sessionState)
  const isDemoRefused = useDemoSignIn()
  const [pending, setPending] = useState<string | null>(null)
  return (
    <Card title={pending ? t('mfaTitle') : t('title')}>
      {session.status === 'signed_out' && session.reason === 'ended' ? <Notice tone="info">{t('ended')}</Notice> : null}
      {session.status === 'signed_out' && session.reason === 'signed_out' ? (
        <Notice tone="healthy">{t('signedOut')}</Notice>
      ) : null}
      {isDemoRefused ? <Notice tone="warning">{t('demoInvalid')}</Notice> : null}
      {keepsSession() ? null : <Notice tone="warning">{t('insecure')}</Notice>}
      {pending ? (
        <CodeForm pendingToken={pending} onDone={signedIn} onBack={() => setPending(null)} />
      ) : (
        <PasswordForm
          onToken={({ access_token, mfa_required }) => (mfa_required ? setPending(access_token) : signedIn(access_token))}
        />
      )}
    </Card>
  )
}
