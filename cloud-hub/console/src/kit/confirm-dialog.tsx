import { useMutation } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { useFaultText } from '../i18n/fault-text.ts'
import { Button } from './button.tsx'
import { Dialog, DialogActions, LeaveButton } from './dialog.tsx'
import { Notice } from './notice.tsx'

/** Asks before something that cannot be undone. */
export function ConfirmDialog({
  title,
  text,
  confirm,
  run,
  onDone,
  onClose,
}: {
  title: string
  text: string
  /** names what the button does, never just "OK" */
  confirm: string
  run(): Promise<unknown>
  onDone?(): unknown
  onClose(): void
}) {
  const t = useTranslations('common')
  const faultText = useFaultText()
  const action = useMutation({
    mutationFn: run,
    onSuccess: async () => {
      await onDone?.()
      onClose()
    },
  })
  return (
    <Dialog title={title} onClose={onClose} isBusy={action.isPending}>
      {action.error ? <Notice tone="critical">{faultText(action.error)}</Notice> : null}
      <p>{text}</p>
      <DialogActions>
        <LeaveButton onPress={onClose}>{t('cancel')}</LeaveButton>
        <Button look="danger" isPending={action.isPending} onPress={() => action.mutate()}>
          {confirm}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
