import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { useMe } from '../../app/me.tsx'
import { buttonClass } from '../../kit/button.tsx'
import { Dialog, DialogActions } from '../../kit/dialog.tsx'
import { EventActions } from './event-actions.tsx'
import { EventFacts } from './event-facts.tsx'
import type { MaintenanceEvent } from './events.ts'
import { Conflicts } from './overlaps.tsx'

/** An event of the calendar, with what is done most often. */
export function EventSummary({
  event,
  conflicts,
  onClose,
}: {
  event: MaintenanceEvent
  conflicts: readonly MaintenanceEvent[]
  onClose(): void
}) {
  const t = useTranslations('maintenance')
  const { may } = useMe()
  return (
    <Dialog title={event.title} onClose={onClose}>
      <Conflicts others={conflicts} />
      <EventFacts event={event} />
      <DialogActions>
        <Link to="/maintenance/$eventId" params={{ eventId: event.id }} className={buttonClass()}>
          {t('openEvent')}
        </Link>
        {may('operator') ? <EventActions event={event} isShort /> : null}
      </DialogActions>
    </Dialog>
  )
}
