import type { TransactionSql } from '../../../db/pools.ts'
import type { WorkScope } from '../../../db/scope.ts'
import type { Logger } from '../../../support/logger.ts'

/** The run ended or another process continues it: this process must write nothing more. */
export class LeaseLost extends Error {
  override name = 'LeaseLost'
}

/** What a write adds to the counters of its run. */
export interface Progress {
  succeeded?: number
  failed?: number
  skipped?: number
}

interface LeaseOf {
  scope: WorkScope
  runId: string
  connectionId: string
  /** this process */
  owner: string
  seconds: number
  logger: Logger
}

/** The part of a lease after which a process without contact to the database stops its calls. */
const USABLE = 0.8

/**
 * The right of this process to one run. It is renewed in the background; `signal` aborts when it is lost and when the hub stops.
 * Each write of the run is one transaction that locks its connection and then the run, so a process without the lease writes nothing. Whoever
 * changes a connection locks both in the same order.
 */
export class RunLease {
  readonly signal: AbortSignal
  readonly #of: LeaseOf
  readonly #lost = new AbortController()
  readonly #timer: NodeJS.Timeout
  #renewedAt = performance.now()

  constructor(lease: LeaseOf, stopping: AbortSignal) {
    this.#of = lease
    this.signal = AbortSignal.any([this.#lost.signal, stopping])
    this.#timer = setInterval(() => void this.#renew(), (lease.seconds * 1_000) / 3)
  }

  /** @throws LeaseLost, or the reason of the abort when the hub stops */
  assertHeld(): void {
    if (performance.now() - this.#renewedAt > this.#of.seconds * 1_000 * USABLE) this.#lose()
    this.signal.throwIfAborted()
  }

  /**
   * Runs work in a transaction that renews the lease and adds to the counters.
   * @param willChange the work changes the connection too
   * @throws LeaseLost
   */
  async write<T>(
    work: (sql: TransactionSql) => Promise<T>,
    { succeeded = 0, failed = 0, skipped = 0 }: Progress = {},
    willChange = false,
  ): Promise<T> {
    const started = performance.now()
    const result = await this.#of.scope.tx(async (sql) => {
      await sql`
        select from erp_connections where tenant_id = ${this.#of.scope.tenantId} and id = ${this.#of.connectionId}
        for ${sql.unsafe(willChange ? 'no key update' : 'key share')}`
      const rows = await sql`
        update erp_runs set leased_until = now() + make_interval(secs => ${this.#of.seconds}), succeeded = succeeded + ${succeeded},
          failed = failed + ${failed}, skipped = skipped + ${skipped}
        where tenant_id = ${this.#of.scope.tenantId} and id = ${this.#of.runId} and leased_by = ${this.#of.owner} and status = 'running'
        returning id`
      if (rows.length === 0) throw this.#lose()
      return work(sql)
    })
    this.#renewedAt = started
    return result
  }

  /** Ends the renewal. */
  end(): void {
    clearInterval(this.#timer)
  }

  /** Lets another process continue the run at once. */
  async release(): Promise<void> {
    await this.#of.scope.tx(
      (sql) => sql`
        update erp_runs set leased_until = now()
        where tenant_id = ${this.#of.scope.tenantId} and id = ${this.#of.runId} and leased_by = ${this.#of.owner} and status = 'running'`,
    )
  }

  #lose(): LeaseLost {
    const lost = new LeaseLost('another process continues this run, or it was ended')
    if (!this.#lost.signal.aborted) this.#lost.abort(lost)
    return lost
  }

  async #renew(): Promise<void> {
    try {
      await this.write(async () => {})
    } catch (error) {
      if (error instanceof LeaseLost) return
      this.#of.logger.warn({ err: error, run_id: this.#of.runId }, 'the lease of an ERP run could not be renewed')
      if (performance.now() - this.#renewedAt > this.#of.seconds * 1_000 * USABLE) this.#lose()
    }
  }
}
