import type { TenantScope } from '../../../db/scope.ts'
import { Conflict, NotFound } from '../../../support/errors.ts'
import { ALERT_COLUMNS, type AlertRow } from './repository.ts'

/**
 * Records that a person has seen an alert. Of two concurrent calls the first one wins.
 * @throws Conflict when it was acknowledged before; NotFound when this tenant has no such alert
 */
export async function acknowledgeAlert(scope: TenantScope, alertId: string): Promise<AlertRow> {
  const { tenantId, actor, clock } = scope
  return scope.tx(async (sql) => {
    const [row] = await sql<AlertRow[]>`
      update alerts a set acknowledged_at = ${clock.now()}, acknowledged_by = ${actor.id}
      where a.tenant_id = ${tenantId} and a.id = ${alertId} and a.acknowledged_at is null
      returning ${sql.unsafe(ALERT_COLUMNS)}`
    if (row) return row
    const [exists] = await sql`select id from alerts where tenant_id = ${tenantId} and id = ${alertId}`
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
  return scope.tx(async (sql) => {
    const rows = await sql<{ id: string; at: Date | null }[]>`
      select id, acknowledged_at as at from alerts
      where tenant_id = ${scope.tenantId} and id = any(${ids}::uuid[]) order by id for update`
    const open = rows.filter((row) => row.at === null).map((row) => row.id)
    if (open.length > 0)
      await sql`
        update alerts set acknowledged_at = ${scope.clock.now()}, acknowledged_by = ${scope.actor.id}
        where tenant_id = ${scope.tenantId} and id = any(${open}::uuid[])`
    const known = new Set(rows.map((row) => row.id))
    return {
      acknowledged: open.length,
      already: rows.filter((row) => row.at !== null).map((row) => row.id),
      notFound: ids.filter((id) => !known.has(id)),
    }
  })
}
