import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, type RefObject, Suspense, useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { apiQuery } from '../../api/client.ts'
import { useMe } from '../../app/me.tsx'
import { keepWithin } from '../../app/site.ts'
import { useFormat } from '../../i18n/format.tsx'
import { SelectField } from '../../kit/field.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Status } from '../../kit/status.tsx'
import {
  isOverdue,
  nextStatuses,
  type OrderStatus,
  PRIORITY_TONES,
  STATUSES,
  useChangeStatus,
  type WorkOrder,
} from './order-status.ts'
import { useOrderTitle } from './order-title.ts'

const CompleteDialog = lazy(() => import('./complete-dialog.tsx').then((it) => ({ default: it.CompleteDialog })))

/** Finished work is only of interest while it is new. */
const SHOWN: Record<OrderStatus, number> = { open: 100, in_progress: 100, completed: 20, cancelled: 20 }

export interface BoardFilter {
  search?: string | undefined
  priority?: WorkOrder['priority'][] | undefined
  assigned_to?: string | undefined
  overdue?: boolean | undefined
  machine_id?: string | undefined
  group_id?: string | undefined
}

/** Work orders in a column for each status; a card is dragged to another column, or changed by its list. */
export function Board({ filter }: { filter: BoardFilter }) {
  const t = useTranslations('work')
  const { may } = useMe()
  const change = useChangeStatus()
  const [dragged, setDragged] = useState<WorkOrder | null>(null)
  const [completing, setCompleting] = useState<WorkOrder | null>(null)
  const moved = useRef<string | null>(null)
  // a completion has notes
  const onChange = (order: WorkOrder, to: OrderStatus) => {
    moved.current = order.id
    if (to === 'completed') setCompleting(order)
    else change.mutate({ order, to })
  }
  return (
    <>
      <div className="relative -mx-4 flex snap-x snap-mandatory scroll-px-4 gap-3 overflow-x-auto px-4 pb-2 lg:mx-0 lg:grid lg:grid-cols-4 lg:px-0">
        {STATUSES.map((status) => (
          <Column
            key={status}
            {...{ status, filter, dragged, moved, onChange }}
            onDrag={may('operator') ? setDragged : undefined}
          />
        ))}
      </div>
      {may('operator') ? <p className="mt-1 text-sm text-soft max-lg:hidden">{t('boardHint')}</p> : null}
      <Suspense>{completing ? <CompleteDialog order={completing} onClose={() => setCompleting(null)} /> : null}</Suspense>
    </>
  )
}

interface CardProps {
  /** the order that was changed last: its card appears in another column */
  moved: RefObject<string | null>
  onChange(order: WorkOrder, to: OrderStatus): void
  /** undefined: the user may not change orders */
  onDrag: ((order: WorkOrder | null) => void) | undefined
}

function Column({
  status,
  filter,
  dragged,
  ...card
}: CardProps & { status: OrderStatus; filter: BoardFilter; dragged: WorkOrder | null }) {
  const t = useTranslations('work')
  const [isOver, setOver] = useState(false)
  const isFinished = status === 'completed' || status === 'cancelled'
  const query = {
    ...filter,
    status: [status],
    page_size: SHOWN[status],
    sort_by: isFinished ? ('updated_at' as const) : ('priority' as const),
    sort_dir: 'desc' as const,
  }
  const list = useQuery({ ...apiQuery('/work-orders', { params: { query } }), placeholderData: keepWithin(filter.group_id) })
  const { data } = list
  const accepts = dragged !== null && nextStatuses(dragged).includes(status)
  const more = (data?.total ?? 0) - (data?.items.length ?? 0)
  return (
    <section
      aria-label={t(`statuses.${status}`)}
      className={`flex w-[82vw] shrink-0 snap-start flex-col rounded-xl border p-2 sm:w-80 lg:w-auto ${accepts ? 'border-dashed border-brand' : 'border-line'} ${isOver && accepts ? 'bg-raised' : ''}`}
      onDragOver={(drag) => {
        if (!accepts) return
        drag.preventDefault()
        setOver(true)
      }}
      onDragLeave={(drag) => {
        if (!drag.currentTarget.contains(drag.relatedTarget as Node | null)) setOver(false)
      }}
      onDrop={(drag) => {
        drag.preventDefault()
        setOver(false)
        if (dragged && accepts) card.onChange(dragged, status)
      }}
    >
      <h2 className="flex justify-between gap-2 px-1.5 pt-0.5 pb-2">
        {t(`statuses.${status}`)} <span className="tabular font-normal text-soft">{data?.total ?? ''}</span>
      </h2>
      <Loaded query={list} label={t(`statuses.${status}`)} rows={3}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="px-1.5 pb-3 text-sm text-soft">{t('none')}</p>
          ) : (
            <ul className="flex flex-col gap-2">
              {items.map((order) => (
                <Card key={order.id} order={order} {...card} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {more > 0 ? (
        <Link
          from="/work-orders"
          to="/work-orders"
          search={(known) => ({ ...known, view: undefined, status })}
          className="p-1.5 text-sm font-medium"
        >
          {t('moreOrders', { count: more })}
        </Link>
      ) : null}
    </section>
  )
}

function Card({ order, moved, onChange, onDrag }: CardProps & { order: WorkOrder }) {
  const title = useOrderTitle()(order)
  const t = useTranslations('work')
  const format = useFormat()
  const next = nextStatuses(order)
  const canMove = onDrag !== undefined && next.length > 0
  const late = isOverdue(order)
  const list = useRef<HTMLSelectElement>(null)
  // the focus goes with the card, unless it is on something else by now
  useEffect(() => {
    const { activeElement: active } = document
    const isFree = active === document.body || (active instanceof HTMLElement && active.dataset.order === order.id)
    if (moved.current === order.id && isFree) list.current?.focus()
  }, [moved, order.id])
  return (
    <li
      className={`card flex flex-col gap-1 p-3 ${canMove ? 'cursor-grab' : ''}`}
      draggable={canMove}
      onDragStart={(drag) => {
        drag.dataTransfer.effectAllowed = 'move'
        drag.dataTransfer.setData('text/plain', title)
        onDrag?.(order)
      }}
      onDragEnd={() => onDrag?.(null)}
    >
      <Link
        to="/work-orders/$workOrderId"
        params={{ workOrderId: order.id }}
        draggable={false}
        className="font-medium text-ink no-underline hover:underline"
      >
        {title}
      </Link>
      <p className="flex flex-wrap gap-x-3 text-sm text-soft">
        <Status tone={PRIORITY_TONES[order.priority]}>{t(`priorities.${order.priority}`)}</Status>
        {order.machine_name}
      </p>
      {order.due_date ? (
        <p className={`text-sm ${late ? 'font-medium text-critical' : 'text-soft'}`}>
          {t(late ? 'wasDue' : 'due', { at: format.dateTime(order.due_date) })}
        </p>
      ) : null}
      {canMove ? (
        <SelectField
          label={t('statusOf', { title })}
          isLabelHidden
          className="mt-1"
          ref={list}
          data-order={order.id}
          actsAtOnce
          value={order.status}
          onChange={({ target }) => onChange(order, target.value as OrderStatus)}
          options={[order.status, ...next].map((it) => [it, t(`statuses.${it}`)] as const)}
        />
      ) : order.signoff_count > 0 ? (
        <p className="text-sm text-soft">{t('signed')}</p>
      ) : null}
    </li>
  )
}
