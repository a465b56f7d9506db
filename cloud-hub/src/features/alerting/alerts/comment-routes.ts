import type { TenantScope } from '../../../db/scope.ts'
import { routeFor } from '../../../support/http/route.ts'
import { ALERT, addComment, type CommentRow, listComments } from './comments.ts'
import { type AlertParams, CommentBody, CommentCreate, CommentList } from './schemas.ts'

/** As the API shows it; comments on work orders look the same. */
export const presentComment = (row: CommentRow) => ({
  id: row.id,
  author_id: row.authorId,
  author_name: row.authorName,
  body: row.body,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
})

/** @param find throws NotFound for an unknown alert */
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
        operation: 'listAlertComments',
        summary: 'Comments of an alert, oldest first',
        description: 'All comments of the alert in one response.',
        returns: CommentList,
      },
      async ({ scope, params: { alert_id } }) => {
        const rows = await listComments(scope, ALERT, alert_id)
        return { items: rows.map(presentComment), total: rows.length }
      },
      find,
    ),
    route(
      {
        ...common,
        method: 'post',
        operation: 'createAlertComment',
        summary: 'Comment on an alert',
        description: 'Comments cannot be changed or deleted. An alert has at most 1,000 of them.',
        body: CommentCreate,
        returns: CommentBody,
        creates: true,
        refuses: { 409: ['too_many_comments'] },
      },
      async ({ scope, params: { alert_id }, body }) => presentComment(await addComment(scope, ALERT, alert_id, body.body)),
      find,
    ),
  ]
}
