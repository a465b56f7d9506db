import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { api, type Schemas, unwrap } from '../../api/client.ts'
import { isApiError } from '../../api/error.ts'
import { useFaultText } from '../../app/fault-text.ts'
import { useMachineNames } from '../../app/machine-names.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog, DialogActions } from '../../kit/dialog.tsx'
import { SelectField, TextArea, TextField } from '../../kit/field.tsx'
import { Notice } from '../../kit/notice.tsx'

/** Creates a work order, and opens it. */
export function AddOrderDialog({ onClose }: { onClose(): void }) {
  const t = useTranslations()
  const faultText = useFaultText()
  const names = useMachineNames()
  const navigate = useNavigate()
  const add = useMutation({
    mutationFn: (body: Schemas['WorkOrderCreate']) => unwrap(api.POST('/work-orders', { body })),
    onSuccess: ({ id }) => navigate({ to: '/work-orders/$workOrderId', params: { workOrderId: id } }),
  })
  const fields = isApiError(add.error) ? add.error.fields : {}
  return (
    <Dialog title={t('work.add')} onClose={onClose} isBusy={add.isPending}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          const values = new FormData(event.currentTarget)
          const text = (name: string) => String(values.get(name) ?? '').trim()
          add.mutate({
            machine_id: text('machine_id'),
            title: text('title'),
            description: text('description') || null,
            priority: text('priority') as Schemas['WorkOrder']['priority'],
            ...(text('due_date') ? { due_date: new Date(text('due_date')).toISOString() } : {}),
          })
        }}
      >
        {add.error ? <Notice tone="critical">{faultText(add.error)}</Notice> : null}
        <SelectField label={t('work.machine')} name="machine_id" required options={[...names]} />
        <TextField label={t('work.orderTitle')} name="title" required maxLength={200} fault={fields.title} />
        <TextArea
          label={`${t('work.description')} (${t('common.optional')})`}
          name="description"
          maxLength={5_000}
          fault={fields.description}
        />
        <SelectField
          label={t('work.priority')}
          name="priority"
          defaultValue="medium"
          options={(['low', 'medium', 'high', 'critical'] as const).map((it) => [it, t(`work.priorities.${it}`)] as const)}
        />
        <TextField
          label={`${t('work.dueDate')} (${t('common.optional')})`}
          name="due_date"
          type="datetime-local"
          fault={fields.due_date}
        />
        <DialogActions>
          <Button onPress={onClose}>{t('common.cancel')}</Button>
          <Button look="primary" type="submit" isPending={add.isPending}>
            {t('work.add')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
