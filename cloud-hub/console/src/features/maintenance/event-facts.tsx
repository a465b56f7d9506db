import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { apiQuery } from '../../api/client.ts'
import { useFormat } from '../../i18n/format.tsx'
import { AssigneeName } from '../work/assignee-field.tsx'
import type { MaintenanceEvent } from './events.ts'

/** When, where and how often. */
export function EventFacts({ event }: { event: MaintenanceEvent }) {
  const t = useTranslations('maintenance')
  const work = useTranslations('work')
  const format = useFormat()
  const { data: checklists } = useQuery({ ...apiQuery('/checklists'), enabled: event.checklist_id !== null })
  const checklist = checklists?.find(({ id }) => id === event.checklist_id)
  const facts: [string, ReactNode][] = [
    [
      t('machine'),
      <Link key="machine" to="/machines/$machineId" params={{ machineId: event.machine_id }}>
        {event.machine_name}
      </Link>,
    ],
    [t('status'), t(`statuses.${event.status}`)],
    [t('begins'), format.dateTime(event.scheduled_start)],
    [t('ends'), format.dateTime(event.scheduled_end)],
    [work('assignee'), <AssigneeName key="assignee" id={event.assigned_to} />],
  ]
  if (checklist) facts.push([t('checklistName'), checklist.name])
  if (event.recurrence_rule) facts.push([t('repeats'), t(`rules.${event.recurrence_rule}`)])
  if (event.parent_event_id)
    facts.push([
      t('repeats'),
      <Link key="series" to="/maintenance/$eventId" params={{ eventId: event.parent_event_id }}>
        {t('firstOfSeries')}
      </Link>,
    ])
  if (event.linked_alert_id)
    facts.push([
      t('alert'),
      <Link key="alert" to="/alerts/$alertId" params={{ alertId: event.linked_alert_id }}>
        {t('openAlert')}
      </Link>,
    ])
  return (
    <>
      {event.description ? <p className="whitespace-pre-wrap">{event.description}</p> : null}
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1.5">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-soft">{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}
