import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { apiQuery, type Schemas } from '../../api/client.ts'
import { useMe } from '../../app/me.tsx'
import { useFormat } from '../../i18n/format.tsx'
import { wallTime } from '../../i18n/wall-time.ts'
import { Button } from '../../kit/button.tsx'
import { Empty, Panel, Panels } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { useOrderTitle } from '../work/order-title.ts'

const OrderDialog = lazy(() => import('../work/order-dialog.tsx').then((it) => ({ default: it.OrderDialog })))
const EventDialog = lazy(() => import('../maintenance/event-dialog.tsx').then((it) => ({ default: it.EventDialog })))
const HOUR_MS = 3_600_000
/** Of a daily series all of the year ahead are planned. */
const MAX_EVENTS = 20

/** Work orders and maintenance of one machine. */
export function WorkPane({ machine }: { machine: Schemas['Machine'] }) {
  const t = useTranslations()
  const { may } = useMe()
  const format = useFormat()
  const titleOf = useOrderTitle()
  const [shown, setShown] = useState<'order' | 'event' | null>(null)
  const close = () => setShown(null)
  const orders = useQuery(apiQuery('/work-orders', { params: { query: { machine_id: machine.id, page_size: 50 } } }))
  const events = useQuery(
    apiQuery('/maintenance', { params: { query: { machine_id: machine.id, status: 'scheduled', page_size: MAX_EVENTS + 1 } } }),
  )
  return (
    <Panels className="grid items-start gap-4 lg:grid-cols-2">
      <Panel
        title={t('nav.work')}
        actions={may('operator') ? <Button onPress={() => setShown('order')}>{t('work.add')}</Button> : null}
      >
        <Loaded query={orders} label={t('nav.work')}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty title={t('work.none')}>{t(may('operator') ? 'work.noneOfMachineText' : 'work.noneOther')}</Empty>
            ) : (
              <ul className="divide-y divide-line">
                {items.map((order) => (
                  <li key={order.id} className="flex items-center justify-between gap-3 px-4 py-2.5">
                    <span className="min-w-0">
                      <Link to="/work-orders/$workOrderId" params={{ workOrderId: order.id }} className="font-medium">
                        {titleOf(order)}
                      </Link>
                      <span className="block text-sm text-soft">
                        {order.due_date
                          ? t('work.due', { at: format.dateTime(order.due_date) })
                          : t('work.createdAt', { at: format.date(order.created_at) })}
                      </span>
                    </span>
                    <span className="text-sm whitespace-nowrap">{t(`work.statuses.${order.status}`)}</span>
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </Panel>
      <Panel
        title={t('work.maintenance')}
        actions={may('operator') ? <Button onPress={() => setShown('event')}>{t('maintenance.plan')}</Button> : null}
      >
        <Loaded query={events} label={t('work.maintenance')}>
          {(planned) =>
            planned.length === 0 ? (
              <Empty title={t('work.noMaintenance')}>
                {t(may('operator') ? 'work.noMaintenanceText' : 'maintenance.noneOther')}
              </Empty>
            ) : (
              <>
                <ul className="divide-y divide-line">
                  {planned.slice(0, MAX_EVENTS).map((event) => (
                    <li key={event.id} className="px-4 py-2.5">
                      <Link to="/maintenance/$eventId" params={{ eventId: event.id }} className="font-medium">
                        {event.title}
                      </Link>
                      <p className="text-sm text-soft">
                        {format.dateTime(event.scheduled_start)} – {format.dateTime(event.scheduled_end)}
                      </p>
                    </li>
                  ))}
                </ul>
                {planned.length > MAX_EVENTS ? (
                  <Link to="/maintenance" search={{ machine: machine.id }} className="block px-4 py-2.5 text-sm">
                    {t('work.moreInCalendar')}
                  </Link>
                ) : null}
              </>
            )
          }
        </Loaded>
      </Panel>
      <Suspense>
        {shown === 'order' ? <OrderDialog machineId={machine.id} onClose={close} /> : null}
        {shown === 'event' ? (
          <EventDialog
            machineId={machine.id}
            startsAt={wallTime(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS, format.timeZone)}
            onClose={close}
          />
        ) : null}
      </Suspense>
    </Panels>
  )
}
