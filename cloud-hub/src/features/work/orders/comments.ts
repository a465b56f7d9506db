import type { TenantScope } from '../../../db/scope.ts'
import { selectList } from '../../../db/select-list.ts'
import { workOrderComments } from '../../../db/tables/work-orders.ts'
import { Conflict, NotFound } from '../../../support/errors.ts'

export type CommentRow = typeof workOrderComments.$inferSelect

/** Maximum of comments of a work order, because one response lists all of them. */
const MAX_COMMENTS = 1_000
const COLUMNS = selectList(workOrderComments)

/** Oldest first. */
export const listComments = (scope: TenantScope, workOrderId: string): Promise<CommentRow[]> =>
  scope.read(
    (sql) => sql<CommentRow[]>`
      select ${sql.unsafe(COLUMNS)} from work_order_comments
      where tenant_id = ${scope.tenantId} and work_order_id = ${workOrderId} order by created_at, id`,
  )

/** @throws NotFound for an unknown work order, Conflict when it has the maximum of comments */
export const addComment = (scope: TenantScope, workOrderId: string, body: string): Promise<CommentRow> =>
  scope.tx(async (sql) => {
    // Locks the work order, so that concurrent comments cannot exceed the maximum.
    const [order] = await sql`
      select 1 from work_orders where tenant_id = ${scope.tenantId} and id = ${workOrderId} for no key update`
    if (!order) throw new NotFound('work order', workOrderId)
    const [written] = await sql<{ n: number }[]>`
      select count(*)::int as n from work_order_comments where tenant_id = ${scope.tenantId} and work_order_id = ${workOrderId}`
    if ((written?.n ?? 0) >= MAX_COMMENTS)
      throw new Conflict('too_many_comments', `A work order has at most ${MAX_COMMENTS.toLocaleString('en')} comments.`)
    const now = scope.clock.now()
    const [row] = await sql<CommentRow[]>`
      insert into work_order_comments (tenant_id, work_order_id, author_id, author_name, body, created_at, updated_at)
      select ${scope.tenantId}, ${workOrderId}, ${scope.actor.id},
        coalesce((select full_name from users where tenant_id = ${scope.tenantId} and id = ${scope.actor.id}), ${scope.actor.name}),
        ${body}, ${now}, ${now}
      returning ${sql.unsafe(COLUMNS)}`
    return row as CommentRow
  })
