import { randomUUID } from 'node:crypto'
import type { ErpEntity } from '../../../db/enums.ts'
import type { Pools } from '../../../db/pools.ts'
import { hubScope, type WorkScope } from '../../../db/scope.ts'
import type { Metrics } from '../../../metrics.ts'
import type { Logger } from '../../../support/logger.ts'
import type { OeeDeps } from '../../production/oee/index.ts'
import { type ConnectionRow, type ExchangeDeps, openSession } from '../open-session.ts'
import type { ErpSession } from '../providers/index.ts'
import { providerOf } from '../providers/index.ts'
import type { RunRow } from './active-run.ts'
import { drainChanges, drainTenant } from './change-queue.ts'
import { type Ended, executeRun, type RunEnd } from './execute-run.ts'
import { hasDueRecords } from './records.ts'
import { RunLease } from './run-lease.ts'
import { beginRun, claimAbandonedRun, type RunRequest } from './runs.ts'
import { claimDueConnection, endPass, entitiesOf, isAnyDue, isPullDue } from './schedule.ts'

/**
 * Tenants that one process serves at once, so that a slow ERP delays no other tenant. The connections of a tenant take turns, and each
 * gives its place back after a run while another tenant waits.
 */
const PLACES = 4

export type RunnerDeps = ExchangeDeps &
  OeeDeps & {
    pools: Pools
    logger: Logger
    metrics: Pick<Metrics, 'observeErpRun' | 'observeErpRecords'>
  }

export interface RunnerOptions {
  /** A run without a sign of life for this long is continued by another process. */
  leaseSeconds?: number
  /** tenants served at once */
  places?: number
  /** replaced in tests */
  open?: (row: ConnectionRow) => ErpSession
}

/** Runs the exchange in this process: manual syncs, and in hubs with the worker role the automatic ones. */
export class ErpRunner {
  readonly #deps: RunnerDeps
  readonly #stopping = new AbortController()
  readonly #underWay = new Set<Promise<unknown>>()
  /** tenants whose automatic exchange occupies one of the places */
  readonly #busy = new Set<string>()
  /** by the id of a connection that gave its place back: the last entity that it exchanged */
  readonly #last = new Map<string, ErpEntity>()
  readonly #places: number
  readonly #holder: { owner: string; leaseSeconds: number }
  readonly #open: (row: ConnectionRow) => ErpSession

  constructor(
    deps: RunnerDeps,
    { leaseSeconds = 30, places = PLACES, open = (row) => openSession(deps, providerOf(row.provider), row) }: RunnerOptions = {},
  ) {
    this.#deps = deps
    this.#places = places
    this.#holder = { owner: randomUUID(), leaseSeconds }
    this.#open = open
  }

  /** aborted when the hub stops */
  get signal(): AbortSignal {
    return this.#stopping.signal
  }

