import { useTranslations } from 'use-intl'
import { isApiError } from '../../api/error.ts'
import { useMe } from '../../app/me.tsx'
import { TextField } from '../../kit/field.tsx'

const NEEDED = ['reauthentication_required', 'password_wrong']

/** Whether the hub wants the password of the caller, because the sign-in is too old or the password was wrong. */
export const needsPassword = (error: unknown): boolean => isApiError(error) && NEEDED.includes(error.code)

/**
 * The password of the signed-in person as `current_password`, before something that a stolen session must not do.
 * @param props `error` says whether it was wrong; `hint` why it is asked
 */
export function CurrentPasswordField({ error, hint }: { error: unknown; hint?: string }) {
  const t = useTranslations()
  const { user } = useMe()
  const isWrong = isApiError(error) && error.code === 'password_wrong'
  return (
    <>
      <input type="text" name="username" autoComplete="username" value={user.email} readOnly hidden />
      <TextField
        label={t('settings.currentPassword')}
        name="current_password"
        type="password"
        autoComplete="current-password"
        required
        maxLength={128}
        hint={hint}
        fault={isWrong ? t('work.passwordWrong') : undefined}
      />
    </>
  )
}

/** The password of a person whose sign-in is too old. */
export function PasswordCheckField({ error }: { error: unknown }) {
  const t = useTranslations('settings')
  return <CurrentPasswordField error={error} hint={t('signInTooOld')} />
}
