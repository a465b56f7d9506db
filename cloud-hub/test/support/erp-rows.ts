import { randomUUID } from 'node:crypto'
import type { TestHub } from '../harness.ts'

/** A finished run of a connection with one log entry, as a sync leaves them. */
export async function storeErpRun(
  hub: TestHub,
  tenantId: string,
  connectionId: string,
  entityId: string = randomUUID(),
  values: { run?: Record<string, unknown>; log?: Record<string, unknown> } = {},
): Promise<{ runId: string; logId: string }> {
  const [now, runId, logId] = [hub.clock.now(), randomUUID(), randomUUID()]
  const what = { tenant_id: tenantId, direction: 'outbound', entity_type: 'work_order' }
  const run = {
    ...what,
    id: runId,
    connection_id: connectionId,
    trigger: 'manual',
    status: 'success',
    total: 1,
    succeeded: 1,
    leased_by: randomUUID(),
    leased_until: now,
    started_at: now,
    ended_at: now,
    ...values.run,
  }
  const log = {
    ...what,
    id: logId,
    erp_connection_id: connectionId,
    run_id: runId,
    entity_id: entityId,
    external_id: 'WO-4711',
    status: 'success',
    request_summary: 'POST /api/work-orders',
    response_summary: '201 Created',
    created_at: now,
    ...values.log,
  }
  await hub.owner`insert into erp_runs ${hub.owner(run)}`
  await hub.owner`insert into erp_sync_logs ${hub.owner(log)}`
  return { runId, logId }
}
