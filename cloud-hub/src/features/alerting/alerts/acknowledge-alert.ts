import { and, asc, eq, inArray, isNull } from 'drizzle-orm'
import { first, owned, type TenantScope } from '../../../db/scope.ts'
import { alerts } from '../../../db/tables/alerts.ts'
import { Conflict, NotFound } from '../../../support/errors.ts'
import { ALERT_COLUMNS, type AlertRow } from './repository.ts'

/**
 * Records that a person has seen an alert. Of two concurrent calls the first one wins.
 * @throws Conflict when it was acknowledged before; NotFound when this tenant has no such alert
 */
export async function acknowledgeAlert(scope: TenantScope, alertId: string): Promise<AlertRow> {
  const one = and(owned(alerts, scope), eq(alerts.id, alertId))
  return scope.tx(async (db) => {
    const acknowledged = { acknowledgedAt: scope.clock.now(), acknowledgedBy: scope.actor.id }
    const row = await db
      .update(alerts)
      .set(acknowledged)
      .where(and(one, isNull(alerts.acknowledgedAt)))
      .returning(ALERT_COLUMNS)
      .then(first)
    if (row) return row
    const exists = await db.select({ id: alerts.id }).from(alerts).where(one).then(first)
    throw exists
      ? new Conflict('alert_already_acknowledged', 'The alert was acknowledged already.')
      : new NotFound('alert', alertId)
  })
}

/**
 * Acknowledges several alerts; each distinct id ends in exactly one of the three lists. Locks rows in id order, so that two
 * callers cannot deadlock.
 */
export async function acknowledgeAlerts(
  scope: TenantScope,
  alertIds: string[],
): Promise<{ acknowledged: number; already: string[]; notFound: string[] }> {
  const ids = [...new Set(alertIds.map((id) => id.toLowerCase()))]
  if (ids.length === 0) return { acknowledged: 0, already: [], notFound: [] }
  return scope.tx(async (db) => {
    const mine = and(owned(alerts, scope), inArray(alerts.id, ids))
    const rows = await db
      .select({ id: alerts.id, at: alerts.acknowledgedAt })
      .from(alerts)
      .where(mine)
      .orderBy(asc(alerts.id))
      .for('update')
    const open = rows.filter((row) => row.at === null).map((row) => row.id)
    if (open.length > 0) {
      await db
        .update(alerts)
        .set({ acknowledgedAt: scope.clock.now(), acknowledgedBy: scope.actor.id })
        .where(and(owned(alerts, scope), inArray(alerts.id, open)))
    }
    const known = new Set(rows.map((row) => row.id))
    return {
      acknowledged: open.length,
      already: rows.filter((row) => row.at !== null).map((row) => row.id),
      notFound: ids.filter((id) => !known.has(id)),
    }
  })
}
