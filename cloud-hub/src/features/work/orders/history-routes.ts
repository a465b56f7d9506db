import type { TenantScope } from '../../../db/scope.ts'
import { routeFor } from '../../../support/http/route.ts'
import { Paging } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'
import { type HistoryRow, listHistory } from './history.ts'
import { History } from './history-schemas.ts'
import { findWorkOrder } from './routes.ts'
import { OrderParams } from './schemas.ts'

const INSTANTS = new Set(['due_date', 'completed_at'])
const instant = (value: unknown) => (typeof value === 'string' ? new Date(value).toISOString() : value)

const present = ({ event, at, actor, subjectId, subjectName, changes }: HistoryRow) => ({
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
  routeFor<TenantScope>()(
    {
      method: 'get',
      path: '/work-orders/{work_order_id}/history',
      operation: 'listWorkOrderHistory',
      access: 'any',
      tag: 'Work orders',
      summary: 'What became of a work order, oldest first',
      description:
        'Every change of the work order, its assignees, instructions and attachments, and every sign-off, with who made it. The first entry is `created`.',
      params: OrderParams,
      query: z.object(Paging),
      returns: History,
    },
    async ({ scope, params, query: { page, page_size } }) => {
      const { rows, total } = await listHistory(scope, params.work_order_id, { page, pageSize: page_size })
      return { items: rows.map(present), total }
    },
    findWorkOrder,
  ),
]
