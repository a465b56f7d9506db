import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api, type Schemas, unwrap } from '../../api/client.ts'
import { isApiError } from '../../api/error.ts'
import { useFaultText } from '../../app/fault-text.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog, DialogActions } from '../../kit/dialog.tsx'
import { SelectField, TextField } from '../../kit/field.tsx'
import { formText } from '../../kit/form-text.ts'
import { Notice } from '../../kit/notice.tsx'
import { toast } from '../../kit/toast.tsx'

const TIERS = ['viewer', 'operator', 'admin'] as const

/** Creates a role, or renames one: its rights never change. */
export function RoleDialog({ role, onClose }: { role: Schemas['Role'] | null; onClose(): void }) {
  const t = useTranslations()
  const faultText = useFaultText()
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: ({ name, base_tier }: Schemas['RoleCreate']) =>
      role
        ? unwrap(api.PATCH('/settings/roles/{key}', { params: { path: { key: role.key } }, body: { name } }))
        : unwrap(api.POST('/settings/roles', { body: { name, base_tier } })),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['/settings/roles'] })
      toast('healthy', t('common.saved'))
      onClose()
    },
  })
  const fields = isApiError(save.error) ? save.error.fields : {}
  return (
    <Dialog title={t(role ? 'roles.rename' : 'roles.add')} onClose={onClose} isBusy={save.isPending}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          const text = formText(event.currentTarget)
          save.mutate({ name: text('role_name'), base_tier: text('base_tier') as Schemas['RoleCreate']['base_tier'] })
        }}
      >
        {save.error ? <Notice tone="critical">{faultText(save.error)}</Notice> : null}
        <TextField
          label={t('roles.name')}
          name="role_name"
          required
          maxLength={100}
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
        <DialogActions>
          <Button onPress={onClose}>{t('common.cancel')}</Button>
          <Button look="primary" type="submit" isPending={save.isPending}>
            {t('common.save')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
