import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { useFaultText } from '../i18n/fault-text.ts'
import { Button } from './button.tsx'
import { Dialog, DialogActions, LeaveButton } from './dialog.tsx'
import { Notice } from './notice.tsx'

/** A dialog with a form. It stays open while its request is under way, and says why the hub refused it. */
export function FormDialog({
  title,
  draftKey,
  width,
  saving,
  error = saving.error,
  submit,
  isDisabled,
  actions,
  onSubmit,
  onClose,
  children,
}: {
  title: string
  /** the id of the record that is changed */
  draftKey?: string | undefined
  width?: string
  /** the mutation that sends the form */
  saving: { error: unknown; isPending: boolean }
  /** what is shown above the fields; the one of `saving` unless given */
  error?: unknown
  /** names what the button does; null: there is nothing to send */
  submit: string | null
  isDisabled?: boolean
  /** further buttons, before the one that closes */
  actions?: ReactNode
  onSubmit(form: HTMLFormElement): unknown
  onClose(): void
  children: ReactNode
}) {
  const t = useTranslations('common')
  const faultText = useFaultText()
  return (
    <Dialog title={title} draftKey={draftKey} width={width} onClose={onClose} isBusy={saving.isPending}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          onSubmit(event.currentTarget)
        }}
      >
        {error ? <Notice tone="critical">{faultText(error)}</Notice> : null}
        {children}
        <DialogActions>
          {actions}
          <LeaveButton onPress={onClose}>{t('cancel')}</LeaveButton>
          {submit === null ? null : (
            <Button look="primary" type="submit" isPending={saving.isPending} isDisabled={isDisabled}>
              {submit}
            </Button>
          )}
        </DialogActions>
      </form>
    </Dialog>
  )
}
