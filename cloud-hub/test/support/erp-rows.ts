import { randomUUID } from 'node:crypto'
import type postgres from 'postgres'
import type { TestHub } from '../harness.ts'
import type { Site } from '../running-hub.ts'

/** A finished run of a connection with one log entry, as a sync leaves them. */
export async function storeErpRun(
  hub: Pick<TestHub, 'owner'> & { clock: Pick<TestHub['clock'], 'now'> },
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

/** A row in each table of the exchange, of a connection that does nothing by itself. */
export async function fillErp(owner: postgres.Sql, site: Pick<Site, 'tenantId' | 'call'>): Promise<void> {
  const config = { base_url: 'https://erp.invalid/api', username: 'hub', password: 'secret-0001' }
  const { body } = await site.call('POST', 'erp/connections', { provider: 'erp_c', name: 'ERP', config })
  const key = { tenant_id: site.tenantId, connection_id: body.id, entity_type: 'work_order' }
  await owner`update erp_connections set paused_at = now() where id = ${body.id}`
  await owner`insert into erp_backfills ${owner({ ...key, is_complete: true })}`
  await owner`insert into erp_records ${owner({ ...key, entity_id: randomUUID(), external_id: 'WO-4711' })}`
  await storeErpRun({ owner, clock: { now: () => new Date() } }, site.tenantId, body.id)
}
