import { useMutation } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api, type Schemas, unwrap } from '../../api/client.ts'
import { USER_PATCH_EMAIL_MAX_LENGTH, USER_PATCH_FULL_NAME_MAX_LENGTH, USER_PATCH_PHONE_MAX_LENGTH } from '../../api/limits.ts'
import { useFieldFaults } from '../../i18n/fault-text.ts'
import { TextField } from '../../kit/field.tsx'
import { FormDialog } from '../../kit/form-dialog.tsx'
import { formText } from '../../kit/form-text.ts'
import { useRecordChange } from '../../kit/record-change.ts'
import { toast } from '../../kit/toast.tsx'

/** Changes name, address and phone of another member. */
export function EditMemberDialog({ user, onClose }: { user: Schemas['User']; onClose(): void }) {
  const t = useTranslations()
  const [change] = useRecordChange(user, async ({ id }) => (await unwrap(api.GET('/users'))).find((it) => it.id === id))
  const save = useMutation({
    mutationFn: (given: Schemas['UserPatch']) =>
      change(given, (body, header) =>
        unwrap(api.PATCH('/users/{user_id}', { params: { path: { user_id: user.id }, header }, body })),
      ),
    onSuccess: () => {
      toast('healthy', t('common.saved'))
      onClose()
    },
  })
  const fields = useFieldFaults(save.error)
  return (
    <FormDialog
      title={t('members.editOf', { name: user.full_name })}
      draftKey={user.id}
      saving={save}
      submit={t('common.save')}
      onSubmit={(form) => {
        const text = formText(form)
        const email = text('email')
        save.mutate({
          full_name: text('full_name'),
          phone: text('phone') || null,
          // a changed address ends links and notifies the old one
          ...(email === user.email ? {} : { email }),
        })
      }}
      onClose={onClose}
    >
      <TextField
        label={t('settings.fullName')}
        name="full_name"
        required
        maxLength={USER_PATCH_FULL_NAME_MAX_LENGTH}
        defaultValue={user.full_name}
        fault={fields.full_name}
      />
      <TextField
        label={t('settings.email')}
        name="email"
        type="email"
        required
        maxLength={USER_PATCH_EMAIL_MAX_LENGTH}
        defaultValue={user.email}
        hint={t('members.emailHint')}
        fault={fields.email}
      />
      <TextField
        label={`${t('settings.phone')} (${t('common.optional')})`}
        name="phone"
        type="tel"
        maxLength={USER_PATCH_PHONE_MAX_LENGTH}
        defaultValue={user.phone ?? ''}
        fault={fields.phone}
      />
    </FormDialog>
  )
}
