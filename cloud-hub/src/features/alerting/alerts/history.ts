import { and, asc, count, eq } from 'drizzle-orm'
import { owned, type TenantScope } from '../../../db/scope.ts'
import { alertHistory, type alerts } from '../../../db/tables/alerts.ts'
import { routeFor } from '../../../support/http/route.ts'
import { Paging } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'
import { type AlertParams, HistoryPage } from './schemas.ts'

/** @param find throws NotFound for an alert that is not there */
export const historyRoutes = (
  params: typeof AlertParams,
  find: (scope: TenantScope, params: { alert_id: string }) => Promise<typeof alerts.$inferSelect>,
) => [
  routeFor<TenantScope>()(
    {
      method: 'get',
      path: '/alerts/{alert_id}/history',
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
      const mine = and(owned(alertHistory, scope), eq(alertHistory.alertId, found.id))
      // that it was raised is the first entry, and no row
      const from = (page - 1) * page_size
      return scope.read(async (db) => {
        const [rows, totals] = await Promise.all([
          db
            .select()
            .from(alertHistory)
            .where(mine)
            .orderBy(asc(alertHistory.at), asc(alertHistory.id))
            .limit(from === 0 ? page_size - 1 : page_size)
            .offset(Math.max(0, from - 1)),
          db.select({ n: count() }).from(alertHistory).where(mine),
        ])
        const raised = { event: 'raised' as const, at: found.createdAt.toISOString(), actor: null, details: null }
        const items = rows.map(({ event, at, actor, details }) => ({ event, at: at.toISOString(), actor, details }))
        const total = (totals[0]?.n ?? 0) + 1
        return { items: from === 0 ? [raised, ...items] : items, pagination: { total, page, page_size } }
      })
    },
    find,
  ),
]
