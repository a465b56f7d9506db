import { setTimeout as sleep } from 'node:timers/promises'
import type { TenantScope } from '../../../db/scope.ts'
import { Conflict, NotFound, Unavailable } from '../../../support/errors.ts'
import type { ConnectionRow } from '../open-session.ts'
import type { ErpRunner } from './erp-runner.ts'
import { entriesOf, type LogRow, type RunRequest } from './runs.ts'

/** Entries of one answer; a pull may have more, which its run lists. */
const MAX_ENTRIES = 10_000
const POLL_MS = 200

export interface SyncTimes {
  /** how long a sync waits for another run of the connection */
  waitMs: number
  /** how long a sync waits for the end of its own run */
  answerMs: number
}

/**
 * Synchronizes by hand. It is tried once even while the circuit breaker is open, or automatic runs are paused.
 * @returns the log entries of the run; those so far when it takes longer than `answerMs`
 * @throws Conflict `sync_running`, `erp_connection_inactive`; NotFound; Unavailable when the hub stops
 */
export async function startSync(
  runner: ErpRunner,
  scope: TenantScope,
  { id, name }: Pick<ConnectionRow, 'id' | 'name'>,
  request: RunRequest,
  { waitMs, answerMs }: SyncTimes = { waitMs: 10_000, answerMs: 60_000 },
): Promise<LogRow[]> {
  const started = await begin(runner, scope, id, request, waitMs)
  if (!started)
    throw new Conflict('sync_running', `Another synchronization of ${name} is running. Repeat the request when it has ended.`)
  const timer = new AbortController()
  const late = sleep(answerMs, undefined, { signal: AbortSignal.any([timer.signal, runner.signal]) }).catch(() => undefined)
  await Promise.race([started.ended, late])
  timer.abort()
  return scope.read((sql) => entriesOf(sql, scope.tenantId, started.runId, MAX_ENTRIES))
}

/** @returns null when another run did not end in time */
async function begin(runner: ErpRunner, scope: TenantScope, id: string, request: RunRequest, waitMs: number) {
  for (const deadline = performance.now() + waitMs; ; ) {
    if (runner.signal.aborted) throw new Unavailable('hub_stopping', 'The hub is stopping. Repeat the request in a few seconds.')
    const { connection, run, ended } = await runner.start(scope, id, { ...request, trigger: 'manual' })
    if (!connection) throw new NotFound('erp connection', id)
    if (!connection.isActive)
      throw new Conflict('erp_connection_inactive', 'The connection is inactive: activate it, then repeat the request.')
    if (run) return { runId: run.id, ended }
    if (performance.now() + POLL_MS > deadline) return null
    await sleep(POLL_MS, undefined, { signal: runner.signal }).catch(() => undefined)
  }
}
