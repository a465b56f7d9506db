import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, type Schemas, unwrap } from '../../api/client.ts'
import { MACHINE_PATCH_STATUS } from '../../api/enums.ts'
import { MACHINE_PATCH_NAME_MAX_LENGTH } from '../../api/limits.ts'
import { useFaultText, useFieldFaults } from '../../i18n/fault-text.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog, DialogActions, LeaveButton } from '../../kit/dialog.tsx'
import { CheckField, SelectField, TextField } from '../../kit/field.tsx'
import { FormDialog } from '../../kit/form-dialog.tsx'
import { formText } from '../../kit/form-text.ts'
import { Notice } from '../../kit/notice.tsx'
import { useRecordChange } from '../../kit/record-change.ts'
import { toast } from '../../kit/toast.tsx'
import { DetailFields, detailsIn } from './detail-fields.tsx'

/** Renames, moves or deactivates a machine. */
export function EditDialog({ machine, onClose }: { machine: Schemas['Machine']; onClose(): void }) {
  const t = useTranslations()
  const faultText = useFaultText()
  const navigate = useNavigate()
  const [isDeactivating, setDeactivating] = useState(false)
  // the stream moves the status while the form is open
  const [opened] = useState(machine)
  const path = { machine_id: machine.id }
  const [change] = useRecordChange(machine, () => unwrap(api.GET('/machines/{machine_id}', { params: { path } })))
  const save = useMutation({
    mutationFn: (given: Schemas['MachinePatch']) =>
      change(given, (body, header) => unwrap(api.PATCH('/machines/{machine_id}', { params: { path, header }, body }))),
    onSuccess: onClose,
  })
  const restore = useMutation({
    mutationFn: () => unwrap(api.PATCH('/machines/{machine_id}', { params: { path }, body: { is_active: true } })),
    onError: (error) => toast('critical', faultText(error)),
  })
  const remove = useMutation({
    mutationFn: () => unwrap(api.DELETE('/machines/{machine_id}', { params: { path } })),
    onSuccess: async () => {
      onClose()
      toast('healthy', t('machine.deactivated', { name: machine.name }), { text: t('common.undo'), run: () => restore.mutate() })
      await navigate({ to: '/machines' })
    },
  })
  const error = save.error ?? remove.error
  const fields = useFieldFaults(save.error)
  if (isDeactivating)
    return (
      <Dialog title={t('machine.deactivateTitle', { name: machine.name })} onClose={onClose} isBusy={remove.isPending}>
        {remove.error ? <Notice tone="critical">{faultText(remove.error)}</Notice> : null}
        <p>{t('machine.deactivateText')}</p>
        <DialogActions>
          <LeaveButton onPress={() => setDeactivating(false)}>{t('common.cancel')}</LeaveButton>
          <Button look="danger" isPending={remove.isPending} onPress={() => remove.mutate()}>
            {t('machine.deactivate')}
          </Button>
        </DialogActions>
      </Dialog>
    )
  return (
    <FormDialog
      title={t('machine.edit')}
      draftKey={machine.id}
      saving={save}
      submit={t('common.save')}
      error={error}
      actions={
        machine.is_active ? (
          <LeaveButton look="danger" className="mr-auto" onPress={() => setDeactivating(true)}>
            {t('machine.deactivate')}
          </LeaveButton>
        ) : null
      }
      onSubmit={(form) => {
        const values = new FormData(form)
        const status = values.get('status') as Schemas['Machine']['status']
        save.mutate({
          name: String(values.get('name')).trim(),
          ...detailsIn(formText(form)),
          is_active: values.has('is_active'),
          // the next reading computes it again
          ...(status === opened.status ? {} : { status }),
        })
      }}
      onClose={onClose}
    >
      <TextField
        label={t('machines.name')}
        name="name"
        required
        maxLength={MACHINE_PATCH_NAME_MAX_LENGTH}
        defaultValue={machine.name}
        fault={fields.name}
      />
      <DetailFields machine={machine} faults={fields} />
      <SelectField
        label={t('machines.status')}
        hint={t('machine.statusHint')}
        name="status"
        defaultValue={opened.status}
        fault={fields.status}
        options={MACHINE_PATCH_STATUS.map((it) => [it, t(`status.${it}`)] as const)}
      />
      <CheckField
        label={t('machine.isActive')}
        hint={t('machine.isActiveHint')}
        name="is_active"
        defaultChecked={machine.is_active}
      />
    </FormDialog>
  )
}
