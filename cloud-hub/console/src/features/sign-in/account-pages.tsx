import { useMutation } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, unwrap } from '../../api/client.ts'
import { isApiError } from '../../api/error.ts'
import {
  PASSWORD_RESET_CONFIRM_PASSWORD_MAX_LENGTH,
  PASSWORD_RESET_CONFIRM_PASSWORD_MIN_LENGTH,
  PASSWORD_RESET_REQUEST_EMAIL_MAX_LENGTH,
} from '../../api/limits.ts'
import { useFaultText, useFieldFaults } from '../../i18n/fault-text.ts'
import { Button, buttonClass } from '../../kit/button.tsx'
import { TextField } from '../../kit/field.tsx'
import { formText } from '../../kit/form-text.ts'
import { Notice } from '../../kit/notice.tsx'
import { Card } from './card.tsx'

const invitation = getRouteApi('/invite')
const passwordReset = getRouteApi('/reset-password')

/** An invited person chooses the first password. */
export function InvitationPage() {
  const t = useTranslations('account')
  const { token } = invitation.useSearch()
  const gone = (
    <>
      <p>{t('inviteGone')}</p>
      <SignInLink />
    </>
  )
  // a mail program that wraps lines may cut the link
  if (token === undefined) return <Card title={t('gone')}>{gone}</Card>
  return (
    <PasswordPage
      title={t('invite')}
      text={t('inviteText')}
      submit={t('setPassword')}
      done={t('inviteDone')}
      save={(password) => unwrap(api.POST('/auth/invitations/accept', { body: { token, password } }))}
      gone={gone}
    />
  )
}

/** Sends a link for a new password, or sets it with such a link. */
export function PasswordResetPage() {
  const t = useTranslations('account')
  const { token } = passwordReset.useSearch()
  const [isAsking, setAsking] = useState(false)
  if (isAsking || token === undefined) return <AskPage />
  return (
    <PasswordPage
      title={t('reset')}
      text={t('resetText')}
      submit={t('setPassword')}
      done={t('resetDone')}
      save={(password) => unwrap(api.POST('/auth/password-reset/confirm', { body: { token, password } }))}
      gone={
        <>
          <p>{t('resetGone')}</p>
          <Button look="primary" onPress={() => setAsking(true)}>
            {t('again')}
          </Button>
        </>
      }
    />
  )
}

const SignInLink = () => {
  const t = useTranslations('account')
  return (
    <Link to="/sign-in" className={buttonClass('primary')}>
      {t('signIn')}
    </Link>
  )
}

function PasswordPage({
  title,
  text,
  submit,
  done,
  gone,
  save,
}: {
  title: string
  text: string
  submit: string
  done: string
  /** what to do when the link no longer works */
  gone: ReactNode
  save(password: string): Promise<unknown>
}) {
  const t = useTranslations('account')
  const faultText = useFaultText()
  const [isDifferent, setDifferent] = useState(false)
  const send = useMutation({ mutationFn: save })
  const fields = useFieldFaults(send.error)
  if (send.isSuccess)
    return (
      <Card title={title}>
        <Notice tone="healthy">{done}</Notice>
        <SignInLink />
      </Card>
    )
  if (isApiError(send.error) && send.error.code === 'link_invalid') return <Card title={t('gone')}>{gone}</Card>
  return (
    <Card title={title}>
      <p>{text}</p>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          const values = new FormData(event.currentTarget)
          const isSame = values.get('password') === values.get('repeat')
          setDifferent(!isSame)
          if (isSame) send.mutate(String(values.get('password')))
        }}
      >
        {send.error && !('password' in fields) ? <Notice tone="critical">{faultText(send.error)}</Notice> : null}
        <TextField
          label={t('password')}
          hint={t('passwordHint')}
          name="password"
          type="password"
          autoComplete="new-password"
          autoFocus
          required
          minLength={PASSWORD_RESET_CONFIRM_PASSWORD_MIN_LENGTH}
          maxLength={PASSWORD_RESET_CONFIRM_PASSWORD_MAX_LENGTH}
          fault={'password' in fields ? t('weak') : undefined}
        />
        <TextField
          label={t('repeat')}
          name="repeat"
          type="password"
          autoComplete="new-password"
          required
          maxLength={PASSWORD_RESET_CONFIRM_PASSWORD_MAX_LENGTH}
          fault={isDifferent ? t('differ') : undefined}
        />
        <Button look="primary" type="submit" isPending={send.isPending}>
          {submit}
        </Button>
      </form>
    </Card>
  )
}

function AskPage() {
  const t = useTranslations('account')
  const signIn = useTranslations('signIn')
  const faultText = useFaultText()
  const send = useMutation({
    mutationFn: (email: string) => unwrap(api.POST('/auth/password-reset', { body: { email } })),
  })
  return (
    <Card title={t('forgot')}>
      {send.isSuccess ? (
        <Notice tone="healthy">{t('sent')}</Notice>
      ) : (
        <form
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault()
            send.mutate(formText(event.currentTarget)('email'))
          }}
        >
          <p>{t('forgotText')}</p>
          {send.error ? <Notice tone="critical">{faultText(send.error)}</Notice> : null}
          <TextField
            label={signIn('email')}
            name="email"
            type="email"
            autoComplete="username"
            autoFocus
            required
            maxLength={PASSWORD_RESET_REQUEST_EMAIL_MAX_LENGTH}
          />
          <Button look="primary" type="submit" isPending={send.isPending}>
            {t('send')}
          </Button>
        </form>
      )}
      <Link to="/sign-in" className="self-start">
        {t('signIn')}
      </Link>
    </Card>
  )
}
