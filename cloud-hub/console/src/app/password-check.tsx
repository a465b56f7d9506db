import { useTranslations } from 'use-intl'
import { isApiError } from '../api/error.ts'
import { REAUTHENTICATION_CURRENT_PASSWORD_MAX_LENGTH } from '../api/limits.ts'
import { TextField } from '../kit/field.tsx'
import { useMe } from './me.tsx'

const NEEDED = ['reauthentication_required', 'password_wrong']

/** Whether the hub wants the password of the caller, because the sign-in is too old or the password was wrong. */
export const needsPassword = (error: unknown): boolean => isApiError(error) && NEEDED.includes(error.code)

/**
 * The password of the signed-in person as `current_password`, before something that a stolen session must not do.
 * @param props `error` says whether it was wrong; `hint` why it is asked; `label` and `name` where it is not a current password
 */
export function CurrentPasswordField({
  error,
  hint,
  label,
  name = 'current_password',
}: {
  error: unknown
  hint?: string
  label?: string
  name?: string
}) {
  const t = useTranslations()
  const { user } = useMe()
  const isWrong = isApiError(error) && error.code === 'password_wrong'
  return (
    <>
      <input type="text" name="username" autoComplete="username" value={user.email} readOnly hidden />
      <TextField
        label={label ?? t('settings.currentPassword')}
        name={name}
        type="password"
        autoComplete="current-password"
        required
        maxLength={REAUTHENTICATION_CURRENT_PASSWORD_MAX_LENGTH}
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
