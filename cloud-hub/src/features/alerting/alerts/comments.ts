import { and, asc, count, eq } from 'drizzle-orm'
import { first, owned, type TenantScope } from '../../../db/scope.ts'
import { users } from '../../../db/tables/accounts.ts'
import { alertComments, alerts } from '../../../db/tables/alerts.ts'
import { Conflict, NotFound } from '../../../support/errors.ts'

export type CommentRow = typeof alertComments.$inferSelect

/** Maximum of comments of an alert, because one response lists all of them. */
const MAX_COMMENTS = 1_000

const ofAlert = (scope: TenantScope, alertId: string) => and(owned(alertComments, scope), eq(alertComments.alertId, alertId))

/** Oldest first. */
export const listComments = (scope: TenantScope, alertId: string): Promise<CommentRow[]> =>
  scope.read((db) =>
    db.select().from(alertComments).where(ofAlert(scope, alertId)).orderBy(asc(alertComments.createdAt), asc(alertComments.id)),
  )

/** @throws NotFound for an unknown alert, Conflict when it has the maximum of comments */
export function addComment(scope: TenantScope, alertId: string, body: string): Promise<CommentRow> {
  return scope.tx(async (db) => {
    // lock the alert, so that concurrent comments cannot exceed the maximum
    const alert = await db
      .select({ id: alerts.id })
      .from(alerts)
      .where(and(owned(alerts, scope), eq(alerts.id, alertId)))
      .for('no key update')
      .then(first)
    if (!alert) throw new NotFound('alert', alertId)
    const [author, written] = await Promise.all([
      db
        .select({ name: users.fullName })
        .from(users)
        .where(and(owned(users, scope), eq(users.id, scope.actor.id)))
        .then(first),
      db.select({ n: count() }).from(alertComments).where(ofAlert(scope, alertId)).then(first),
    ])
    if ((written?.n ?? 0) >= MAX_COMMENTS)
      throw new Conflict('too_many_comments', `An alert has at most ${MAX_COMMENTS.toLocaleString('en')} comments.`, {
        limit: MAX_COMMENTS,
      })
    const [id, now] = [scope.actor.id, scope.clock.now()]
    const values = { tenantId: scope.tenantId, alertId, authorId: id, authorName: author?.name ?? scope.actor.name, body }
    const row = await db
      .insert(alertComments)
      .values({ ...values, createdAt: now, updatedAt: now })
      .returning()
      .then(first)
    if (!row) throw new Error('an inserted comment was not returned')
    return row
  })
}
