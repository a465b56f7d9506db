import type { TenantScope } from '../../../db/scope.ts'
import type { alertComments } from '../../../db/tables/alerts.ts'
import { Conflict, NotFound } from '../../../support/errors.ts'

export type CommentRow = Omit<typeof alertComments.$inferSelect, 'tenantId' | 'alertId'>

/** What people comment on, and the tables. */
interface Subject {
  name: 'alert' | 'work order'
  table: 'alerts' | 'work_orders'
  comments: 'alert_comments' | 'work_order_comments'
  /** the column of `comments` that names the subject */
  column: 'alert_id' | 'work_order_id'
}

/** Maximum of comments of a subject, because one response lists all of them. */
const MAX_COMMENTS = 1_000
const COLUMNS = `id, author_id as "authorId", author_name as "authorName", body, created_at as "createdAt", updated_at as "updatedAt"`

export const ALERT: Subject = { name: 'alert', table: 'alerts', comments: 'alert_comments', column: 'alert_id' }

/** Oldest first. */
export const listComments = (scope: TenantScope, { comments, column }: Subject, id: string): Promise<CommentRow[]> =>
  scope.read(
    (sql) => sql<CommentRow[]>`
      select ${sql.unsafe(COLUMNS)} from ${sql(comments)}
      where tenant_id = ${scope.tenantId} and ${sql(column)} = ${id} order by created_at, id`,
  )

/** @throws NotFound for an unknown subject, Conflict when it has the maximum of comments */
export const addComment = (scope: TenantScope, subject: Subject, id: string, body: string): Promise<CommentRow> =>
  scope.tx(async (sql) => {
    const { tenantId, actor, clock } = scope
    const { name, table, comments, column } = subject
    // Locks the subject, so that concurrent comments cannot exceed the maximum.
    const [found] = await sql`select id from ${sql(table)} where tenant_id = ${tenantId} and id = ${id} for no key update`
    if (!found) throw new NotFound(name, id)
    const [written] = await sql<{ n: number }[]>`
      select count(*)::int as n from ${sql(comments)} where tenant_id = ${tenantId} and ${sql(column)} = ${id}`
    if ((written?.n ?? 0) >= MAX_COMMENTS)
      throw new Conflict(
        'too_many_comments',
        `${name === 'alert' ? 'An alert' : 'A work order'} has at most ${MAX_COMMENTS.toLocaleString('en')} comments.`,
        { limit: MAX_COMMENTS },
      )
    const now = clock.now()
    const [row] = await sql<CommentRow[]>`
      insert into ${sql(comments)} (tenant_id, ${sql(column)}, author_id, author_name, body, created_at, updated_at)
      select ${tenantId}, ${id}, ${actor.id},
        coalesce((select full_name from users where tenant_id = ${tenantId} and id = ${actor.id}), ${actor.name}), ${body}, ${now}, ${now}
      returning ${sql.unsafe(COLUMNS)}`
    return row as CommentRow
  })
