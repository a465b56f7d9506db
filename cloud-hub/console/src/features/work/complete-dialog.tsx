import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { useFaultText } from '../../app/fault-text.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog, DialogActions } from '../../kit/dialog.tsx'
import { TextArea } from '../../kit/field.tsx'
import { Notice } from '../../kit/notice.tsx'
import { toast } from '../../kit/toast.tsx'

/** Completes a work order, with what was done. */
export function CompleteDialog({ order, onClose }: { order: Schemas['WorkOrder']; onClose(): void }) {
  const t = useTranslations()
  const faultText = useFaultText()
  const client = useQueryClient()
  const params = { path: { work_order_id: order.id } }
  const complete = useMutation({
    mutationFn: (notes: string) => {
      const body = { status: 'completed' as const, completion_notes: notes || null }
      return unwrap(api.PATCH('/work-orders/{work_order_id}', { params, body }))
    },
    onSuccess: (changed) => {
      client.setQueryData(apiQuery('/work-orders/{work_order_id}', { params }).queryKey, changed)
      client.invalidateQueries({ queryKey: ['/work-orders'] })
      client.invalidateQueries({ queryKey: ['/work-orders/{work_order_id}/history'] })
      toast('healthy', t('work.nowIs', { title: changed.title, status: t('work.statuses.completed') }))
      onClose()
    },
  })
  return (
    <Dialog title={t('work.complete')} onClose={onClose} isBusy={complete.isPending}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          complete.mutate(String(new FormData(event.currentTarget).get('notes')).trim())
        }}
      >
        {complete.error ? <Notice tone="critical">{faultText(complete.error)}</Notice> : null}
        <TextArea label={`${t('work.completionNotes')} (${t('common.optional')})`} name="notes" maxLength={5_000} rows={4} />
        <DialogActions>
          <Button onPress={onClose}>{t('common.cancel')}</Button>
          <Button look="primary" type="submit" isPending={complete.isPending}>
            {t('work.complete')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
