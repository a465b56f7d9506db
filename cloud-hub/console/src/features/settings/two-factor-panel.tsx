import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { saveFile } from '../../api/download.ts'
import { isApiError } from '../../api/error.ts'
import { MFA_CODE_CODE_MAX_LENGTH } from '../../api/limits.ts'
import { useMe } from '../../app/me.tsx'
import { needsPassword, PasswordCheckField } from '../../app/password-check.tsx'
import { useFaultText } from '../../i18n/fault-text.ts'
import { Button } from '../../kit/button.tsx'
import { TextField } from '../../kit/field.tsx'
import { Panel } from '../../kit/layout.tsx'
import { Status } from '../../kit/status.tsx'
import { toast } from '../../kit/toast.tsx'

/** Two-factor sign-in: set up by QR code, confirmed by a code, switched off by a code. */
export function TwoFactorPanel() {
  const t = useTranslations('settings')
  const faultText = useFaultText()
  const client = useQueryClient()
  const { user } = useMe()
  // the password that began the set-up confirms it too
  const [password, keepPassword] = useState<string>()
  const setUp = useMutation({
    mutationFn: (given: string | undefined) =>
      unwrap(api.POST('/auth/mfa/setup', { body: given === undefined ? {} : { current_password: given } })),
    onMutate: (given) => {
      confirm.reset()
      keepPassword(given)
    },
    onError: (error) => (needsPassword(error) ? undefined : toast('critical', faultText(error))),
  })
  const adopt = (changed: Schemas['CurrentUser']) => {
    client.setQueryData(apiQuery('/auth/me').queryKey, changed)
    setUp.reset()
    keepPassword(undefined)
  }
  const confirm = useMutation({
    mutationFn: ({ code, given = password }: { code: string; given?: string | undefined }) =>
      unwrap(api.POST('/auth/mfa/verify-setup', { body: { code, ...(given === undefined ? {} : { current_password: given }) } })),
    onSuccess: adopt,
  })
  const switchOff = useMutation({
    mutationFn: (code: string) => unwrap(api.POST('/auth/mfa/disable', { body: { code } })),
    onSuccess: adopt,
  })
  const codeFault = (error: unknown) => {
    if (!error || needsPassword(error)) return undefined
    return isApiError(error) && error.code === 'mfa_code_wrong' ? t('codeWrong') : faultText(error)
  }
  return (
    <Panel
      title={t('twoFactor')}
      actions={<Status tone={user.mfa_enabled ? 'healthy' : 'offline'}>{t(user.mfa_enabled ? 'on' : 'off')}</Status>}
    >
      <div className="flex flex-col gap-4 p-4">
        {user.mfa_enabled ? (
          <CodeForm
            text={t('switchOffText')}
            button={t('switchOff')}
            fault={codeFault(switchOff.error)}
            isPending={switchOff.isPending}
            onCode={(code) => switchOff.mutate(code)}
          />
        ) : setUp.data ? (
          <>
            <p>{t('scan')}</p>
            <img src={setUp.data.qr_code} alt={t('qrCode')} className="size-48 self-center rounded bg-white p-2" />
            <p className="text-sm text-soft">
              {t('secret')} <code className="break-all">{setUp.data.secret}</code>
            </p>
            <div>
              <p className="font-medium">{t('recovery')}</p>
              <p className="text-sm text-soft">{t('recoveryText')}</p>
              <ul className="mt-2 grid grid-cols-2 gap-1 font-mono text-sm">
                {setUp.data.recovery_codes.map((code) => (
                  <li key={code}>{code}</li>
                ))}
              </ul>
              <Button
                className="mt-2"
                onPress={() => saveFile(new Blob([`${setUp.data?.recovery_codes.join('\n')}\n`]), 'haltless-recovery-codes.txt')}
              >
                {t('saveCodes')}
              </Button>
            </div>
            <CodeForm
              text={t('confirmText')}
              button={t('confirmCode')}
              fault={codeFault(confirm.error)}
              isPending={confirm.isPending}
              passwordError={needsPassword(confirm.error) ? confirm.error : null}
              onCode={(code, given) => confirm.mutate({ code, given })}
              onCancel={setUp.reset}
            />
          </>
        ) : (
          <>
            <p>{t('twoFactorText')}</p>
            <SetUpForm error={setUp.error} isPending={setUp.isPending} onSetUp={setUp.mutate} />
          </>
        )}
      </div>
    </Panel>
  )
}

/** A button; with a sign-in that is too old, the password too. */
function SetUpForm({
  error,
  isPending,
  onSetUp,
}: {
  error: unknown
  isPending: boolean
  onSetUp(password: string | undefined): void
}) {
  const t = useTranslations('settings')
  // it stays while the password is checked
  const [asksPassword, askPassword] = useState(false)
  if (!asksPassword && needsPassword(error)) askPassword(true)
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        const given = new FormData(event.currentTarget).get('current_password')
        onSetUp(given === null ? undefined : String(given))
      }}
    >
      {asksPassword ? <PasswordCheckField error={error} /> : null}
      <Button look="primary" type="submit" className="self-start" isPending={isPending}>
        {t('setUp')}
      </Button>
    </form>
  )
}

function CodeForm({
  text,
  button,
  fault,
  isPending,
  passwordError = null,
  onCode,
  onCancel,
}: {
  text: string
  button: string
  fault: string | undefined
  isPending: boolean
  /** why the hub wants the password too; null: it does not */
  passwordError?: unknown
  onCode(code: string, password: string | undefined): void
  onCancel?(): void
}) {
  const t = useTranslations('signIn')
  const common = useTranslations('common')
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        const values = new FormData(event.currentTarget)
        const password = values.get('current_password')
        onCode(String(values.get('code')).trim(), password === null ? undefined : String(password))
      }}
    >
      <p>{text}</p>
      <TextField
        label={t('mfaCode')}
        name="code"
        autoComplete="one-time-code"
        required
        maxLength={MFA_CODE_CODE_MAX_LENGTH}
        fault={fault}
      />
      {passwordError ? <PasswordCheckField error={passwordError} /> : null}
      <div className="flex flex-wrap gap-2">
        <Button look="primary" type="submit" isPending={isPending}>
          {button}
        </Button>
        {onCancel ? <Button onPress={onCancel}>{common('cancel')}</Button> : null}
      </div>
    </form>
  )
}
