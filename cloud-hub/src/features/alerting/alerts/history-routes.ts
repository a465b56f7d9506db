import type { TenantScope } from '../../../db/scope.ts'
import { routeFor } from '../../../support/http/route.ts'
import { Paging } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'
import { type AlertRow, listHistory } from './repository.ts'
import { type AlertParams, HistoryPage } from './schemas.ts'

/** @param find throws NotFound for an unknown alert */
export const historyRoutes = (
  params: typeof AlertParams,
  find: (scope: TenantScope, params: { alert_id: string }) => Promise<AlertRow>,
) => [
  routeFor<TenantScope>()(
    {
      method: 'get',
      path: '/alerts/{alert_id}/history',
      operation: 'listAlertHistory',
      access: 'any',
      tag: 'Alerts',
      summary: 'What became of an alert, oldest first',
      description:
        'Every change of state of the alert, oldest first, with who made it: raised, acknowledged, snoozed, escalated, cleared. The first entry is always `raised`.',
      params,
      query: z.object(Paging),
      returns: HistoryPage,
    },
    async ({ scope, query: { page, page_size }, found }) => {
      const { rows, total } = await listHistory(scope, found.id, { page, pageSize: page_size })
      // the first entry is computed from the alert, not stored
      const raised = { event: 'raised' as const, at: found.createdAt.toISOString(), actor: null, details: null }
      const items = rows.map(({ event, at, actor, details }) => ({ event, at: at.toISOString(), actor, details }))
      return { items: page === 1 ? [raised, ...items] : items, pagination: { total: total + 1, page, page_size } }
    },
    find,
  ),
]
