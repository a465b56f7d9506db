import type { TenantScope } from '../../../db/scope.ts'
import { versionedBy } from '../../../support/http/record-version.ts'
import { routeFor } from '../../../support/http/route.ts'
import { Paging } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'
import {
  addComment,
  CommentBody,
  CommentCreate,
  CommentList,
  listComments,
  presentComment,
  presentFacts,
} from '../../alerting/alerts/index.ts'
import { changeOrder, deleteOrder } from './change-order.ts'
import { createOrder } from './create-order.ts'
import { findOrder, type HistoryRow, listHistory, listOrders, lockOrder, type OrderRow } from './repository.ts'
import { History, OrderBody, OrderCreate, OrderList, OrderParams, OrderPatch, OrderQuery } from './schemas.ts'

const iso = (at: Date | null) => at?.toISOString() ?? null

const withVersion = versionedBy(OrderPatch)
/** As the API shows it. */
export const presentOrder = (row: OrderRow) =>
  withVersion({
    id: row.id,
    machine_id: row.machineId,
    machine_name: row.machineName,
    alert_id: row.alertId,
    maintenance_event_id: row.maintenanceEventId,
    title: row.title,
    title_facts: row.titleFacts && presentFacts(row.titleFacts),
    description: row.description,
    status: row.status,
    priority: row.priority,
    assigned_to: row.assignedTo,
    assignee_ids: row.assigneeIds,
    due_date: iso(row.dueDate),
    completed_at: iso(row.completedAt),
    completion_notes: row.completionNotes,
    signoff_count: row.signoffCount,
    created_by: row.createdBy,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  })

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
    async ({ found }) => presentOrder(found),
    findWorkOrder,
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
      changes: {
        lock: (sql, scope, { work_order_id }) => lockOrder(sql, scope, work_order_id),
        current: async (scope, params) => presentOrder(await findWorkOrder(scope, params)),
      },
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
    findWorkOrder,
  ),
]

const WORK_ORDER = {
  name: 'work order',
  table: 'work_orders',
  comments: 'work_order_comments',
  column: 'work_order_id',
} as const
const comments = {
  path: '/work-orders/{work_order_id}/comments',
  access: 'any',
  tag,
  params: OrderParams,
} as const

export const commentRoutes = () => [
  route(
    {
      ...comments,
      method: 'get',
      operation: 'listWorkOrderComments',
      summary: 'Comments of a work order, oldest first',
      description: 'All comments of the work order in one response.',
      returns: CommentList,
    },
    async ({ scope, params }) => {
      const rows = await listComments(scope, WORK_ORDER, params.work_order_id)
      return { items: rows.map(presentComment), total: rows.length }
    },
    findWorkOrder,
  ),
  route(
    {
      ...comments,
      method: 'post',
      operation: 'createWorkOrderComment',
      summary: 'Comment on a work order',
      description:
        'Comments cannot be changed or deleted, and stay possible after the work order is signed. A work order has at most 1,000 of them.',
      body: CommentCreate,
      returns: CommentBody,
      creates: true,
      refuses: { 409: ['too_many_comments'] },
    },
    async ({ scope, params, body }) => presentComment(await addComment(scope, WORK_ORDER, params.work_order_id, body.body)),
    findWorkOrder,
  ),
]

const INSTANTS = new Set(['due_date', 'completed_at'])
const instant = (value: unknown) => (typeof value === 'string' ? new Date(value).toISOString() : value)

const presentEntry = ({ event, at, actor, subjectId, subjectName, changes }: HistoryRow) => ({
  event,
  at: at.toISOString(),
  actor,
  subject: subjectId === null ? null : { id: subjectId, name: subjectName },
  changes:
    changes &&
    Object.fromEntries(
      Object.entries(changes).map(([field, { from, to }]) => [
        field,
        INSTANTS.has(field) ? { from: instant(from), to: instant(to) } : { from, to },
      ]),
    ),
})

export const historyRoutes = () => [
  route(
    {
      method: 'get',
      path: '/work-orders/{work_order_id}/history',
      operation: 'listWorkOrderHistory',
      access: 'any',
      tag,
      summary: 'What became of a work order, oldest first',
      description:
        'Every change of the work order, its assignees, instructions and attachments, and every sign-off, with who made it. The first entry is `created`.',
      params: OrderParams,
      query: z.object(Paging),
      returns: History,
    },
    async ({ scope, params, query: { page, page_size } }) => {
      const { rows, total } = await listHistory(scope, params.work_order_id, { page, pageSize: page_size })
      return { items: rows.map(presentEntry), total }
    },
    findWorkOrder,
  ),
]
