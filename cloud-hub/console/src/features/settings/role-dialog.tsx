import { useMutation } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api, type Schemas, unwrap } from '../../api/client.ts'
import { ROLE_CREATE_BASE_TIER } from '../../api/enums.ts'
import { ROLE_CREATE_NAME_MAX_LENGTH } from '../../api/limits.ts'
import { useFieldFaults } from '../../i18n/fault-text.ts'
import { SelectField, TextField } from '../../kit/field.tsx'
import { FormDialog } from '../../kit/form-dialog.tsx'
import { formText } from '../../kit/form-text.ts'
import { useRecordChange } from '../../kit/record-change.ts'
import { toast } from '../../kit/toast.tsx'

const TIERS = ROLE_CREATE_BASE_TIER.toReversed()

/** Creates a role, or renames one: its rights never change. */
export function RoleDialog({ role, onClose }: { role: Schemas['Role'] | null; onClose(): void }) {
  const t = useTranslations()
  const [change] = useRecordChange(role, async ({ key }) =>
    (await unwrap(api.GET('/settings/roles'))).find((it) => it.key === key),
  )
  const save = useMutation({
    mutationFn: ({ name, base_tier }: Schemas['RoleCreate']) =>
      role
        ? change({ name }, (body, header) =>
            unwrap(api.PATCH('/settings/roles/{key}', { params: { path: { key: role.key }, header }, body })),
          )
        : unwrap(api.POST('/settings/roles', { body: { name, base_tier } })),
    onSuccess: () => {
      toast('healthy', t('common.saved'))
      onClose()
    },
  })
  const fields = useFieldFaults(save.error)
  return (
    <FormDialog
      title={t(role ? 'roles.rename' : 'roles.add')}
      draftKey={role?.key}
      saving={save}
      submit={t('common.save')}
      onSubmit={(form) => {
        const text = formText(form)
        save.mutate({ name: text('role_name'), base_tier: text('base_tier') as Schemas['RoleCreate']['base_tier'] })
      }}
      onClose={onClose}
    >
      <TextField
        label={t('roles.name')}
        name="role_name"
        required
        maxLength={ROLE_CREATE_NAME_MAX_LENGTH}
        defaultValue={role?.name}
        hint={t('roles.nameHint')}
        fault={fields.name}
      />
      {role ? null : (
        <SelectField
          label={t('roles.rights')}
          name="base_tier"
          options={TIERS.map((tier) => [tier, `${t(`roles.tiers.${tier}`)}: ${t(`roles.tierRights.${tier}`)}`] as const)}
        />
      )}
    </FormDialog>
  )
}
