import { useTranslations } from 'use-intl'
import { useFormat } from '../../i18n/format.tsx'
import { Notice } from '../../kit/notice.tsx'
import { type Interval, isOpen, type MaintenanceEvent } from './events.ts'
import { useEvents } from './use-events.ts'

/** Says which other maintenance of the machine is planned for the chosen time. */
export function Overlaps({ machineId, times, exceptId }: { machineId: string; times: Interval; exceptId?: string | undefined }) {
  const { events = [] } = useEvents(times, { machine: machineId })
  return <Conflicts others={events.filter((event) => isOpen(event) && event.id !== exceptId)} />
}

export function Conflicts({ others }: { others: readonly MaintenanceEvent[] }) {
  const t = useTranslations('maintenance')
  const format = useFormat()
  if (others.length === 0) return null
  return (
    <Notice tone="warning">
      <p>{t('conflicts')}</p>
      <ul>
        {others.map((event) => (
          <li key={event.id}>
            <span className="font-medium">{event.title}</span>, {format.dateTime(event.scheduled_start)} –{' '}
            {format.dateTime(event.scheduled_end)}
          </li>
        ))}
      </ul>
    </Notice>
  )
}
