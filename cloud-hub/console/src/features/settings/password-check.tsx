import { useTranslations } from 'use-intl'
import { isApiError } from '../../api/error.ts'
import { useMe } from '../../app/me.tsx'
import { TextField } from '../../kit/field.tsx'

const NEEDED = ['reauthentication_required', 'password_wrong']

/** Whether the hub wants the password of the caller, because the sign-in is too old or the password was wrong. */
export const needsPassword = (error: unknown): boolean => isApiError(error) && NEEDED.includes(error.code)

/** The password of the signed-in person, before something that a stolen session must not do. */
export function PasswordCheckField({ error }: { error: unknown }) {
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
        hint={t('settings.signInTooOld')}
        fault={isWrong ? t('work.passwordWrong') : undefined}
      />
    </>
  )
}
