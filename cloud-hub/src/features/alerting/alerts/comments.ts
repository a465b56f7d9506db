import { and, asc, count, eq } from 'drizzle-orm'
import { first, owned, type TenantScope } from '../../../db/scope.ts'
import { users } from '../../../db/tables/accounts.ts'
import { alertComments, alerts } from '../../../db/tables/alerts.ts'
import { Conflict, NotFound } from '../../../support/errors.ts'
import { routeFor } from '../../../support/http/route.ts'
import { type AlertParams, CommentBody, CommentCreate, CommentList } from './schemas.ts'

/** All comments of an alert are answered together: so many are enough for any of them. */
const MOST_COMMENTS = 1_000

const presentComment = (row: typeof alertComments.$inferSelect) => ({
  id: row.id,
  author_id: row.authorId,
  author_name: row.authorName,
  body: row.body,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
})

async function addComment(scope: TenantScope, alertId: string, body: string) {
  const mine = and(owned(alertComments, scope), eq(alertComments.alertId, alertId))
  return scope.tx(async (db) => {
    // locked, so that two who write the last comment do not both do so
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
      db.select({ n: count() }).from(alertComments).where(mine).then(first),
    ])
    if ((written?.n ?? 0) >= MOST_COMMENTS)
      throw new Conflict('too_many_comments', `An alert has at most ${MOST_COMMENTS.toLocaleString('en')} comments.`)
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

/** @param find throws NotFound for an alert that is not there */
export const commentRoutes = (
  params: typeof AlertParams,
  find: (scope: TenantScope, params: { alert_id: string }) => Promise<unknown>,
) => {
  const route = routeFor<TenantScope>()
  const common = { path: '/alerts/{alert_id}/comments', access: 'any', tag: 'Alerts', params } as const
  return [
    route(
      {
        ...common,
        method: 'get',
        summary: 'Comments of an alert, oldest first',
        description: 'All comments of the alert in one answer.',
        returns: CommentList,
      },
      async ({ scope, params: { alert_id } }) => {
        const rows = await scope.read((db) =>
          db
            .select()
            .from(alertComments)
            .where(and(owned(alertComments, scope), eq(alertComments.alertId, alert_id)))
            .orderBy(asc(alertComments.createdAt), asc(alertComments.id)),
        )
        return { items: rows.map(presentComment), total: rows.length }
      },
      find,
    ),
    route(
      {
        ...common,
        method: 'post',
        summary: 'Comment on an alert',
        description: 'Comments cannot be changed or deleted. An alert has at most 1,000 of them.',
        body: CommentCreate,
        returns: CommentBody,
        creates: true,
        refuses: { 409: ['too_many_comments'] },
      },
      async ({ scope, params: { alert_id }, body }) => presentComment(await addComment(scope, alert_id, body.body)),
      find,
    ),
  ]
}
