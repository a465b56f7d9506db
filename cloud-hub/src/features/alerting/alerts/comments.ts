import type { TenantScope } from '../../../db/scope.ts'
import { selectList } from '../../../db/select-list.ts'
import { alertComments } from '../../../db/tables/alerts.ts'
import { Conflict, NotFound } from '../../../support/errors.ts'

export type CommentRow = typeof alertComments.$inferSelect

/** Maximum of comments of an alert, because one response lists all of them. */
const MAX_COMMENTS = 1_000

const COLUMNS = selectList(alertComments)

/** Oldest first. */
export const listComments = (scope: TenantScope, alertId: string): Promise<CommentRow[]> =>
  scope.read(
    (sql) => sql<CommentRow[]>`
      select ${sql.unsafe(COLUMNS)} from alert_comments
      where tenant_id = ${scope.tenantId} and alert_id = ${alertId} order by created_at, id`,
  )

/** @throws NotFound for an unknown alert, Conflict when it has the maximum of comments */
export const addComment = (scope: TenantScope, alertId: string, body: string): Promise<CommentRow> =>
  scope.tx(async (sql) => {
    const { tenantId, actor, clock } = scope
    // lock the alert, so that concurrent comments cannot exceed the maximum
    const [alert] = await sql`select id from alerts where tenant_id = ${tenantId} and id = ${alertId} for no key update`
    if (!alert) throw new NotFound('alert', alertId)
    const [written] = await sql<{ n: number }[]>`
      select count(*)::int as n from alert_comments where tenant_id = ${tenantId} and alert_id = ${alertId}`
    if ((written?.n ?? 0) >= MAX_COMMENTS)
      throw new Conflict('too_many_comments', `An alert has at most ${MAX_COMMENTS.toLocaleString('en')} comments.`)
    const now = clock.now()
    const [row] = await sql<CommentRow[]>`
      insert into alert_comments (tenant_id, alert_id, author_id, author_name, body, created_at, updated_at)
      select ${tenantId}, ${alertId}, ${actor.id},
        coalesce((select full_name from users where tenant_id = ${tenantId} and id = ${actor.id}), ${actor.name}), ${body}, ${now}, ${now}
      returning ${sql.unsafe(COLUMNS)}`
    return row as CommentRow
  })
