import { existsSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import type { Clock } from '../support/clock.ts'
import { isCorruptionError, isDiskUnusable } from '../support/disk-errors.ts'
import { makePrivateFile, makePrivateFolder, quarantine, syncFile, syncFolder } from '../support/durable-file.ts'
import type { Logger } from '../support/logger.ts'
import { shortError } from '../support/short-error.ts'
import { GrowthLimit } from './growth-limit.ts'
import { MEMORY_BYTES, openMemoryDatabase } from './memory-database.ts'
import { migrate } from './migrations.ts'
import { salvage } from './salvage.ts'

export interface DatabaseFileOptions {
  /** the SQLite file; made when absent */
  file: string
  clock: Clock
  logger: Logger
  /** called with every opened database, before it is used */
  onOpen?: (db: Database.Database) => void
  /** called before a file is written where it was removed, or could not be written so far; throws where that is not allowed */
  beforeRestore?: () => void
  /** the schema of an older agent that may have to read the file again; absent: none */
  readableBy?: number | undefined
}

/** Interval of the check that the database file still exists at its path. */
const CHECK_INTERVAL_MS = 1_000
/** How often a disk that could not be used is tried again. */
const TRY_DISK_MS = 10_000
/** Suffixes of the database file, its WAL and its shared-memory index. */
const SQLITE_FILES = ['', '-wal', '-shm']

/**
 * The buffer's database. It quarantines a damaged file, takes over what can be read of it and creates a new database; where the disk cannot be
 * used at all, it keeps readings in memory until it can. All of that is reported: a stopped agent loses more readings.
 */
export class DatabaseFile {
  readonly #options: DatabaseFileOptions
  readonly #growth: GrowthLimit
  #db: Database.Database
  #inode = 0n
  #checkedAt = Number.NEGATIVE_INFINITY
  /** why the file could not be put back, for the log to say it once */
  #missing = ''
  /** why the database is in memory, and when the disk was last tried (monotonic ms); null: it is on disk */
  #unusable: { reason: string; triedAt: number } | null = null
  /** a damaged file that was moved aside, of which nothing could be taken over so far */
  #unsalvaged: string | null = null

  /** @throws Error when the file belongs to a newer agent, or this user may not write to its folder */
  constructor(options: DatabaseFileOptions) {
    this.#options = options
    this.#growth = new GrowthLimit(options.file)
    this.#db = this.#openOrLeave()
    if (!this.#unusable) this.#limitGrowth()
  }

  get db(): Database.Database {
    return this.#db
  }

  /** Why the disk cannot be used and readings are kept in memory; null: they are on disk. */
  get unusable(): string | null {
    return this.#unusable?.reason ?? null
  }

  /** Bytes that the file can still grow by: those that the disk has left, none while it is full. */
  freeBytes(): number {
    if (!this.#unusable) return this.#growth.freeBytes()
    return MEMORY_BYTES - Number(this.#db.pragma('page_count', { simple: true })) * 4_096
  }

  /** Makes a call that touches the database. Where that proves damaged, it is replaced and the call made once more. */
  guarded<T>(act: () => T, onReplaced: () => void): T {
    try {
      return act()
    } catch (error) {
      if (!isCorruptionError(error)) throw error
      this.#db.close()
      this.#db = this.#replaceOrLeave()
      onReplaced()
      return act()
    }
  }

  /** The disk is full: see {@link GrowthLimit.stopGrowing}. */
  stopGrowing(): boolean {
    if (this.#unusable || !this.#growth.stopGrowing(this.#db, this.#options.clock.monotonic())) return false
    this.#reportFull()
    return true
  }

  /** The disk fails: readings are kept in memory from now on. @returns false when they are already */
  leaveDisk(error: unknown): boolean {
    if (this.#unusable) return false
    this.#db.close()
    this.#db = this.#openInMemory(error)
    return true
  }

  /**
   * Writes the file again where somebody removed or replaced it. The operating system accepts writes to a removed file and
   * discards them when the process ends.
   * @returns whether the database was opened again; it holds the same rows under the same ids
   */
  putBack(): boolean {
    const { file, clock, logger, beforeRestore } = this.#options
    const now = clock.monotonic()
    if (this.#unusable || now - this.#checkedAt < CHECK_INTERVAL_MS) return false
    this.#checkedAt = now
    if (this.#growth.growAgain(this.#db, now)) logger.info({ file }, 'the disk has room again')
    if (inodeOf(file) === this.#inode) return false
    try {
      makePrivateFolder(dirname(file))
      beforeRestore?.()
      this.#copyBack()
    } catch (error) {
      const why = shortError(error)
      if (why !== this.#missing) logger.error({ file, error: why }, 'the buffer was removed from disk and cannot be put back yet')
      this.#missing = why
      return false
    }
    this.#missing = ''
    logger.error({ file }, 'the buffer was removed from disk while the agent runs; it was put back')
    return true
  }

  /**
   * Tries now and then whether a disk that could not be used takes the buffer again.
   * @param copy copies what was kept in memory; a failure leaves all as it is
   * @returns whether the database is on disk again; its rows have other ids
   */
  tryDisk(copy: (memory: Database.Database, disk: Database.Database) => void): boolean {
    const { clock, logger, file, beforeRestore } = this.#options
    const now = clock.monotonic()
    if (!this.#unusable || now - this.#unusable.triedAt < TRY_DISK_MS) return false
    this.#unusable.triedAt = now
    const memory = this.#db
    let disk: Database.Database | undefined
    try {
      makePrivateFolder(dirname(file))
      beforeRestore?.()
      disk = this.#open()
      if (this.#unsalvaged) this.#salvage(this.#unsalvaged, disk)
      copy(memory, disk)
    } catch (error) {
      disk?.close()
      // Another call tries it again, and begins with an empty file.
      if (isCorruptionError(error)) this.#unsalvaged = this.#moveAside(DAMAGED)
      return false
    }
    memory.close()
    this.#db = disk
    this.#unusable = null
    this.#limitGrowth()
    logger.info({ file }, 'the disk can be used again: readings that were kept in memory are on it')
    return true
  }

  close(): void {
    this.#db.close()
  }

  #copyBack(): void {
    const { file } = this.#options
    const copy = `${file}.new`
    if (existsSync(copy)) renameSync(copy, `${copy}.old`)
    makePrivateFile(copy)
    this.#db.prepare('VACUUM INTO ?').run(copy)
    syncFile(copy)
    if (existsSync(file)) this.#moveAside('another file was put in the place of the buffer; it was moved aside')
    for (const suffix of ['-wal', '-shm']) if (existsSync(file + suffix)) renameSync(file + suffix, `${file}${suffix}.old`)
    renameSync(copy, file)
    syncFolder(dirname(file))
    const old = this.#db
    this.#db = this.#open()
    old.close()
  }

  #openOrLeave(): Database.Database {
    const { file } = this.#options
    try {
      makePrivateFolder(dirname(file))
      return this.#open()
    } catch (error) {
      if (isCorruptionError(error)) return this.#replaceOrLeave()
      if (!isDiskUnusable(error, dirname(file))) throw error
      // Opening needs a little space, and the reserve is for that.
      return this.#growth.release() ? this.#openOrLeave() : this.#openInMemory(error)
    }
  }

  #openInMemory(error: unknown): Database.Database {
    const { file, clock, logger } = this.#options
    this.#unusable = { reason: shortError(error), triedAt: clock.monotonic() }
    logger.error(
      { file, error: this.#unusable.reason },
      'the disk cannot be used: readings are kept in memory, up to 64 MB, and lost if the agent ends before the disk can be used again',
    )
    return openMemoryDatabase()
  }

  #open(): Database.Database {
    // SQLite gives its log and index files the mode of the database
    for (const suffix of SQLITE_FILES)
      if (suffix === '' || existsSync(this.#options.file + suffix)) makePrivateFile(this.#options.file + suffix)
    const db = new Database(this.#options.file, { timeout: 5_000 })
    try {
      db.pragma('journal_mode = WAL')
      // NORMAL lost acknowledged rows at a power cut.
      db.pragma('synchronous = FULL')
      db.pragma('journal_size_limit = 8388608')
      this.#options.onOpen?.(db)
      migrate(db, this.#options.readableBy)
      // A file that can only be read opens all the same.
      db.exec('BEGIN IMMEDIATE; ROLLBACK')
      this.#inode = inodeOf(this.#options.file)
      return db
    } catch (error) {
      db.close()
      throw error
    }
  }

  /** Moves the damaged file aside, and takes over into a new one what can still be read. */
  #replaceOrLeave(): Database.Database {
    const { file, logger } = this.#options
    let kept: string | null = null
    try {
      kept = this.#moveAside(DAMAGED)
      const db = this.#open()
      this.#salvage(kept, db)
      return db
    } catch (error) {
      if (!isDiskUnusable(error, dirname(file))) throw error
      this.#unsalvaged = kept
      logger.error({ error: shortError(error) }, 'nothing can be taken over from the damaged buffer before the disk can be used')
      return this.#openInMemory(error)
    }
  }

  #salvage(kept: string, into: Database.Database): void {
    const { clock, logger } = this.#options
    try {
      const { readings, lost } = salvage(kept, into, clock.now())
      logger.error({ readings, lost }, 'readings were taken over from the damaged buffer; the others are recorded as a gap')
    } catch (error) {
      logger.error({ error: shortError(error) }, 'nothing more can be taken over from the damaged buffer')
    }
    this.#unsalvaged = null
  }

  #moveAside(why: string): string {
    const { file, clock, logger } = this.#options
    return quarantine(file, why, logger, clock.now(), SQLITE_FILES)
  }

  #limitGrowth(): void {
    if (!this.#growth.begin(this.#db, this.#options.clock.monotonic())) this.#reportFull()
  }

  #reportFull(): void {
    const { file, logger } = this.#options
    logger.error({ file }, 'the disk is full: the buffer grows no further until it has room again')
  }
}

const DAMAGED = 'the buffer on disk is damaged; it was moved aside, and what can be read of it is taken over'

const inodeOf = (file: string): bigint => statSync(file, { bigint: true, throwIfNoEntry: false })?.ino ?? 0n
