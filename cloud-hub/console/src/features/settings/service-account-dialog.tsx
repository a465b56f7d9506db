import { useMutation } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api, type Schemas, unwrap } from '../../api/client.ts'
import { SERVICE_ACCOUNT_CREATE_NAME_MAX_LENGTH } from '../../api/limits.ts'
import { useMe } from '../../app/me.tsx'
import { usePeople } from '../../app/people.ts'
import { useFieldFaults } from '../../i18n/fault-text.ts'
import { SelectField, TextField } from '../../kit/field.tsx'
import { FormDialog } from '../../kit/form-dialog.tsx'
import { formText } from '../../kit/form-text.ts'
import { toast } from '../../kit/toast.tsx'
import { fill, useProgramTexts } from './program-texts.ts'
import { useRoleOptions } from './use-role-options.ts'

/** Adds a service account, or changes its name, role and the person who answers for it. */
export function ServiceAccountDialog({ account, onClose }: { account?: Schemas['ServiceAccount']; onClose(): void }) {
  const t = useTranslations()
  const { serviceAccounts: texts } = useProgramTexts()
  const { user } = useMe()
  const roles = useRoleOptions()
  const people = usePeople()
  const persons = (people ?? []).filter(({ is_active, is_service_account }) => is_active && !is_service_account)
  const save = useMutation({
    mutationFn: (body: Schemas['ServiceAccountCreate']) =>
      account
        ? unwrap(
            api.PATCH('/service-accounts/{service_account_id}', {
              params: { path: { service_account_id: account.id } },
              body,
            }),
          )
        : unwrap(api.POST('/service-accounts', { body })),
    onSuccess: () => {
      toast('healthy', t('common.saved'))
      onClose()
    },
  })
  const fields = useFieldFaults(save.error)
  const responsible = persons.some(({ id }) => id === account?.responsible_id) ? account?.responsible_id : undefined
  return (
    <FormDialog
      title={account ? fill(texts.edit, { name: account.name }) : texts.add}
      saving={save}
      submit={t(account ? 'common.save' : 'common.add')}
      onSubmit={(form) => {
        const text = formText(form)
        save.mutate({ name: text('name'), role: text('role'), responsible_id: text('responsible_id') })
      }}
      onClose={onClose}
    >
      <TextField
        label={texts.name}
        name="name"
        required
        defaultValue={account?.name}
        maxLength={SERVICE_ACCOUNT_CREATE_NAME_MAX_LENGTH}
        fault={fields.name}
      />
      <SelectField
        label={t('settings.role')}
        name="role"
        options={roles}
        defaultValue={account?.role ?? 'viewer'}
        key={`roles ${roles.length}`}
        fault={fields.role}
      />
      <SelectField
        label={texts.responsible}
        name="responsible_id"
        options={persons.map(({ id, full_name }) => [id, full_name] as const)}
        defaultValue={responsible ?? user.id}
        key={`people ${persons.length}`}
        hint={texts.responsibleHint}
        fault={fields.responsible_id}
      />
    </FormDialog>
  )
}
