import { isWriteError } from '../support/disk-errors.ts'
import { compactOnce } from './compaction.ts'
import type { Storage } from './storage.ts'

/**
 * Compaction runs after this many appends or readings, with a limited number of merges per run; a run takes about ten
 * milliseconds at most.
 */
const COMPACT_EVERY = 32
const COMPACT_EVERY_READINGS = 16_000
const COMPACT_AT_ONCE = 4

/** Packs small chunks together in portions, between appends. */
export class Compactor {
  readonly #storage: Storage
  readonly #isKept: (id: number) => boolean
  #appends = 0
  #readings = 0
  /** all is processed up to this id */
  #doneTo = 0

  /** @param isKept whether a chunk must stay as it is */
  constructor(storage: Storage, isKept: (id: number) => boolean) {
    this.#storage = storage
    this.#isKept = isKept
  }

  /** @param readings that were appended @param before gives the id from which on chunks stay as they are */
  appended(readings: number, before: () => number): void {
    this.#readings += readings
    if (++this.#appends >= COMPACT_EVERY || this.#readings >= COMPACT_EVERY_READINGS) this.#compact(before())
  }

  /** Begins with the oldest chunk again. */
  restart(): void {
    this.#doneTo = 0
  }

  /** Never at the price of readings: where the disk takes nothing, small chunks stay small. */
  #compact(before: number): void {
    this.#appends = 0
    this.#readings = 0
    const storage = this.#storage
    try {
      for (let i = 0; i < COMPACT_AT_ONCE; i++) {
        const merge = () => compactOnce(storage.db, this.#doneTo, before, this.#isKept, storage.epochs, storage.sql.dictionary)
        const done = storage.withRecovery(() => storage.db.transaction(merge)())
        if (done === null) return
        this.#doneTo = done
      }
    } catch (error) {
      // the transaction may have given numbers to series, which were rolled back
      storage.sql.dictionary.forget()
      if (!isWriteError(error)) throw error
    }
  }
}
