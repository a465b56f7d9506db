import type { TenantScope } from '../../../db/scope.ts'
import { routeFor } from '../../../support/http/route.ts'
import { changeOrder, deleteOrder } from './change-order.ts'
import { createOrder } from './create-order.ts'
import { presentOrder } from './present.ts'
import { findOrder, listOrders, type OrderRow } from './repository.ts'
import { OrderBody, OrderCreate, OrderList, OrderParams, OrderPatch, OrderQuery } from './schemas.ts'

const route = routeFor<TenantScope>()
const tag = 'Work orders'

/** The work order of a path. @throws NotFound */
export const findWorkOrder = (scope: TenantScope, { work_order_id }: { work_order_id: string }): Promise<OrderRow> =>
  scope.read((sql) => findOrder(sql, scope, work_order_id))

export const orderRoutes = () => [
  route(
    {
      method: 'post',
      path: '/work-orders',
      operation: 'createWorkOrder',
      access: 'operator',
      tag,
      summary: 'Create a work order',
      description:
        'The new work order is `open`. From an alert: name it as `alert_id`; the alert then shows its open work order. Assignees are notified by e-mail and web push.',
      body: OrderCreate,
      returns: OrderBody,
      creates: true,
      refuses: { 404: ['machine_not_found', 'alert_not_found', 'user_not_found'], 409: ['work_order_exists'] },
    },
    async ({ scope, body }) => presentOrder(await createOrder(scope, body)),
  ),
  route(
    {
      method: 'get',
      path: '/work-orders',
      operation: 'listWorkOrders',
      access: 'any',
      tag,
      summary: 'List work orders',
      description:
        'Pages of work orders, newest first unless `sort_by` says otherwise. Filters combine; one by an unknown id answers an empty list.',
      query: OrderQuery,
      queryLists: ['status', 'priority'],
      returns: OrderList,
    },
    async ({ scope, query }) => {
      const { items, total } = await scope.read((sql) => listOrders(sql, scope, query))
      return { items: items.map(presentOrder), total }
    },
  ),
  route(
    {
      method: 'get',
      path: '/work-orders/{work_order_id}',
      operation: 'getWorkOrder',
      access: 'any',
      tag,
      summary: 'One work order',
      description: 'In its present state; `GET /work-orders/{work_order_id}/history` shows how it came about.',
      params: OrderParams,
      returns: OrderBody,
    },
    async ({ scope, params }) => presentOrder(await findWorkOrder(scope, params)),
  ),
  route(
    {
      method: 'patch',
      path: '/work-orders/{work_order_id}',
      operation: 'updateWorkOrder',
      access: 'operator',
      tag,
      summary: 'Change a work order, or its status',
      description:
        '`completed_at` is set and cleared with the status. A work order may be completed with open instructions. With a sign-off every change answers 409, except one that changes nothing.',
      params: OrderParams,
      body: OrderPatch,
      returns: OrderBody,
      refuses: { 404: ['user_not_found'], 409: ['work_order_signed', 'transition_not_allowed', 'work_order_exists'] },
    },
    async ({ scope, params, body }) => presentOrder(await changeOrder(scope, params.work_order_id, body)),
    findWorkOrder,
  ),
  route(
    {
      method: 'delete',
      path: '/work-orders/{work_order_id}',
      operation: 'deleteWorkOrder',
      access: 'operator',
      tag,
      summary: 'Delete a work order',
      description: 'With its instructions, comments, attachments and history. A signed work order is not deleted.',
      params: OrderParams,
      returns: null,
      refuses: { 409: ['work_order_signed'] },
    },
    async ({ scope, params }) => {
      await deleteOrder(scope, params.work_order_id)
      return undefined
    },
  ),
]
