import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, type Schemas, unwrap } from '../../api/client.ts'
import { needsPassword, PasswordCheckField } from '../../app/password-check.tsx'
import { FormDialog } from '../../kit/form-dialog.tsx'
import { toast } from '../../kit/toast.tsx'

/** Switches off the two-factor sign-in of a member who has lost it. */
export function ResetMfaDialog({ user, onClose }: { user: Schemas['User']; onClose(): void }) {
  const t = useTranslations('members')
  const [asksPassword, askPassword] = useState(false)
  const reset = useMutation({
    mutationFn: (password: string | undefined) =>
      unwrap(
        api.POST('/users/{user_id}/mfa-reset', {
          params: { path: { user_id: user.id } },
          body: password === undefined ? {} : { current_password: password },
        }),
      ),
    onError: (error) => {
      if (needsPassword(error)) askPassword(true)
    },
    onSuccess: () => {
      toast('healthy', t('mfaReset', { name: user.full_name }))
      onClose()
    },
  })
  return (
    <FormDialog
      title={t('resetMfaTitle', { name: user.full_name })}
      draftKey={user.id}
      saving={reset}
      error={needsPassword(reset.error) ? null : reset.error}
      submit={t('resetMfa')}
      onSubmit={(form) => reset.mutate(asksPassword ? String(new FormData(form).get('current_password')) : undefined)}
      onClose={onClose}
    >
      <p>{t('resetMfaText')}</p>
      {asksPassword ? <PasswordCheckField error={reset.error} /> : null}
    </FormDialog>
  )
}
