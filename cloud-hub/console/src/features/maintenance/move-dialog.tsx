import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { useFormat } from '../../i18n/format.tsx'
import { instantOf, wallTime } from '../../i18n/wall-time.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog, DialogActions, LeaveButton } from '../../kit/dialog.tsx'
import { TextField } from '../../kit/field.tsx'
import { Notice } from '../../kit/notice.tsx'
import { type Interval, intervalOf, type MaintenanceEvent } from './events.ts'
import { Overlaps } from './overlaps.tsx'
import { useMoveEvent } from './use-events.ts'

/** Moves an event without changing how long it lasts: the way by keyboard, and for a series. */
export function MoveDialog({
  event,
  to = intervalOf(event),
  onClose,
}: {
  event: MaintenanceEvent
  /** where it was dropped */
  to?: Interval
  onClose(): void
}) {
  const t = useTranslations()
  const { timeZone } = useFormat()
  const move = useMoveEvent()
  const [start, setStart] = useState(wallTime(to.from, timeZone))
  const { from, to: end } = intervalOf(event)
  const newStart = start ? instantOf(start, timeZone) : null
  const times = newStart ? { from: newStart, to: new Date(newStart.getTime() + end.getTime() - from.getTime()) } : null
  return (
    <Dialog title={t('maintenance.moveTitle', { title: event.title })} draftKey={event.id} onClose={onClose}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(submit) => {
          submit.preventDefault()
          if (!times) return
          move.mutate({ event, to: times })
          onClose()
        }}
      >
        <TextField
          label={t('maintenance.begins')}
          type="datetime-local"
          required
          value={start}
          onChange={({ target }) => setStart(target.value)}
        />
        {event.recurrence_rule ? <Notice tone="info">{t('maintenance.movesSeries')}</Notice> : null}
        {times ? <Overlaps machineId={event.machine_id} times={times} exceptId={event.id} /> : null}
        <DialogActions>
          <LeaveButton onPress={onClose}>{t('common.cancel')}</LeaveButton>
          <Button look="primary" type="submit">
            {t('maintenance.move')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
