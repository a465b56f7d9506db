import { useMutation } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api, type Schemas, unwrap } from '../../api/client.ts'
import { isApiError } from '../../api/error.ts'
import { useMe } from '../../app/me.tsx'
import { CurrentPasswordField } from '../../app/password-check.tsx'
import { FormDialog } from '../../kit/form-dialog.tsx'

/** Signs a completed work order with the password of the person who signs. */
export function SignDialog({ order, onClose }: { order: Schemas['WorkOrder']; onClose(): void }) {
  const t = useTranslations()
  const { user } = useMe()
  const params = { path: { work_order_id: order.id } }
  const sign = useMutation({
    mutationFn: (password: string) => unwrap(api.POST('/work-orders/{work_order_id}/signoffs', { params, body: { password } })),
    onSuccess: onClose,
  })
  const isWrong = isApiError(sign.error) && sign.error.code === 'password_wrong'
  return (
    <FormDialog
      title={t('work.sign')}
      draftKey={order.id}
      saving={sign}
      submit={t('work.sign')}
      error={sign.error && !isWrong ? sign.error : null}
      onSubmit={(form) => sign.mutate(String(new FormData(form).get('password')))}
      onClose={onClose}
    >
      <p>{t('work.signText', { name: user.full_name })}</p>
      <CurrentPasswordField error={sign.error} label={t('signIn.password')} name="password" />
    </FormDialog>
  )
}
