import type { TenantScope } from '../../../db/scope.ts'
import { routeFor } from '../../../support/http/route.ts'
import { addComment, CommentBody, CommentCreate, CommentList, listComments, presentComment } from '../../alerting/alerts/index.ts'
import { findWorkOrder } from './routes.ts'
import { OrderParams } from './schemas.ts'

const route = routeFor<TenantScope>()
const WORK_ORDER = {
  name: 'work order',
  table: 'work_orders',
  comments: 'work_order_comments',
  column: 'work_order_id',
} as const
const common = {
  path: '/work-orders/{work_order_id}/comments',
  access: 'any',
  tag: 'Work orders',
  params: OrderParams,
} as const

export const commentRoutes = () => [
  route(
    {
      ...common,
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
      ...common,
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
