import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { Conflict, NotFound } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import { ALERT_COLUMNS, type AlertRow, matching } from './repository.ts'
import type { BulkAcknowledge } from './schemas.ts'

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

/** Alerts that one transaction acknowledges, and transactions of one call: the rest is for the next call. */
const [PORTION, MAX_PORTIONS] = [1_000, 20]

/**
 * Acknowledges the open alerts that match, a portion a transaction, so that flushes and other people wait for one portion at most. Of
 * two callers at once each alert counts for one: the second waits for a row, and leaves it out when it is no longer open.
 * @returns the alerts acknowledged, and how many matches are left
 */
export async function acknowledgeMatching(
  scope: TenantScope,
  filter: NonNullable<z.output<typeof BulkAcknowledge>['filter']>,
): Promise<{ acknowledged: number; remaining: number }> {
  const { tenantId, actor, clock } = scope
  const open = (sql: TransactionSql) => sql`
    a.tenant_id = ${tenantId} and a.acknowledged_at is null and a.created_at < ${filter.created_before} ${matching(sql, tenantId, filter)}`
  let acknowledged = 0
  for (let portion = 0; portion < MAX_PORTIONS; portion++) {
    const count = await scope.tx(async (sql) => {
      const rows = await sql<{ id: string }[]>`
        select a.id from alerts a where ${open(sql)} order by a.id limit ${PORTION} for update`
      if (rows.length === 0) return 0
      await sql`
        update alerts set acknowledged_at = ${clock.now()}, acknowledged_by = ${actor.id}
        where tenant_id = ${tenantId} and id = any(${rows.map(({ id }) => id)}::uuid[])`
      return rows.length
    })
    acknowledged += count
    if (count < PORTION) return { acknowledged, remaining: 0 }
  }
  const [left] = await scope.read((sql) => sql<{ n: number }[]>`select count(*)::int as n from alerts a where ${open(sql)}`)
  return { acknowledged, remaining: left?.n ?? 0 }
}
