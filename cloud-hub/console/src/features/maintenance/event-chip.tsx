import { Link } from '@tanstack/react-router'
import type { CSSProperties, DragEvent } from 'react'
import { useTranslations } from 'use-intl'
import { useFormat } from '../../i18n/format.tsx'
import { Icon } from '../../kit/icon.tsx'
import { Dot } from '../../kit/status.tsx'
import type { MaintenanceEvent } from './events.ts'

const LOOKS: Record<MaintenanceEvent['status'], string> = {
  scheduled: 'border-l-brand text-ink',
  in_progress: 'border-l-warning text-ink',
  completed: 'border-l-healthy text-soft',
  cancelled: 'border-l-line text-soft',
}

/** What views of the calendar do with an event. */
export interface EventHandlers {
  conflicts: ReadonlyMap<string, readonly MaintenanceEvent[]>
  /** whether the user may change events */
  mayChange: boolean
  onOpen(event: MaintenanceEvent): void
}

/** An event in the calendar: a link to its page, which a plain click shows in a dialog. */
export function EventChip({
  event,
  conflicts,
  onOpen,
  onDrag,
  isSticky = false,
  isClamped = false,
  className = '',
  style,
}: Omit<EventHandlers, 'mayChange'> & {
  event: MaintenanceEvent
  /** called when a drag begins, and with null when it ends; without it the event cannot be dragged */
  onDrag?: ((dragged: DragEvent<HTMLElement> | null) => void) | undefined
  /** the text stays in sight while a long event scrolls */
  isSticky?: boolean
  /** the text ends after two lines */
  isClamped?: boolean
  className?: string
  style?: CSSProperties
}) {
  const t = useTranslations('maintenance')
  const format = useFormat()
  const machine = event.machine_name
  const hasConflict = conflicts.has(event.id)
  return (
    <Link
      to="/maintenance/$eventId"
      params={{ eventId: event.id }}
      draggable={onDrag !== undefined}
      onDragStart={(drag) => {
        drag.dataTransfer.effectAllowed = 'move'
        drag.dataTransfer.setData('text/plain', event.title)
        onDrag?.(drag)
      }}
      onDragEnd={() => onDrag?.(null)}
      onClick={(click) => {
        if (click.metaKey || click.ctrlKey || click.shiftKey) return
        click.preventDefault()
        onOpen(event)
      }}
      title={`${event.title}${machine ? ` · ${machine}` : ''}`}
      className={`relative block overflow-clip rounded border border-l-4 border-line bg-raised px-1.5 text-left text-sm no-underline hover:border-control ${onDrag ? 'cursor-grab' : ''} ${LOOKS[event.status]} ${className}`}
      style={style}
    >
      <span
        className={
          isSticky
            ? 'sticky top-9 block wrap-break-word hyphens-auto'
            : isClamped
              ? 'line-clamp-2 wrap-break-word hyphens-auto'
              : ''
        }
      >
        <span className="tabular whitespace-nowrap text-soft">{format.time(event.scheduled_start)}</span>{' '}
        {hasConflict ? <Dot tone="warning" className="mr-1 inline size-3" /> : null}
        {event.status === 'completed' ? <Icon name="check" className="mr-0.5 inline size-3.5" /> : null}
        <span className={event.status === 'cancelled' ? 'line-through' : 'font-medium'}>{event.title}</span>
        {machine ? <span className="text-soft"> · {machine}</span> : null}
        <span className="sr-only">
          {' '}
          {t(`statuses.${event.status}`)}
          {hasConflict ? `. ${t('hasConflict')}` : ''}
        </span>
      </span>
    </Link>
  )
}
