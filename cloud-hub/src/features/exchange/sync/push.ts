import type { OutboundEntity } from '../../../db/enums.ts'
import { recomputeForAnswer } from '../../production/oee/index.ts'
import type { ActiveRun } from './active-run.ts'
import { backfillPortion, drainTenant } from './change-queue.ts'
import { FailuresInARow } from './failures-in-a-row.ts'
import { pushPortion } from './push-portion.ts'
import { addRecord, listDue, type RecordKey } from './records.ts'

/** Records of a manual sync. */
const MAX_MANUAL = 500
/** Records of an automatic run; the next one follows soon. */
const MAX_AUTOMATIC = 20_000
/** Records that are loaded at once. */
const PORTION = 100

/**
 * Sends what is due, or the single record of the run. Each record is saved as soon as the ERP has answered for it.
 * @throws ErpUnavailable, LeaseLost
 */
export async function push(active: ActiveRun): Promise<void> {
  const { scope, run, lease, oee } = active.deps
  const key: RecordKey = { tenantId: run.tenantId, connectionId: run.connectionId, entity: run.entityType as OutboundEntity }
  if (key.entity === 'production_data') await recomputeForAnswer(scope, oee)
  await drainTenant(scope)
  const ids = run.entityId ? await singleRecord(active, key, run.entityId) : await dueRecords(active, key)
  const total = run.succeeded + run.failed + run.skipped + ids.length
  await lease.write((sql) => sql`update erp_runs set total = ${total} where tenant_id = ${run.tenantId} and id = ${run.id}`)
  const failures = new FailuresInARow()
  for (let at = 0; at < ids.length; at += PORTION) await pushPortion(active, key, ids.slice(at, at + PORTION), failures)
}

async function singleRecord({ deps: { run, lease } }: ActiveRun, key: RecordKey, id: string): Promise<string[]> {
  // A run that another process began, and that ended between the entry of its record and its own end
  if (run.succeeded + run.failed + run.skipped > 0) return []
  await lease.write((sql) => addRecord(sql, key, id))
  return [id]
}

async function dueRecords({ deps: { run, lease, scope } }: ActiveRun, key: RecordKey): Promise<string[]> {
  const isManual = run.trigger === 'manual'
  const limit = isManual ? MAX_MANUAL - run.succeeded - run.failed - run.skipped : MAX_AUTOMATIC
  for (;;) {
    const isComplete = await lease.write((sql) => backfillPortion(sql, key))
    const options = { retriesOf: isManual ? run.startedAt : null, now: scope.clock.now(), limit: Math.max(0, limit) }
    const ids = await scope.read((sql) => listDue(sql, key, options))
    if (isComplete || ids.length >= limit) return ids
  }
}
