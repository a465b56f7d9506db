import type { TenantScope } from '../../../db/scope.ts'
import { cursorPage, listPartOf } from '../../../support/http/cursor.ts'
import { routeFor } from '../../../support/http/route.ts'
import { listEntries } from './repository.ts'
import { AuditPage, AuditQuery } from './schemas.ts'

const route = routeFor<TenantScope>()

export const auditRoutes = () => [
  route(
    {
      method: 'get',
      path: '/audit-log',
      operation: 'listAuditEntries',
      access: 'admin',
      tag: 'Audit trail',
      summary: 'List audit entries, newest first',
      description:
        'Every change by a person or an API key, and every sign-in. `before` and `after` hold what changed; secrets are `***`. Entries cannot be changed or deleted.',
      query: AuditQuery,
      returns: AuditPage,
    },
    async ({ scope, query }) => {
      const part = listPartOf(['audit-log', scope.tenantId], query)
      const { items, total } = await scope.tx((sql) => listEntries(sql, scope, query, part))
      const page = cursorPage(part, items, total, ({ at, id }) => ({ at, id }))
      return {
        ...page,
        items: page.items.map((row) => ({
          id: row.id,
          at: row.at.toISOString(),
          actor: { kind: row.actorKind, id: row.actorId, name: row.actorName },
          action: row.action,
          target: { type: row.targetType, id: row.targetId, name: row.targetName },
          before: row.before,
          after: row.after,
          ip: row.ip,
          request_id: row.requestId,
        })),
      }
    },
  ),
]