  /** Begins a run and executes it in the background. @returns `run` null: see `beginRun`; `ended` never rejects */
  async start(
    scope: WorkScope,
    connectionId: string,
    request: RunRequest & { trigger: RunRow['trigger'] },
  ): Promise<{ connection: ConnectionRow | null; run: RunRow | null; ended: Promise<Ended | null> }> {
    const key = { tenantId: scope.tenantId, connectionId }
    const begun = await scope.tx((sql) => beginRun(sql, key, request, this.#holder, scope.clock.now()))
    const { run, connection } = begun
    return { ...begun, ended: run && connection ? this.#execute(scope, run, connection) : Promise.resolve(null) }
  }

  /**
   * One tick of the job: drains the change queue, continues runs of processes that were killed, and begins automatic runs that are
   * due. Runs go on in the background.
   */
  async tick(now: Date): Promise<void> {
    const { pools } = this.#deps
    await drainChanges(pools.system, () => this.signal.aborted)
    while (this.#hasRoom()) {
      const claimed = await claimAbandonedRun(pools.system, this.#holder, [...this.#busy])
      if (!claimed) break
      const { run, connection } = claimed
      this.#deps.logger.info({ run_id: run.id, connection_id: connection.id }, 'an ERP run continues after its process ended')
      this.#serve(connection, () => this.#execute(this.#scopeOf(connection), run, connection))
    }
    while (this.#hasRoom()) {
      const connection = await claimDueConnection(pools.system, now, [...this.#busy])
      if (!connection) break
      this.#serve(connection, () => this.#pass(connection))
    }
  }

  /** Waits for the runs that are under way in this process. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }

  /** Ends calls under way; another process continues the runs. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the hub stops'))
    await this.idle()
  }

  #hasRoom(): boolean {
    return this.#busy.size < this.#places && !this.signal.aborted
  }

  #scopeOf({ tenantId, name }: ConnectionRow): WorkScope {
    return hubScope(this.#deps.pools, this.#deps.clock, tenantId, `ERP exchange: ${name}`)
  }

  /** Occupies one of the places of this process until the work ends. */
  #serve({ tenantId }: ConnectionRow, work: () => Promise<unknown>): void {
    this.#busy.add(tenantId)
    this.#track(work().finally(() => this.#busy.delete(tenantId)))
  }

  #track<T>(work: Promise<T>): Promise<T | null> {
    const ended = work.catch((error) => {
      if (!this.signal.aborted)
        this.#deps.logger.warn({ err: error }, 'an ERP run was interrupted; it continues when its lease ends')
      return null
    })
    this.#underWay.add(ended)
    ended.finally(() => this.#underWay.delete(ended))
    return ended
  }

  #execute(scope: WorkScope, run: RunRow, connection: ConnectionRow): Promise<Ended | null> {
    const { logger, metrics } = this.#deps
    const { owner, leaseSeconds } = this.#holder
    const lease = new RunLease(
      { scope, runId: run.id, connectionId: run.connectionId, owner, seconds: leaseSeconds, logger },
      this.signal,
    )
    const work = async () => {
      const ended = await executeRun({ scope, run, connection, lease, oee: this.#deps, logger }, this.#open)
      if (!ended) return null
      metrics.observeErpRun(run.direction, run.entityType, ended.status)
      for (const [status, count] of Object.entries(ended.counts)) metrics.observeErpRecords(run.entityType, status, count)
      return ended
    }
    return this.#track(work())
  }

  /**
   * The entities of a connection one after another. An ERP that cannot be used ends the pass. So does another tenant that waits for a
   * place, after a run: the next pass goes on with the next entity.
   */
  async #pass(connection: ConnectionRow): Promise<void> {
    const scope = this.#scopeOf(connection)
    const startedAt = scope.clock.now()
    await drainTenant(scope)
    const ends: RunEnd[] = []
    const entities = entitiesAfter(entitiesOf(connection), this.#last.get(connection.id))
    this.#last.delete(connection.id)
    let [isUnavailable, isYielded] = [false, false]
    for (const [index, entity] of entities.entries()) {
      if (!(await this.#isDue(scope, connection, entity, startedAt))) continue
      const direction = entity === 'machine' ? ('inbound' as const) : ('outbound' as const)
      const { run, ended } = await this.start(scope, connection.id, {
        direction,
        entityType: entity,
        entityId: null,
        trigger: 'automatic',
      })
      // A manual sync is running, or the connection was changed: the next pass comes soon.
      if (!run) return
      const end = await ended
      if (!end) return
      ends.push(end.status)
      isUnavailable = end.isUnavailable
      isYielded = !isUnavailable && index < entities.length - 1 && (await this.#isAwaited())
      if (isYielded) this.#last.set(connection.id, entity)
      if (isUnavailable || isYielded) break
    }
    await endPass(scope, connection, { startedAt, ends, isUnavailable, isYielded })
  }

  /** Whether a tenant without a place waits for one. */
  async #isAwaited(): Promise<boolean> {
    return !this.#hasRoom() && isAnyDue(this.#deps.pools.system, this.#deps.clock.now(), [...this.#busy])
  }

  /** Runs without work would only fill the list of runs. */
  #isDue(scope: WorkScope, connection: ConnectionRow, entity: ErpEntity, now: Date): Promise<boolean> {
    if (entity === 'machine') return isPullDue(scope, connection, now)
    const key = { tenantId: connection.tenantId, connectionId: connection.id, entity }
    return scope.read((sql) => hasDueRecords(sql, key, now))
  }
}

/** The entities in their order, beginning after one of them. */
function entitiesAfter(entities: ErpEntity[], last: ErpEntity | undefined): ErpEntity[] {
  const first = last === undefined ? 0 : entities.indexOf(last) + 1
  return [...entities.slice(first), ...entities.slice(0, first)]
}
