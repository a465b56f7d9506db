import { randomUUID } from 'node:crypto'
import type { TenantScope } from '../../../db/scope.ts'
import { type ErpEntity, erpRuns, erpSyncLogs } from '../../../db/tables/erp.ts'
import type { ConnectionRow, ExchangeDeps } from '../open-session.ts'

type LogRow = typeof erpSyncLogs.$inferSelect

interface SyncRequest {
  direction: 'outbound' | 'inbound'
  entityType: ErpEntity
  /** a single record to send; null: everything due */
  entityId: string | null
}

/**
 * Synchronizes by hand. The engine is not there yet: every run fails with a log entry that says so.
 * @param row an active connection as the request read it. A run reads it again under its lease, because a change may have come between:
 * changes give the lease to no process (connections/manage-connection.ts), and deletions remove it
 * @returns the log entries of the run, those so far after 60 seconds
 * @throws Conflict `sync_running`
 */
export async function startSync(
  _deps: ExchangeDeps,
  scope: TenantScope,
  row: ConnectionRow,
  request: SyncRequest,
): Promise<LogRow[]> {
  const [now, runId] = [scope.clock.now(), randomUUID()]
  const errorMessage = 'This version of the hub does not exchange records yet.'
  const what = {
    tenantId: scope.tenantId,
    direction: request.direction,
    entityType: request.entityType,
    entityId: request.entityId,
  }
  const ended = {
    status: 'failed' as const,
    errorMessage,
    startedAt: now,
    endedAt: now,
    leasedBy: randomUUID(),
    leasedUntil: now,
  }
  return scope.tx(async (db) => {
    await db.insert(erpRuns).values({ ...what, ...ended, id: runId, connectionId: row.id, trigger: 'manual' })
    const entry = { ...what, runId, erpConnectionId: row.id, status: 'failed' as const, errorMessage, createdAt: now }
    return db.insert(erpSyncLogs).values(entry).returning()
  })
}
