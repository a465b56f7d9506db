import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, type Schemas, unwrap } from '../../api/client.ts'
import { WORK_ORDER_CREATE_DESCRIPTION_MAX_LENGTH, WORK_ORDER_CREATE_TITLE_MAX_LENGTH } from '../../api/limits.ts'
import { MachineField } from '../../app/machine-field.tsx'
import { useFieldFaults } from '../../i18n/fault-text.ts'
import { useFormat } from '../../i18n/format.tsx'
import { instantOf, wallTime } from '../../i18n/wall-time.ts'
import { SelectField, TextArea, TextField } from '../../kit/field.tsx'
import { FormDialog } from '../../kit/form-dialog.tsx'
import { useRecordChange } from '../../kit/record-change.ts'
import { toast } from '../../kit/toast.tsx'
import { AssigneeField, assigneesOf, MoreAssignees } from './assignee-field.tsx'
import { PRIORITIES, type WorkOrder } from './order-status.ts'
import { useOrderTitle } from './order-title.ts'

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
  const titleOf = useOrderTitle()
  // as it was when the dialog opened: the page reads the order again
  const [shown] = useState(() => ({
    title: order ? titleOf(order) : '',
    description: order?.description ?? '',
    priority: order?.priority ?? 'medium',
    assigned_to: order?.assigned_to ?? '',
    assignee_ids: order?.assignee_ids ?? [],
    due_date: order?.due_date ? wallTime(order.due_date, timeZone) : '',
  }))
  const [change] = useRecordChange(order, ({ id }) =>
    unwrap(api.GET('/work-orders/{work_order_id}', { params: { path: { work_order_id: id } } })),
  )
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
      // a colleague may have changed the other fields since the dialog opened
      const isChanged = (name: string) =>
        name === 'assignee_ids'
          ? values.getAll(name).toSorted().join() !== shown.assignee_ids.toSorted().join()
          : text(name) !== shown[name as keyof typeof shown]
      const changed = Object.fromEntries(Object.entries(body).filter(([name]) => isChanged(name)))
      const path = { work_order_id: order.id }
      return change(changed, (body, header) =>
        unwrap(api.PATCH('/work-orders/{work_order_id}', { params: { path, header }, body })),
      )
    },
    onSuccess: async (saved: Schemas['WorkOrder']) => {
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
      draftKey={order?.id}
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
        maxLength={WORK_ORDER_CREATE_TITLE_MAX_LENGTH}
        defaultValue={shown.title}
        fault={fields.title}
      />
      <TextArea
        label={optional(t('work.description'))}
        name="description"
        maxLength={WORK_ORDER_CREATE_DESCRIPTION_MAX_LENGTH}
        defaultValue={shown.description}
        fault={fields.description}
      />
      <SelectField
        label={t('work.priority')}
        name="priority"
        defaultValue={shown.priority}
        options={PRIORITIES.toReversed().map((it) => [it, t(`work.priorities.${it}`)] as const)}
      />
      <AssigneeField label={optional(t('work.assignee'))} name="assigned_to" value={shown.assigned_to || null} />
      <MoreAssignees label={optional(t('work.alsoAssigned'))} values={shown.assignee_ids} />
      <TextField
        label={optional(t('work.dueDate'))}
        name="due_date"
        type="datetime-local"
        defaultValue={shown.due_date}
        fault={fields.due_date}
      />
    </FormDialog>
  )
}
