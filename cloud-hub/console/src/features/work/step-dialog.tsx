import { useMutation, useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import {
  INSTRUCTION_PATCH_BODY_MAX_LENGTH,
  INSTRUCTION_PATCH_STEP_ORDER_MIN,
  INSTRUCTION_PATCH_TITLE_MAX_LENGTH,
} from '../../api/limits.ts'
import { useFieldFaults } from '../../i18n/fault-text.ts'
import { SelectField, TextArea, TextField } from '../../kit/field.tsx'
import { FormDialog } from '../../kit/form-dialog.tsx'
import { formText } from '../../kit/form-text.ts'
import { useRecordChange } from '../../kit/record-change.ts'

/** Changes a step of a work order: what is done and how, its place, and a drawing or photo of the order that belongs to it. */
export function StepDialog({ step, onClose }: { step: Schemas['Instruction']; onClose(): void }) {
  const t = useTranslations('work')
  const common = useTranslations('common')
  const optional = (label: string) => `${label} (${common('optional')})`
  const params = { path: { work_order_id: step.work_order_id, instruction_id: step.id } }
  const attachments = useQuery(
    apiQuery('/attachments/work-order/{work_order_id}', { params: { path: { work_order_id: step.work_order_id } } }),
  )
  const [change] = useRecordChange(step, async ({ id }) => {
    const { items } = await unwrap(api.GET('/work-orders/{work_order_id}/instructions', { params }))
    return items.find((it) => it.id === id)
  })
  const save = useMutation({
    mutationFn: (given: Schemas['InstructionPatch']) =>
      change(given, (body, header) =>
        unwrap(api.PATCH('/work-orders/{work_order_id}/instructions/{instruction_id}', { params: { ...params, header }, body })),
      ),
    onSuccess: onClose,
  })
  const fields = useFieldFaults(save.error)
  return (
    <FormDialog
      title={t('editStep')}
      draftKey={step.id}
      saving={save}
      submit={common('save')}
      onSubmit={(form) => {
        const text = formText(form)
        save.mutate({
          title: text('title'),
          body: text('body') || null,
          step_order: Number(text('step_order')),
          // the field is absent until the files are loaded
          ...(attachments.data ? { attachment_id: text('attachment_id') || null } : {}),
        })
      }}
      onClose={onClose}
    >
      <TextField
        label={t('stepTitle')}
        name="title"
        required
        maxLength={INSTRUCTION_PATCH_TITLE_MAX_LENGTH}
        defaultValue={step.title}
        fault={fields.title}
      />
      <TextArea
        label={optional(t('stepBody'))}
        name="body"
        maxLength={INSTRUCTION_PATCH_BODY_MAX_LENGTH}
        defaultValue={step.body ?? ''}
        fault={fields.body}
      />
      <TextField
        label={t('stepOrder')}
        hint={t('stepOrderHint')}
        name="step_order"
        type="number"
        min={INSTRUCTION_PATCH_STEP_ORDER_MIN}
        required
        defaultValue={step.step_order}
        fault={fields.step_order}
      />
      {attachments.data ? (
        <SelectField
          label={optional(t('stepAttachment'))}
          hint={attachments.data.length === 0 ? t('stepAttachmentHint') : undefined}
          name="attachment_id"
          defaultValue={step.attachment_id ?? ''}
          fault={fields.attachment_id}
          options={[['', common('none')], ...attachments.data.map((it) => [it.id, it.filename] as const)]}
        />
      ) : null}
    </FormDialog>
  )
}
