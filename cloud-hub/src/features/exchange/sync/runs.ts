import { columns } from '../../../db/columns.ts'
import type { ErpEntity } from '../../../db/enums.ts'
import type { Sql, TransactionSql } from '../../../db/pools.ts'
import type { erpSyncLogs } from '../../../db/tables/erp.ts'
import type { ConnectionRow } from '../open-session.ts'
import type { RunRow } from './active-run.ts'

export type LogRow = typeof erpSyncLogs.$inferSelect

const RUN = columns.erpRuns
const CONNECTION = columns.erpConnections
const LOG = columns.erpSyncLogs

/** What a run exchanges. */
export interface RunRequest {
  direction: 'outbound' | 'inbound'
  entityType: ErpEntity
  /** a single record to send; null: everything due */
  entityId: string | null
}

export interface Leaseholder {
  owner: string
  leaseSeconds: number
}

/**
 * Begins a run unless one of the connection is running. The connection is locked, so a concurrent change of its configuration either
 * comes first and counts, or ends this run.
 * @returns `connection` null: it was deleted; `run` null: another one is running or the connection is inactive
 */
export async function beginRun(
  sql: TransactionSql,
  key: { tenantId: string; connectionId: string },
  request: RunRequest & { trigger: RunRow['trigger'] },
  { owner, leaseSeconds }: Leaseholder,
  now: Date,
): Promise<{ connection: ConnectionRow | null; run: RunRow | null }> {
  const [connection = null] = await sql<ConnectionRow[]>`
    select ${sql.unsafe(CONNECTION)} from erp_connections
    where tenant_id = ${key.tenantId} and id = ${key.connectionId} for share`
  if (!connection?.isActive || (connection.pausedAt !== null && request.trigger === 'automatic')) return { connection, run: null }
  const [run = null] = await sql<RunRow[]>`
    insert into erp_runs (tenant_id, connection_id, direction, entity_type, entity_id, trigger, leased_by, leased_until, started_at)
    values (${key.tenantId}, ${key.connectionId}, ${request.direction}, ${request.entityType}, ${request.entityId}, ${request.trigger},
      ${owner}, now() + make_interval(secs => ${leaseSeconds}), ${now})
    on conflict (tenant_id, connection_id) where status = 'running' do nothing
    returning ${sql.unsafe(RUN)}`
  return { connection, run }
}

/**
 * Claims a run whose process no longer renews its lease, of other tenants than these. After a restore, automatic runs wait until the operator resumes them. A connection that
 * is being changed is read as it was: the change ends the run once this has committed.
 */
export function claimAbandonedRun(
  allTenants: Sql,
  { owner, leaseSeconds }: Leaseholder,
  except: readonly string[],
): Promise<{ run: RunRow; connection: ConnectionRow } | null> {
  return allTenants.begin(async (sql) => {
    const [run] = await sql<RunRow[]>`
      update erp_runs set leased_by = ${owner}, leased_until = now() + make_interval(secs => ${leaseSeconds})
      where (tenant_id, id) in (
        select r.tenant_id, r.id from erp_runs r join erp_connections c on c.tenant_id = r.tenant_id and c.id = r.connection_id
        where r.status = 'running' and r.leased_until <= now() and (c.paused_at is null or r.trigger = 'manual')
          and r.tenant_id <> all(${except as string[]}::uuid[])
        order by r.leased_until limit 1 for update of r skip locked)
      returning ${sql.unsafe(RUN)}`
    if (!run) return null
    const [connection] = await sql<ConnectionRow[]>`
      select ${sql.unsafe(CONNECTION)} from erp_connections where tenant_id = ${run.tenantId} and id = ${run.connectionId}`
    return connection ? { run, connection } : null
  })
}

/** The entries of a run so far, in their order. */
export const entriesOf = (sql: TransactionSql, tenantId: string, runId: string, limit: number): Promise<LogRow[]> =>
  sql<LogRow[]>`
    select ${sql.unsafe(LOG)} from erp_sync_logs where tenant_id = ${tenantId} and run_id = ${runId} order by id limit ${limit}`
