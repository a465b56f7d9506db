import { useMutation } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api, type Schemas, unwrap } from '../../api/client.ts'
import { WORK_ORDER_PATCH_COMPLETION_NOTES_MAX_LENGTH } from '../../api/limits.ts'
import { TextArea } from '../../kit/field.tsx'
import { FormDialog } from '../../kit/form-dialog.tsx'
import { toast } from '../../kit/toast.tsx'
import { useOrderTitle } from './order-title.ts'

/** Completes a work order, with what was done. */
export function CompleteDialog({ order, onClose }: { order: Schemas['WorkOrder']; onClose(): void }) {
  const t = useTranslations()
  const titleOf = useOrderTitle()
  const params = { path: { work_order_id: order.id } }
  const complete = useMutation({
    mutationFn: (notes: string) => {
      const body = { status: 'completed' as const, completion_notes: notes || null }
      return unwrap(api.PATCH('/work-orders/{work_order_id}', { params, body }))
    },
    onSuccess: (changed) => {
      toast('healthy', t('work.nowIs', { title: titleOf(changed), status: t('work.statuses.completed') }))
      onClose()
    },
  })
  return (
    <FormDialog
      title={t('work.complete')}
      draftKey={order.id}
      saving={complete}
      submit={t('work.complete')}
      onSubmit={(form) => complete.mutate(String(new FormData(form).get('notes')).trim())}
      onClose={onClose}
    >
      <TextArea
        label={`${t('work.completionNotes')} (${t('common.optional')})`}
        name="notes"
        maxLength={WORK_ORDER_PATCH_COMPLETION_NOTES_MAX_LENGTH}
        rows={4}
      />
    </FormDialog>
  )
}
