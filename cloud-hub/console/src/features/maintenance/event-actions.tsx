import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, unwrap } from '../../api/client.ts'
import { useFaultText } from '../../i18n/fault-text.ts'
import { Button } from '../../kit/button.tsx'
import { type Action, MoreActions } from '../../kit/more-actions.tsx'
import { toast } from '../../kit/toast.tsx'
import { isMovable, isOpen, type MaintenanceEvent } from './events.ts'

const ConfirmDialog = lazy(() => import('../../kit/confirm-dialog.tsx').then((it) => ({ default: it.ConfirmDialog })))
const EventDialog = lazy(() => import('./event-dialog.tsx').then((it) => ({ default: it.EventDialog })))
const MoveDialog = lazy(() => import('./move-dialog.tsx').then((it) => ({ default: it.MoveDialog })))

/** What an operator does with an event. Source: the transitions of maintenance in the interface specification. */
export function EventActions({
  event,
  isShort = false,
}: {
  event: MaintenanceEvent
  /** leaves out what is done seldom */
  isShort?: boolean
}) {
  const t = useTranslations('maintenance')
  const common = useTranslations('common')
  const faultText = useFaultText()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [shown, setShown] = useState<'edit' | 'move' | 'cancel' | 'endSeries' | 'delete' | null>(null)
  const close = () => setShown(null)
  const params = { path: { event_id: event.id } }
  const key = apiQuery('/maintenance/{event_id}', { params }).queryKey
  const setStatus = (status: MaintenanceEvent['status']) =>
    unwrap(api.PUT('/maintenance/{event_id}', { params, body: { status } }))
  const change = useMutation({
    mutationFn: async (status: 'in_progress' | 'completed') => {
      // only what has begun can be completed
      if (status === 'completed' && event.status === 'scheduled') await setStatus('in_progress')
      return setStatus(status)
    },
    onSuccess: (changed) => toast('healthy', t(changed.status === 'completed' ? 'completed' : 'started')),
    onError: (error) => toast('critical', faultText(error)),
  })
  const order = useMutation({
    mutationFn: () => unwrap(api.POST('/maintenance/{event_id}/work-order', { params })),
    onSuccess: ({ id }) => navigate({ to: '/work-orders/$workOrderId', params: { workOrderId: id } }),
    onError: (error) => toast('critical', faultText(error)),
  })
  const isSeries = event.recurrence_rule !== null
  const confirmed = {
    cancel: { run: () => setStatus('cancelled'), text: t(isSeries ? 'cancelSeriesText' : 'cancelText') },
    endSeries: {
      run: () => unwrap(api.PUT('/maintenance/{event_id}', { params, body: { recurrence_rule: null } })),
      text: t('endSeriesText'),
    },
    delete: {
      run: () => unwrap(api.DELETE('/maintenance/{event_id}', { params })),
      text: t(isSeries ? 'deleteSeriesText' : 'deleteText'),
    },
  } as const
  const asked = shown === 'cancel' || shown === 'endSeries' || shown === 'delete' ? shown : null
  const onDone = async () => {
    if (asked === 'delete') {
      await navigate({ to: '/maintenance' })
      client.removeQueries({ queryKey: key })
    }
    if (asked) toast('healthy', t(`done.${asked}`))
  }
  const others: (Action | false)[] = [
    !isShort && isOpen(event) && { text: t('makeWorkOrder'), isPending: order.isPending, onPress: () => order.mutate() },
    isOpen(event) && { text: common('edit'), onPress: () => setShown('edit') },
    isMovable(event) && { text: t('move'), onPress: () => setShown('move') },
    !isShort && isSeries && { text: t('endSeries'), onPress: () => setShown('endSeries') },
    isOpen(event) && { text: t('change.cancelled'), onPress: () => setShown('cancel') },
    !isShort && { text: common('delete'), look: 'danger', onPress: () => setShown('delete') },
  ]
  return (
    <>
      <MoreActions actions={others.filter((it) => it !== false)} />
      {isOpen(event) ? (
        <Button
          look={event.status === 'in_progress' ? 'primary' : 'plain'}
          isPending={change.isPending}
          onPress={() => change.mutate('completed')}
        >
          {t('change.completed')}
        </Button>
      ) : null}
      {event.status === 'scheduled' ? (
        <Button look="primary" isPending={change.isPending} onPress={() => change.mutate('in_progress')}>
          {t('change.in_progress')}
        </Button>
      ) : null}
      <Suspense>
        {shown === 'edit' ? <EventDialog event={event} onClose={close} /> : null}
        {shown === 'move' ? <MoveDialog event={event} onClose={close} /> : null}
        {asked ? (
          <ConfirmDialog
            title={t(`confirm.${asked}`, { title: event.title })}
            text={confirmed[asked].text}
            confirm={t(`confirmButton.${asked}`)}
            run={confirmed[asked].run}
            onDone={onDone}
            onClose={close}
          />
        ) : null}
      </Suspense>
    </>
  )
}
