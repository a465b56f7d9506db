import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import { useTranslations } from 'use-intl'
import { api, type Schemas, unwrap } from '../../api/client.ts'
import { isApiError } from '../../api/error.ts'
import { PASSWORD_CHANGE_NEW_PASSWORD_MAX_LENGTH, PASSWORD_CHANGE_NEW_PASSWORD_MIN_LENGTH } from '../../api/limits.ts'
import { signedIn } from '../../api/session.ts'
import { CurrentPasswordField } from '../../app/password-check.tsx'
import { useFaultText, useFieldFaults } from '../../i18n/fault-text.ts'
import { Button } from '../../kit/button.tsx'
import { TextField } from '../../kit/field.tsx'
import { Panel } from '../../kit/layout.tsx'
import { Notice } from '../../kit/notice.tsx'
import { toast } from '../../kit/toast.tsx'

/** Changes the password, and ends sessions on other devices. */
export function PasswordPanel() {
  const t = useTranslations()
  const faultText = useFaultText()
  const form = useRef<HTMLFormElement>(null)
  const change = useMutation({
    mutationFn: (body: Schemas['PasswordChange']) => unwrap(api.POST('/settings/change-password', { body })),
    onSuccess: ({ access_token }) => {
      signedIn(access_token)
      form.current?.reset()
      toast('healthy', t('settings.passwordChanged'))
    },
  })
  const end = useMutation({
    mutationFn: () => unwrap(api.POST('/settings/logout-other-sessions')),
    onSuccess: () => toast('healthy', t('settings.othersEnded')),
    onError: (error) => toast('critical', faultText(error)),
  })
  const isWrong = isApiError(change.error) && change.error.code === 'password_wrong'
  const fields = useFieldFaults(change.error)
  return (
    <Panel title={t('settings.password')}>
      <form
        ref={form}
        className="flex flex-col gap-4 p-4"
        onSubmit={(event) => {
          event.preventDefault()
          const values = new FormData(event.currentTarget)
          change.mutate({ current_password: String(values.get('current_password')), new_password: String(values.get('next')) })
        }}
      >
        {change.error && !isWrong ? <Notice tone="critical">{faultText(change.error)}</Notice> : null}
        <CurrentPasswordField error={change.error} />
        <TextField
          label={t('settings.newPassword')}
          hint={t('settings.passwordHint')}
          name="next"
          type="password"
          autoComplete="new-password"
          required
          minLength={PASSWORD_CHANGE_NEW_PASSWORD_MIN_LENGTH}
          maxLength={PASSWORD_CHANGE_NEW_PASSWORD_MAX_LENGTH}
          fault={fields.new_password}
        />
        <div className="flex flex-wrap gap-2">
          <Button look="primary" type="submit" isPending={change.isPending}>
            {t('settings.changePassword')}
          </Button>
          <Button isPending={end.isPending} onPress={() => end.mutate()}>
            {t('settings.endOthers')}
          </Button>
        </div>
      </form>
    </Panel>
  )
}
