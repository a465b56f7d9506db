import { columns } from '../../../db/columns.ts'
import type { ErpEntity } from '../../../db/enums.ts'
import type { Sql, TransactionSql } from '../../../db/pools.ts'
import type { WorkScope } from '../../../db/scope.ts'
import type { ConnectionRow } from '../open-session.ts'
import type { RunEnd } from './execute-run.ts'

const CONNECTION = columns.erpConnections
const MINUTE_MS = 60_000
/** A process that claimed a connection and was killed delays its next automatic run by this. */
const CLAIM_MS = 2 * MINUTE_MS
/** Pulls begin a little earlier than the interval rather than one interval later. */
const TOLERANCE_MS = 5_000
/** Between two passes of a connection, so that none occupies the hub. */
const MIN_PAUSE_MS = 5_000

/** Claims the connection whose automatic run has been due for longest, of other tenants than these. Two hubs never claim the same one. */
export async function claimDueConnection(
  allTenants: Sql,
  now: Date,
  except: readonly string[],
): Promise<ConnectionRow | undefined> {
  const [claimed] = await allTenants<ConnectionRow[]>`
    update erp_connections set next_run_at = ${new Date(now.getTime() + CLAIM_MS)}
    where (tenant_id, id) in (
      select c.tenant_id, c.id from erp_connections c where ${isDue(allTenants, now, except)}
      order by c.next_run_at limit 1 for update of c skip locked)
    returning ${allTenants.unsafe(CONNECTION)}`
  return claimed
}

/** Whether a connection of another tenant than these waits for its automatic run. */
export async function isAnyDue(allTenants: Sql, now: Date, except: readonly string[]): Promise<boolean> {
  const rows = await allTenants`
    select from erp_connections c where ${isDue(allTenants, now, except)} order by c.next_run_at limit 1`
  return rows.length > 0
}

const isDue = (allTenants: Sql, now: Date, except: readonly string[]) => allTenants`
  c.is_active and c.paused_at is null and c.next_run_at <= ${now} and coalesce(c.breaker_open_until <= ${now}, true)
    and c.tenant_id <> all(${except as string[]}::uuid[])
    and (c.auto_push_work_orders or c.auto_push_production_data or c.auto_push_downtime or c.auto_pull_assets)
    and not exists (select from erp_runs r where r.tenant_id = c.tenant_id and r.connection_id = c.id and r.status = 'running')`

/** What an automatic pass of a connection exchanges, in this order. */
export const entitiesOf = (row: ConnectionRow): ErpEntity[] => [
  ...(row.autoPullAssets ? ['machine' as const] : []),
  ...(row.autoPushWorkOrders ? ['work_order' as const] : []),
  ...(row.autoPushProductionData ? ['production_data' as const] : []),
  ...(row.autoPushDowntime ? ['downtime' as const] : []),
]

/** A pass may come early for the retry of a record; assets are fetched at the interval only. */
export async function isPullDue(scope: WorkScope, row: ConnectionRow, now: Date): Promise<boolean> {
  const since = new Date(now.getTime() - row.syncIntervalMinutes * MINUTE_MS + TOLERANCE_MS)
  const rows = await scope.read(
    (sql) => sql`
      select from erp_runs where tenant_id = ${row.tenantId} and connection_id = ${row.id} and started_at > ${since}
        and direction = 'inbound' and status <> 'failed' limit 1`,
  )
  return rows.length === 0
}

/** What the connection still has to send. `hasRest`: records that were due when the pass began, and were more than a run sends. */
async function remaining(sql: TransactionSql, row: ConnectionRow, startedAt: Date) {
  const [found] = await sql<{ hasFailing: boolean; hasRest: boolean; nextRetry: Date | null }[]>`
    select coalesce(bool_or(failures > 0), false) as "hasFailing", coalesce(bool_or(failures = 0 and next_attempt_at < ${startedAt}), false) as "hasRest",
      min(next_attempt_at) filter (where failures > 0) as "nextRetry"
    from erp_records where tenant_id = ${row.tenantId} and connection_id = ${row.id} and entity_type = any(${entitiesOf(row) as string[]})
      and is_due`
  return found ?? { hasFailing: false, hasRest: false, nextRetry: null }
}

/**
 * Ends an automatic pass: notes its overall status and when the next one is due, which is the interval, the earliest retry of a
 * record, the next trial of an ERP that is away, or at once where the pass gave its place to another tenant. A change of the connection in the meantime may have set an earlier time.
 * @param claimed the connection as it was claimed
 */
export async function endPass(
  scope: WorkScope,
  claimed: ConnectionRow,
  {
    startedAt,
    ends,
    isUnavailable,
    isYielded,
  }: { startedAt: Date; ends: readonly RunEnd[]; isUnavailable: boolean; isYielded: boolean },
): Promise<void> {
  const now = scope.clock.now()
  await scope.tx(async (sql) => {
    const [row] = await sql<ConnectionRow[]>`
      select ${sql.unsafe(CONNECTION)} from erp_connections
      where tenant_id = ${claimed.tenantId} and id = ${claimed.id} for no key update`
    if (!row) return
    const { hasFailing, hasRest, nextRetry } = await remaining(sql, row, startedAt)
    const interval = now.getTime() + row.syncIntervalMinutes * MINUTE_MS
    const next = isUnavailable
      ? (row.breakerOpenUntil?.getTime() ?? Math.min(interval, now.getTime() + MINUTE_MS))
      : Math.min(interval, nextRetry?.getTime() ?? interval, hasRest || isYielded ? now.getTime() : interval)
    const at = new Date(Math.max(next, now.getTime() + MIN_PAUSE_MS))
    const isUntouched = row.nextRunAt.getTime() === claimed.nextRunAt.getTime()
    const status = statusOf(ends, hasFailing)
    await sql`
      update erp_connections set last_sync_at = ${now}, last_sync_status = ${status ?? row.lastSyncStatus},
        next_run_at = ${isUntouched || row.nextRunAt > at ? at : row.nextRunAt}
      where tenant_id = ${row.tenantId} and id = ${row.id}`
  })
}

function statusOf(ends: readonly RunEnd[], hasFailing: boolean): RunEnd {
  if (ends.length > 0 && ends.every((end) => end === 'failed')) return 'failed'
  return hasFailing || ends.some((end) => end !== 'success') ? 'partial' : 'success'
}
