import { isWriteError } from '../support/disk-errors.ts'
import type { Storage } from './storage.ts'

/**
 * Chunks that were sent without an answer: the hub may have them. The buffer drops them last, so that readings reported as dropped are truly
 * missing.
 */
export class UnconfirmedChunks {
  readonly #ids = new Set<number>()

  /** Reads those of before a restart. */
  load({ db }: Storage): void {
    for (const id of db.prepare<[], number>('SELECT id FROM doubtful').pluck().all()) this.#ids.add(id)
  }

  get size(): number {
    return this.#ids.size
  }

  has(id: number): boolean {
    return this.#ids.has(id)
  }

  /** Persisted across a restart, unless the disk accepts no write: readings come first. */
  add(ids: readonly number[], storage: Storage): void {
    for (const id of ids) this.#ids.add(id)
    try {
      storage.withRecovery(() =>
        storage.db.transaction(() => {
          for (const id of ids) storage.sql.markUnconfirmed.run(id)
        })(),
      )
    } catch (error) {
      if (!isWriteError(error)) throw error
    }
  }

  delete(id: number): void {
    this.#ids.delete(id)
  }

  /** Forgets those that no longer exist. @param oldest id of the oldest chunk on disk */
  deleteBefore(oldest: number): void {
    for (const id of this.#ids) if (id < oldest) this.#ids.delete(id)
  }

  clear(): void {
    this.#ids.clear()
  }
}
