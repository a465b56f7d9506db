import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { useFaultText } from '../../app/fault-text.ts'
import { useMachineNames } from '../../app/machine-names.ts'
import { useMe } from '../../app/me.tsx'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { PageHead, Panel, SkeletonRows } from '../../kit/layout.tsx'
import { Notice } from '../../kit/notice.tsx'
import { toast } from '../../kit/toast.tsx'

const route = getRouteApi('/app/maintenance/$eventId')
/** Source: the transitions of maintenance in the interface specification. */
const NEXT: Record<Schemas['MaintenanceEvent']['status'], readonly ('in_progress' | 'completed' | 'cancelled')[]> = {
  scheduled: ['in_progress', 'cancelled'],
  in_progress: ['completed', 'cancelled'],
  completed: [],
  cancelled: [],
}

/** One scheduled maintenance: links of mails and calendars lead here. */
export function MaintenancePage() {
  const t = useTranslations()
  const format = useFormat()
  const faultText = useFaultText()
  const names = useMachineNames()
  const { may } = useMe()
  const { eventId } = route.useParams()
  const { data: event, error } = useQuery(apiQuery('/maintenance/{event_id}', { params: { path: { event_id: eventId } } }))
  if (error && !event) return <Notice tone="critical">{faultText(error)}</Notice>
  if (!event) return <SkeletonRows rows={6} label={t('common.loading')} />
  return (
    <>
      <PageHead title={event.title} lead={t(`maintenance.statuses.${event.status}`)}>
        {may('operator') ? <Actions event={event} /> : null}
      </PageHead>
      <Panel title={t('maintenance.facts')} className="max-w-3xl">
        {event.description ? <p className="px-4 pt-4 whitespace-pre-wrap">{event.description}</p> : null}
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1.5 p-4">
          <dt className="text-soft">{t('work.machine')}</dt>
          <dd>
            <Link to="/machines/$machineId" params={{ machineId: event.machine_id }}>
              {names.get(event.machine_id) ?? t('work.machine')}
            </Link>
          </dd>
          <dt className="text-soft">{t('maintenance.begins')}</dt>
          <dd>{format.dateTime(event.scheduled_start)}</dd>
          <dt className="text-soft">{t('maintenance.ends')}</dt>
          <dd>{format.dateTime(event.scheduled_end)}</dd>
          {event.recurrence_rule ? (
            <>
              <dt className="text-soft">{t('maintenance.repeats')}</dt>
              <dd>{t(`maintenance.rules.${event.recurrence_rule}`)}</dd>
            </>
          ) : null}
        </dl>
      </Panel>
    </>
  )
}

function Actions({ event }: { event: Schemas['MaintenanceEvent'] }) {
  const t = useTranslations('maintenance')
  const faultText = useFaultText()
  const client = useQueryClient()
  const navigate = useNavigate()
  const params = { path: { event_id: event.id } }
  const key = apiQuery('/maintenance/{event_id}', { params }).queryKey
  const change = useMutation({
    mutationFn: (status: Schemas['MaintenanceEvent']['status']) =>
      unwrap(api.PUT('/maintenance/{event_id}', { params, body: { status } })),
    onSuccess: (changed) => client.setQueryData(key, changed),
    onError: (error) => toast('critical', faultText(error)),
    onSettled: () => Promise.all([['/maintenance'], key].map((queryKey) => client.invalidateQueries({ queryKey }))),
  })
  const order = useMutation({
    mutationFn: () => unwrap(api.POST('/maintenance/{event_id}/work-order', { params })),
    onSuccess: ({ id }) => navigate({ to: '/work-orders/$workOrderId', params: { workOrderId: id } }),
    onError: (error) => toast('critical', faultText(error)),
  })
  return (
    <>
      {event.checklist_id ? (
        <Button isPending={order.isPending} onPress={() => order.mutate()}>
          {t('makeWorkOrder')}
        </Button>
      ) : null}
      {NEXT[event.status].map((status) => (
        <Button
          key={status}
          look={status === 'cancelled' ? 'plain' : 'primary'}
          isPending={change.isPending}
          onPress={() => change.mutate(status)}
        >
          {t(`change.${status}`)}
        </Button>
      ))}
    </>
  )
}
