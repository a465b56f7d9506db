import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { useFieldFaults } from '../../app/fault-text.ts'
import { MachineField } from '../../app/machine-field.tsx'
import { useFormat } from '../../i18n/format.tsx'
import { instantOf, wallTime } from '../../i18n/wall-time.ts'
import { SelectField, TextArea, TextField } from '../../kit/field.tsx'
import { FormDialog } from '../../kit/form-dialog.tsx'
import { toast } from '../../kit/toast.tsx'
import { AssigneeField, assigneesOf, MoreAssignees } from './assignee-field.tsx'
import { PRIORITIES, type WorkOrder } from './order-status.ts'

/** Creates a work order and opens it, or changes one. */
export function OrderDialog({
  order,
  machineId: givenId = '',
  onClose,
}: {
  order?: WorkOrder
  /** the machine that is chosen at first */
  machineId?: string
  onClose(): void
}) {
  const t = useTranslations()
  const { timeZone } = useFormat()
  const [machineId, setMachineId] = useState(givenId)
  const navigate = useNavigate()
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: (values: FormData) => {
      const text = (name: string) => String(values.get(name) ?? '').trim()
      const body = {
        title: text('title'),
        description: text('description') || null,
        priority: text('priority') as WorkOrder['priority'],
        assigned_to: text('assigned_to') || null,
        ...assigneesOf(values),
        // the document has no null here, which the hub takes as "no date"
        due_date: (text('due_date') ? instantOf(text('due_date'), timeZone).toISOString() : null) as string,
      }
      if (!order) return unwrap(api.POST('/work-orders', { body: { ...body, machine_id: machineId } }))
      return unwrap(api.PATCH('/work-orders/{work_order_id}', { params: { path: { work_order_id: order.id } }, body }))
    },
    onSuccess: async (saved: Schemas['WorkOrder']) => {
      const params = { path: { work_order_id: saved.id } }
      client.setQueryData(apiQuery('/work-orders/{work_order_id}', { params }).queryKey, saved)
      client.invalidateQueries({ queryKey: ['/work-orders'] })
      client.invalidateQueries({ queryKey: ['/work-orders/{work_order_id}/history'] })
      if (!order) return navigate({ to: '/work-orders/$workOrderId', params: { workOrderId: saved.id } })
      toast('healthy', t('common.saved'))
      onClose()
    },
  })
  const fields = useFieldFaults(save.error)
  const optional = (label: string) => `${label} (${t('common.optional')})`
  return (
    <FormDialog
      title={t(order ? 'work.edit' : 'work.add')}
      saving={save}
      submit={t(order ? 'common.save' : 'work.add')}
      onSubmit={(form) => save.mutate(new FormData(form))}
      onClose={onClose}
    >
      {order ? null : <MachineField label={t('work.machine')} value={machineId} onChange={setMachineId} />}
      <TextField
        label={t('work.orderTitle')}
        name="title"
        required
        maxLength={255}
        defaultValue={order?.title}
        fault={fields.title}
      />
      <TextArea
        label={optional(t('work.description'))}
        name="description"
        maxLength={10_000}
        defaultValue={order?.description ?? ''}
        fault={fields.description}
      />
      <SelectField
        label={t('work.priority')}
        name="priority"
        defaultValue={order?.priority ?? 'medium'}
        options={PRIORITIES.toReversed().map((it) => [it, t(`work.priorities.${it}`)] as const)}
      />
      <AssigneeField label={optional(t('work.assignee'))} name="assigned_to" value={order?.assigned_to ?? null} />
      <MoreAssignees label={optional(t('work.alsoAssigned'))} values={order?.assignee_ids ?? []} />
      <TextField
        label={optional(t('work.dueDate'))}
        name="due_date"
        type="datetime-local"
        defaultValue={order?.due_date ? wallTime(order.due_date, timeZone) : ''}
        fault={fields.due_date}
      />
    </FormDialog>
  )
}
