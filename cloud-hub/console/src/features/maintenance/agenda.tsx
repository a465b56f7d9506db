import { useTranslations } from 'use-intl'
import { useFormat } from '../../i18n/format.tsx'
import { instantOf } from '../../i18n/wall-time.ts'
import { EventChip, type EventHandlers } from './event-chip.tsx'
import type { MaintenanceEvent } from './events.ts'

/** The days that have events, below each other: the calendar of a phone. */
export function Agenda({
  days,
  today,
  byDay,
  ...handlers
}: EventHandlers & { days: readonly string[]; today: string; byDay: ReadonlyMap<string, readonly MaintenanceEvent[]> }) {
  const t = useTranslations('maintenance')
  const format = useFormat()
  return (
    <ol className="flex flex-col gap-3">
      {days
        .filter((day) => (byDay.get(day) ?? []).length > 0)
        .map((day) => (
          <li key={day}>
            <h2 className={day === today ? 'text-brand' : ''}>
              {format.weekday(instantOf(`${day}T12:00`, format.timeZone))}
              {day === today ? ` · ${t('today')}` : ''}
            </h2>
            <ul className="mt-1 flex flex-col gap-1">
              {byDay.get(day)?.map((event) => (
                <li key={event.id}>
                  <EventChip {...handlers} event={event} className="bg-paper py-2.5" />
                </li>
              ))}
            </ul>
          </li>
        ))}
    </ol>
  )
}
