import type { Database } from 'better-sqlite3'
import type { Clock } from '../support/clock.ts'
import { isBusyError, isDiskFailure, isDiskFullError, isWriteError } from '../support/disk-errors.ts'
import { shortError } from '../support/short-error.ts'
import { type ClockAnchor, ClockEpochs } from './clock-epochs.ts'
import { DatabaseFile, type DatabaseFileOptions } from './database-file.ts'
import { dropOngoing, endOngoing, Gaps, sealGaps, writeAlive } from './gaps.ts'
import { copyBehind } from './memory-database.ts'
import { prepareStatements, type Statements } from './statements.ts'

export interface StorageOptions extends DatabaseFileOptions {
  /** the clock that dates the readings, until {@link ReadingBuffer.settleClock} corrects them; null: they are right as they are */
  clockAnchor?: ClockAnchor | null
}

export interface StorageHooks {
  /** Another database is open: chunks that were known by their id may have become others. */
  onReplaced(): void
  /** The disk is full. @returns readings dropped; 0 when none can be dropped */
  dropOldest(): number
}

/** How exact the end of missed polls is after a crash. */
const ALIVE_EVERY_MS = 10_000

/**
 * Transactions on the buffer's file. They are repeated after damage was repaired or room was made, and what could not be recorded is written
 * with the next one that succeeds.
 */
export class Storage {
  /** lost while nothing could be written, and missed polls that the next transaction writes */
  readonly unwritten = new Gaps()
  readonly epochs: ClockEpochs
  readonly #file: DatabaseFile
  readonly #hooks: StorageHooks
  #sql: Statements
  #fault: string | null = null
  readonly #clock: Clock
  #hasUsedDisk: boolean
  /** of the last write to `last_alive`, monotonic ms */
  #aliveAt = Number.NEGATIVE_INFINITY

  constructor(options: StorageOptions, hooks: StorageHooks) {
    this.#hooks = hooks
    this.#clock = options.clock
    this.#file = new DatabaseFile(options)
    this.#hasUsedDisk = this.#file.unusable === null
    this.#sql = prepareStatements(this.db)
    this.epochs = new ClockEpochs(options.clockAnchor ?? null)
  }

  /** Reads what the file holds; once, before anything else. */
  load(): void {
    this.withRecovery(() => this.epochs.reload(this.db))
  }

  get db(): Database {
    return this.#file.db
  }

  get sql(): Statements {
    return this.#sql
  }

  /** Why readings could not be written the last time; null: they were. */
  get fault(): string | null {
    return this.#fault
  }

  /** Why the disk cannot be used and readings are kept in memory; null: they are on disk. */
  get unusableDisk(): string | null {
    return this.#file.unusable
  }

  /** Bytes that the file can still grow by. */
  freeBytes(): number {
    return this.#file.freeBytes()
  }

  /** Writes the file again where somebody removed it, or where the disk could not be used before. */
  putBack(): void {
    if (this.#file.putBack()) this.#sql = prepareStatements(this.db)
    const copy = (memory: Database, disk: Database) =>
      disk.transaction(() => {
        // On a disk that this process has not used so far, they are of the run before.
        if (this.#hasUsedDisk) dropOngoing(disk)
        else {
          endOngoing(disk)
          sealGaps(disk)
        }
        copyBehind(memory, disk, this.epochs)
      })()
    if (!this.#file.tryDisk(copy)) return
    this.#hasUsedDisk = true
    this.#replaced()
  }

  /** Makes a call that touches the database; once more with a repaired one where that proves damaged. */
  withRecovery<T>(act: () => T): T {
    return this.#file.guarded(act, () => this.#replaced())
  }

  #replaced(): void {
    this.#sql = prepareStatements(this.db)
    this.epochs.restart(this.db)
    this.unwritten.rewriteOngoing()
    this.#hooks.onReplaced()
  }

  /**
   * One transaction, with what could not be written before. On a full disk, others make room until it fits; on one that fails, it takes place in
   * memory.
   * @returns null when nothing can be written; {@link fault} says why
   */
  write<T>(act: () => T): { value: T } | null {
    for (;;) {
      try {
        const value = this.withRecovery(() =>
          this.db.transaction(() => {
            this.epochs.write(this.db)
            this.unwritten.write(this.db)
            this.#writeAlive()
            return act()
          })(),
        )
        this.unwritten.written()
        this.epochs.written(this.db)
        return { value }
      } catch (error) {
        this.#sql.dictionary.forget()
        if (!isWriteError(error)) throw error
        if (!isBusyError(error) && this.#makeRoom(isDiskFullError(error))) continue
        if (isDiskFailure(error) && this.#file.leaveDisk(error)) {
          this.#replaced()
          continue
        }
        this.#fault = shortError(error)
        return null
      }
    }
  }

  #writeAlive(): void {
    const now = this.#clock.monotonic()
    if (!this.unwritten.hasOngoing || now - this.#aliveAt < ALIVE_EVERY_MS) return
    writeAlive(this.db, Math.round(this.#clock.now() + this.epochs.currentOffsetMs))
    this.#aliveAt = now
  }

  /**
   * A transaction that a power cut may undo: it waits for no flush of the disk. The next one that does flushes it too.
   * @returns as {@link write}
   */
  writeWithoutFlush<T>(act: () => T): { value: T } | null {
    // What is recorded of losses must not be lost itself.
    if (!this.unwritten.isEmpty) return this.write(act)
    this.db.pragma('synchronous = NORMAL')
    try {
      return this.write(act)
    } finally {
      this.db.pragma('synchronous = FULL')
    }
  }

  /** Readings were written. */
  clearFault(): void {
    this.#fault = null
  }

  close(): void {
    if (!this.unwritten.isEmpty) this.write(() => undefined)
    this.#file.close()
  }

  #makeRoom(isDiskFull: boolean): boolean {
    try {
      if (isDiskFull && this.withRecovery(() => this.#file.stopGrowing())) return true
      // A delete needs a few pages of the log; they are used again once they are in the main file.
      return this.withRecovery(() => {
        this.db.pragma('wal_checkpoint(RESTART)')
        return this.#hooks.dropOldest() > 0
      })
    } catch (error) {
      if (isWriteError(error)) return false
      throw error
    }
  }
}
