import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { apiQuery } from '../../api/client.ts'
import { useMe } from '../../app/me.tsx'
import { UnavailablePage } from '../../app/unavailable-page.tsx'
import { PageHead, Panel } from '../../kit/layout.tsx'
import { Failed } from '../../kit/loaded.tsx'
import { Attachments } from '../work/attachments.tsx'
import { EventActions } from './event-actions.tsx'
import { EventFacts } from './event-facts.tsx'
import { intervalOf, isOpen } from './events.ts'
import { Overlaps } from './overlaps.tsx'

const route = getRouteApi('/app/maintenance/$eventId')

/** One scheduled maintenance: links of mails and calendars lead here. */
export function MaintenancePage() {
  const t = useTranslations()
  const { may } = useMe()
  const { eventId } = route.useParams()
  const query = useQuery(apiQuery('/maintenance/{event_id}', { params: { path: { event_id: eventId } } }))
  const event = query.data
  if (!event) return <UnavailablePage query={query} />
  return (
    <>
      <Failed query={query} />
      <p className="no-print mb-1 text-sm">
        <Link to="/maintenance">{t('nav.maintenance')}</Link>
      </p>
      <PageHead title={event.title} lead={t(`maintenance.statuses.${event.status}`)}>
        {may('operator') ? <EventActions event={event} /> : null}
      </PageHead>
      <div className="flex flex-col gap-4">
        {isOpen(event) ? <Overlaps machineId={event.machine_id} times={intervalOf(event)} exceptId={event.id} /> : null}
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <Panel title={t('maintenance.facts')}>
            <div className="flex flex-col gap-4 p-4">
              <EventFacts event={event} />
            </div>
          </Panel>
          <Attachments of={{ event_id: event.id }} mayChange={may('operator')} />
        </div>
      </div>
    </>
  )
}
