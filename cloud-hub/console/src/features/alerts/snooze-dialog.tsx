import { useTranslations } from 'use-intl'
import { useFormat } from '../../i18n/format.tsx'
import { instantOf, wallTime } from '../../i18n/wall-time.ts'
import { TextField } from '../../kit/field.tsx'
import { FormDialog } from '../../kit/form-dialog.tsx'

const DAY_MS = 86_400_000
/** The hub accepts no longer snooze. */
const DAYS_MAX = 30

/** Asks until when an alert is snoozed. */
export function SnoozeDialog({ onChoose, onClose }: { onChoose(until: string): void; onClose(): void }) {
  const t = useTranslations('alerts')
  const { timeZone } = useFormat()
  const inDays = (days: number) => wallTime(Date.now() + days * DAY_MS, timeZone)
  return (
    <FormDialog
      title={t('snooze')}
      saving={{ error: null, isPending: false }}
      submit={t('snoozeSubmit')}
      onSubmit={(form) => {
        onChoose(instantOf(String(new FormData(form).get('until')), timeZone).toISOString())
        onClose()
      }}
      onClose={onClose}
    >
      <TextField
        label={t('snoozeUntil')}
        hint={t('snoozeUntilHint')}
        name="until"
        type="datetime-local"
        required
        min={inDays(0)}
        max={inDays(DAYS_MAX)}
        defaultValue={inDays(3)}
      />
    </FormDialog>
  )
}
