import { and, asc, count, desc, eq, getTableColumns, gte, isNotNull, isNull, lte, sql } from 'drizzle-orm'
import { first, owned, type TenantScope } from '../../../db/scope.ts'
import { selectList } from '../../../db/select-list.ts'
import { alertHistory, alerts } from '../../../db/tables/alerts.ts'
import { NotFound } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import type { AlertQuery } from './schemas.ts'

/** An alert with its open work order. */
export type AlertRow = typeof alerts.$inferSelect & { workOrderId: string | null }

/** The columns of an {@link AlertRow} of the table `alerts a`. An alert has at most one open work order. */
export const ALERT_FIELDS = `${selectList(alerts, undefined, 'a')},
  (select o.id from work_orders o where o.tenant_id = a.tenant_id and o.alert_id = a.id and o.status in ('open', 'in_progress')) as "workOrderId"`

/** The columns of an {@link AlertRow} for the query builder. */
export const ALERT_COLUMNS = {
  ...getTableColumns(alerts),
  workOrderId: sql<
    string | null
  >`(select o.id from work_orders o where o.tenant_id = "alerts"."tenant_id" and o.alert_id = "alerts"."id"
    and o.status in ('open', 'in_progress'))`,
}

/** @throws NotFound */
export async function findAlert(scope: TenantScope, { alert_id }: { alert_id: string }): Promise<AlertRow> {
  const one = and(owned(alerts, scope), eq(alerts.id, alert_id))
  const row = await scope.read((db) => db.select(ALERT_COLUMNS).from(alerts).where(one).then(first))
  if (!row) throw new NotFound('alert', alert_id)
  return row
}

/** A page of alerts, newest first, and the number of all matches. */
export function listAlerts(scope: TenantScope, query: z.output<typeof AlertQuery>) {
  const where = and(
    owned(alerts, scope),
    query.machine_id ? eq(alerts.machineId, query.machine_id) : undefined,
    query.severity ? eq(alerts.severity, query.severity) : undefined,
    query.is_acknowledged === undefined
      ? undefined
      : query.is_acknowledged
        ? isNotNull(alerts.acknowledgedAt)
        : isNull(alerts.acknowledgedAt),
    query.start_date ? gte(alerts.createdAt, query.start_date) : undefined,
    query.end_date ? lte(alerts.createdAt, query.end_date) : undefined,
  )
  return scope.read(async (db) => {
    const [items, totals] = await Promise.all([
      db
        .select(ALERT_COLUMNS)
        .from(alerts)
        .where(where)
        .orderBy(desc(alerts.createdAt), desc(alerts.id))
        .limit(query.page_size)
        .offset((query.page - 1) * query.page_size),
      db.select({ total: count() }).from(alerts).where(where),
    ])
    return { items, total: totals[0]?.total ?? 0 }
  })
}

/** The number of unacknowledged alerts by severity; a severity without any is missing. */
export const countUnacknowledged = (scope: TenantScope) =>
  scope.read((db) =>
    db
      .select({ severity: alerts.severity, n: sql<number>`count(*)::int` })
      .from(alerts)
      .where(and(owned(alerts, scope), isNull(alerts.acknowledgedAt)))
      .groupBy(alerts.severity),
  )

/**
 * The history of an alert, oldest first, and the number of rows. The first entry of page 1 (raised) is not stored, so this omits
 * it.
 */
export function listHistory(scope: TenantScope, alertId: string, { page, pageSize }: { page: number; pageSize: number }) {
  const mine = and(owned(alertHistory, scope), eq(alertHistory.alertId, alertId))
  const from = (page - 1) * pageSize
  return scope.read(async (db) => {
    const [rows, totals] = await Promise.all([
      db
        .select()
        .from(alertHistory)
        .where(mine)
        .orderBy(asc(alertHistory.at), asc(alertHistory.id))
        .limit(from === 0 ? pageSize - 1 : pageSize)
        .offset(Math.max(0, from - 1)),
      db.select({ n: count() }).from(alertHistory).where(mine),
    ])
    return { rows, total: totals[0]?.n ?? 0 }
  })
}
