import { type Fault, fault } from '@haltless/protocol'
import type { ErpRunStatus } from '../../../db/enums.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import { DecryptionError } from '../../../support/secrets/secret-box.ts'
import type { ConnectionRow } from '../open-session.ts'
import { type ErpSession, ErpUnavailable } from '../providers/index.ts'
import { ActiveRun, type RunDeps, TimeUp } from './active-run.ts'
import { breakerOpenUntil } from './backoff.ts'
import { pull } from './pull.ts'
import { push } from './push.ts'
import { LeaseLost } from './run-lease.ts'
import { saveLogs } from './sync-log.ts'

export type RunEnd = Exclude<ErpRunStatus, 'running'>

/** How a run ended. */
export interface Ended {
  status: RunEnd
  /** the ERP could not be used */
  isUnavailable: boolean
  /** records by outcome */
  counts: { success: number; failed: number; skipped: number }
}

/**
 * Does the work of a run and ends it.
 * @returns null when this process no longer has the run: another one continues it, or it was ended
 */
export async function executeRun(
  deps: Omit<RunDeps, 'session'>,
  open: (row: ConnectionRow) => ErpSession,
): Promise<Ended | null> {
  const { lease, run, logger } = deps
  let active: ActiveRun | null = null
  try {
    try {
      active = new ActiveRun({ ...deps, session: open(deps.connection) })
      await (run.direction === 'inbound' ? pull(active) : push(active))
      return await endRun(deps, { hasReachedErp: active.hasReachedErp, outage: null, found: null })
    } catch (error) {
      const end = endOf(error)
      if (!end || lease.signal.aborted) throw error
      if (end.found.code === 'erp_run_failed') logger.error({ err: error, run_id: run.id }, 'an ERP run failed')
      return await endRun(deps, { hasReachedErp: active?.hasReachedErp ?? false, ...end })
    }
  } catch (error) {
    if (error instanceof LeaseLost) return null
    if (!lease.signal.aborted) throw error
    await lease.release().catch((err) => logger.warn({ err, run_id: run.id }, 'the lease of an ERP run was not released'))
    return null
  } finally {
    lease.end()
  }
}

/** Why a run ends early; null when it is not for this process to say. */
function endOf(error: unknown): { outage: ErpUnavailable | null; found: Fault } | null {
  if (error instanceof LeaseLost) return null
  if (error instanceof ErpUnavailable) return { outage: error, found: error.fault }
  if (error instanceof TimeUp) return { outage: null, found: error.fault }
  if (!(error instanceof DecryptionError)) return { outage: null, found: fault('erp_run_failed') }
  const found = fault('erp_config_unreadable')
  return { outage: new ErpUnavailable('authentication', found), found }
}

interface Outcome {
  hasReachedErp: boolean
  outage: ErpUnavailable | null
  /** why the run ended early; null when it did not */
  found: Fault | null
}

/** Ends the run, and notes on the connection whether the ERP can be used. */
async function endRun(deps: Omit<RunDeps, 'session'>, { hasReachedErp, outage, found }: Outcome): Promise<Ended> {
  const { lease, run, scope } = deps
  const now = scope.clock.now()
  return lease.write(
    async (sql) => {
      if (found !== null) await logEnd(sql, deps, { outage, found }, now)
      const [row] = await sql<{ status: RunEnd; succeeded: number; failed: number; skipped: number }[]>`
      update erp_runs set ended_at = ${now}, error_message = ${found?.detail ?? null}, fault = ${found && sql.json(found as never)},
        total = greatest(total, succeeded + failed + skipped),
        status = case
          when failed = 0 and ${found === null} then 'success'
          when succeeded + skipped > 0 then 'partial'
          else 'failed' end
      where tenant_id = ${run.tenantId} and id = ${run.id} returning status, succeeded, failed, skipped`
      if (!row) throw new Error('the run was not found')
      const { status, succeeded, failed, skipped } = row
      const [counted] = await sql<{ failures: number }[]>`
      select failures_in_a_row as failures from erp_connections
      where tenant_id = ${run.tenantId} and id = ${run.connectionId}`
      const before = counted?.failures ?? 0
      const failures = outage ? before + 1 : hasReachedErp ? 0 : before
      await sql`
      update erp_connections set last_sync_at = ${now}, last_sync_status = ${status}, failures_in_a_row = ${failures},
        breaker_open_until = ${outage ? breakerOpenUntil(failures, now) : hasReachedErp ? null : sql`breaker_open_until`}
      where tenant_id = ${run.tenantId} and id = ${run.connectionId}`
      return { status, isUnavailable: outage !== null, counts: { success: succeeded, failed, skipped } }
    },
    {},
    true,
  )
}

const logEnd = (
  sql: TransactionSql,
  { run }: Pick<RunDeps, 'run'>,
  { outage, found }: { outage: ErpUnavailable | null; found: Fault },
  now: Date,
) =>
  saveLogs(
    sql,
    {
      tenantId: run.tenantId,
      connectionId: run.connectionId,
      runId: run.id,
      direction: run.direction,
      entity: run.entityType,
    },
    [
      {
        entityId: run.entityId,
        externalId: null,
        status: 'failed',
        fault: found,
        request: outage?.request ?? null,
        response: outage?.response ?? null,
      },
    ],
    now,
  )
