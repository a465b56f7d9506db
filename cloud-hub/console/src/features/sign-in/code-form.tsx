import { useMutation } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api, unwrap } from '../../api/client.ts'
import { isApiError } from '../../api/error.ts'
import { MFA_VERIFY_CODE_MAX_LENGTH } from '../../api/limits.ts'
import { useFaultText } from '../../i18n/fault-text.ts'
import { Button } from '../../kit/button.tsx'
import { TextField } from '../../kit/field.tsx'

/** The second step of a two-factor sign-in. */
export function CodeForm({
  pendingToken,
  onDone,
  onBack,
}: {
  pendingToken: string
  onDone(accessToken: string): void
  onBack(): void
}) {
  const t = useTranslations('signIn')
  const faultText = useFaultText()
  const verify = useMutation({
    mutationFn: (code: string) => unwrap(api.POST('/auth/mfa/verify', { body: { mfa_token: pendingToken, code } })),
    onSuccess: ({ access_token }) => onDone(access_token),
  })
  const fault = () => {
    if (!verify.error) return undefined
    if (isApiError(verify.error) && verify.error.code === 'mfa_token_invalid') return t('mfaExpired')
    if (isApiError(verify.error) && verify.error.code === 'mfa_code_wrong') return t('mfaWrong')
    return faultText(verify.error)
  }
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        verify.mutate(String(new FormData(event.currentTarget).get('code')).trim())
      }}
    >
      <p>{t('mfaText')}</p>
      <TextField
        label={t('mfaCode')}
        name="code"
        autoComplete="one-time-code"
        autoFocus
        required
        maxLength={MFA_VERIFY_CODE_MAX_LENGTH}
        fault={fault()}
      />
      <Button look="primary" type="submit" isPending={verify.isPending}>
        {t('mfaSubmit')}
      </Button>
      <Button look="quiet" onPress={onBack}>
        {t('back')}
      </Button>
    </form>
  )
}
