import { retryCollisions } from '../../../db/errors.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'

interface Open {
  sql: TransactionSql
  commit(): Promise<void>
  rollback(): Promise<void>
}

/** Rolls a transaction back; nobody sees it. */
class RolledBack extends Error {}

/**
 * One transaction for all changes of a request, so that its answer commits with them. It begins with the first change: what a request
 * reads, calculates or asks others before that holds no transaction open. Statements follow each other without savepoints, because
 * streams tell transactions by the ids that rows carry (features/stream/cursor.ts).
 */
export class RequestTransaction {
  readonly #plain: TenantScope
  readonly #confirm: (sql: TransactionSql) => Promise<unknown>
  #open: Promise<Open> | null = null
  #failure: { error: unknown } | null = null

  /** @param confirm the first statements of the transaction */
  constructor(plain: TenantScope, confirm: (sql: TransactionSql) => Promise<unknown>) {
    this.#plain = plain
    this.#confirm = confirm
  }

  /** The scope whose changes are parts of the transaction, and whose reads see them. */
  get scope(): TenantScope {
    return { ...this.#plain, tx: (work) => this.tx(work), read: (work) => this.#read(work) }
  }

  get isOpen(): boolean {
    return this.#open !== null
  }

  /**
   * A change as a part of the transaction. One that fails rolls everything back. Where it was the first, the request may go on with others, as
   * after any transaction that failed; later it would go on without what it has changed before, so the request fails as a whole.
   */
  async tx<T>(work: (sql: TransactionSql) => Promise<T>): Promise<T> {
    this.#refuseFailed()
    const attempt = async () => {
      try {
        return await work((await this.#current()).sql)
      } catch (error) {
        await this.rollback()
        throw error
      }
    }
    return this.#open === null ? retryCollisions(attempt) : this.#last(attempt)
  }

  async commit(): Promise<void> {
    this.#refuseFailed()
    const open = await this.#open
    this.#open = null
    await open?.commit()
  }

  async rollback(): Promise<void> {
    const open = await this.#open?.catch(() => null)
    this.#open = null
    await open?.rollback()
  }

  async #read<T>(work: (sql: TransactionSql) => Promise<T>): Promise<T> {
    this.#refuseFailed()
    const open = await this.#open
    return open
      ? this.#last(() => work(open.sql)).catch(async (error) => {
          await this.rollback()
          throw error
        })
      : this.#plain.read(work)
  }

  async #last<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      this.#failure = { error }
      throw error
    }
  }

  #refuseFailed(): void {
    if (this.#failure) throw this.#failure.error
  }

  #current(): Promise<Open> {
    this.#open ??= this.#begin()
    return this.#open
  }

  async #begin(): Promise<Open> {
    const started = Promise.withResolvers<TransactionSql>()
    const ending = Promise.withResolvers<void>()
    let hasStarted = false
    const ended = this.#plain.tx(async (sql) => {
      // the work of the request cannot be repeated from here
      if (hasStarted) throw new Error('the transaction of a request collided with another one at its end')
      await this.#confirm(sql)
      hasStarted = true
      started.resolve(sql)
      await ending.promise
    })
    ended.catch(started.reject)
    ending.promise.catch(() => {})
    return {
      sql: await started.promise,
      commit: () => {
        ending.resolve()
        return ended
      },
      rollback: async () => {
        ending.reject(new RolledBack())
        await ended.catch(() => {})
      },
    }
  }
}
