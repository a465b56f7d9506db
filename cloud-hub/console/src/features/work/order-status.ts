import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api, type Schemas, unwrap } from '../../api/client.ts'
import { WORK_ORDER_PRIORITY, WORK_ORDER_STATUS } from '../../api/enums.ts'
import { useMe } from '../../app/me.tsx'
import { useFaultText } from '../../i18n/fault-text.ts'
import type { Tone } from '../../kit/status.tsx'
import { toast } from '../../kit/toast.tsx'
import { useOrderTitle } from './order-title.ts'

export type WorkOrder = Schemas['WorkOrder']
export type OrderStatus = WorkOrder['status']

export const STATUSES = WORK_ORDER_STATUS
export const PRIORITIES = WORK_ORDER_PRIORITY.toReversed()
export const PRIORITY_TONES: Record<WorkOrder['priority'], Tone> = {
  critical: 'critical',
  high: 'warning',
  medium: 'info',
  low: 'offline',
}

const NEXT: Record<OrderStatus, readonly OrderStatus[]> = {
  open: ['in_progress', 'completed', 'cancelled'],
  in_progress: ['open', 'completed', 'cancelled'],
  completed: ['in_progress'],
  cancelled: ['open'],
}

/** The statuses that the hub accepts next. A signed order stays as it is. Source: the field `status` of the API document */
export const nextStatuses = ({ status, signoff_count }: WorkOrder): readonly OrderStatus[] =>
  signoff_count > 0 ? [] : NEXT[status]

export const isOverdue = ({ status, due_date }: WorkOrder): boolean =>
  (status === 'open' || status === 'in_progress') && due_date !== null && Date.parse(due_date) < Date.now()

type OrderList = Schemas['WorkOrderList']
interface ListQuery {
  query?: { status?: readonly OrderStatus[] }
}

/** The list with the order as it is now: in it, out of it, or changed inside. */
function withOrder(list: OrderList, { query }: ListQuery, order: WorkOrder): OrderList {
  const isWanted = !query?.status || query.status.includes(order.status)
  const isListed = list.items.some(({ id }) => id === order.id)
  if (isListed && isWanted) return { ...list, items: list.items.map((it) => (it.id === order.id ? order : it)) }
  if (isListed) return { ...list, total: list.total - 1, items: list.items.filter(({ id }) => id !== order.id) }
  // only a list of one status is sure to want it: others may have filters that leave it out
  if (isWanted && query?.status?.length === 1) return { ...list, total: list.total + 1, items: [order, ...list.items] }
  return list
}

/** Beginning an unassigned order assigns it to the person who begins it. */
const isBegunByNobody = (order: WorkOrder, to: OrderStatus): boolean =>
  order.status === 'open' && to === 'in_progress' && order.assigned_to === null && order.assignee_ids.length === 0

/** Changes the status at once in every list, and back when the hub refuses. */
export function useChangeStatus() {
  const titleOf = useOrderTitle()
  const t = useTranslations()
  const faultText = useFaultText()
  const client = useQueryClient()
  const { user } = useMe()
  const change = useMutation({
    mutationFn: ({ order, to }: { order: WorkOrder; to: OrderStatus; isUndo?: boolean }) =>
      unwrap(
        api.PATCH('/work-orders/{work_order_id}', {
          params: { path: { work_order_id: order.id } },
          body: { status: to, ...(isBegunByNobody(order, to) ? { assigned_to: user.id } : {}) },
        }),
      ),
    onMutate: async ({ order, to }) => {
      await client.cancelQueries({ queryKey: ['/work-orders'] })
      const before = client.getQueriesData<OrderList>({ queryKey: ['/work-orders'] })
      for (const [key, list] of before)
        if (list) client.setQueryData(key, withOrder(list, key[1] as ListQuery, { ...order, status: to }))
      return before
    },
    onSuccess: (changed, { order, isUndo }) => {
      const undo = { text: t('common.undo'), run: () => change.mutate({ order: changed, to: order.status, isUndo: true }) }
      const canUndo = !isUndo && nextStatuses(changed).includes(order.status)
      const text = t('work.nowIs', { title: titleOf(changed), status: t(`work.statuses.${changed.status}`) })
      toast('healthy', text, canUndo ? undo : undefined)
    },
    onError: (error, _, before) => {
      for (const [key, list] of before ?? []) client.setQueryData(key, list)
      toast('critical', faultText(error))
    },
  })
  return change
}
