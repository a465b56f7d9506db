import { setTimeout as sleep } from 'node:timers/promises'
import { fault } from '@haltless/protocol'
import type { WorkScope } from '../../../db/scope.ts'
import type { erpRuns } from '../../../db/tables/erp.ts'
import type { Logger } from '../../../support/logger.ts'
import type { OeeDeps } from '../../production/oee/index.ts'
import type { ConnectionRow } from '../open-session.ts'
import { type ErpSession, ErpUnavailable } from '../providers/index.ts'
import type { RunLease } from './run-lease.ts'
import { type LogEntry, type LogOrigin, saveLogs } from './sync-log.ts'

export type RunRow = typeof erpRuns.$inferSelect

/** Longer waits that an ERP requests end the run. */
const MAX_WAIT_SECONDS = 30
/** A run that takes longer ends, so that its ERP does not hold up the others of the company. */
const MAX_MINUTES = 60
/** Waits for one call, after which the run ends. */
const MAX_WAITS = 10

/** The run has taken too long. What is left stays due. */
export class TimeUp extends Error {
  override name = 'TimeUp'
  readonly fault = fault('erp_run_time_over', { minutes: MAX_MINUTES })
}

/** Where a run does its work: the run, its connection as it was at the start, and a session with the ERP. */
export interface RunDeps {
  scope: WorkScope
  run: RunRow
  connection: ConnectionRow
  session: ErpSession
  lease: RunLease
  oee: OeeDeps
  logger: Logger
}

/** A run under way. */
export class ActiveRun {
  /** the ERP answered at least one call */
  hasReachedErp = false
  readonly deps: RunDeps

  constructor(deps: RunDeps) {
    this.deps = deps
  }

  get origin(): LogOrigin {
    const { run } = this.deps
    return {
      tenantId: run.tenantId,
      connectionId: run.connectionId,
      runId: run.id,
      direction: run.direction,
      entity: run.entityType,
    }
  }

  now(): Date {
    return this.deps.scope.clock.now()
  }

  /**
   * Calls the ERP under the lease. It waits when the ERP limits calls and names a short time.
   * @throws ErpUnavailable; TimeUp; LeaseLost, or the reason of the abort when the hub stops
   */
  async call<T>(work: (session: ErpSession, signal: AbortSignal) => Promise<T>): Promise<T> {
    const { lease, run, session } = this.deps
    for (let waits = 1; ; waits++) {
      lease.assertHeld()
      if (this.now().getTime() - run.startedAt.getTime() > MAX_MINUTES * 60_000) throw new TimeUp()
      try {
        return await work(session, lease.signal)
      } catch (error) {
        lease.signal.throwIfAborted()
        if (!(error instanceof ErpUnavailable) || error.reason !== 'throttled') throw error
        const seconds = error.retryAfterSeconds ?? Math.min(MAX_WAIT_SECONDS, 2 ** (waits - 1))
        if (seconds > MAX_WAIT_SECONDS || waits > MAX_WAITS) throw error
        await this.#logWait(error, seconds)
        await sleep(seconds * 1_000, undefined, { signal: lease.signal }).catch(() => lease.signal.throwIfAborted())
      }
    }
  }

  /** Logs that the ERP limits the calls, which concerns no record. */
  async #logWait(error: ErpUnavailable, seconds: number): Promise<void> {
    const entry: LogEntry = {
      entityId: this.deps.run.entityId,
      externalId: null,
      status: 'failed',
      fault: fault('erp_run_waits', { reason: error.fault, seconds }),
      request: error.request,
      response: error.response,
    }
    await this.deps.lease.write((sql) => saveLogs(sql, this.origin, [entry], this.now()))
  }
}
