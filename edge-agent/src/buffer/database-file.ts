import { existsSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import type { Clock } from '../support/clock.ts'
import { makePrivateFile, makePrivateFolder, quarantine, syncFile, syncFolder } from '../support/durable-file.ts'
import type { Logger } from '../support/logger.ts'
import { shortError } from '../support/short-error.ts'
import { DiskReserve } from './disk-reserve.ts'
import { migrate } from './migrations.ts'
import { salvage } from './salvage.ts'
import { isCorruptionError, isWriteError } from './sqlite-errors.ts'

export interface DatabaseFileOptions {
  /** the SQLite file; made when absent */
  file: string
  clock: Clock
  logger: Logger
  /** called with every opened database, before it is used */
  onOpen?: (db: Database.Database) => void
  /** called before a removed file is written again; throws where that is not allowed */
  onTakenAway?: () => void
}

/** Interval of the check that the database file still exists at its path. */
const LOOK_MS = 1_000
/** Interval of the check whether a full disk has free space again. */
const ROOM_AGAIN_MS = 60_000
/** WAL size in pages that triggers a checkpoint: SQLite's default, and the minimum on a full disk. */
const LOG_PAGES = 1_000
const LOG_PAGES_MIN = 16
/** Maximum free pages that the file allocates on a full disk: half of the reserved space; the WAL gets the other half. */
const PINNED_PAGES = 640
/**
 * The file's share of the remaining space on a full disk. The WAL gets the same share, and the other files in the folder the
 * rest.
 */
const PINNED_SHARE = 0.4
/** Suffixes of the database file, its WAL and its shared-memory index. */
const SQLITE_FILES = ['', '-wal', '-shm']

/**
 * The buffer's database. It quarantines a damaged file, reports that and creates a new database, because a stopped agent loses
 * more readings.
 */
export class DatabaseFile {
  readonly #options: DatabaseFileOptions
  readonly #reserve: DiskReserve
  #db: Database.Database
  #inode = 0n
  #lookedAt = Number.NEGATIVE_INFINITY
  /** when the disk was last found full (monotonic ms); null: the file may grow */
  #fullSince: number | null = null
  /** SQLite's limit of pages on a disk with room */
  #pagesMost = 0
  /** why the file could not be put back, for the log to say it once */
  #missing = ''

  constructor(options: DatabaseFileOptions) {
    this.#options = options
    this.#reserve = new DiskReserve(options.file)
    makePrivateFolder(dirname(options.file))
    try {
      this.#db = this.#open()
    } catch (error) {
      if (!isCorruptionError(error)) throw error
      this.#db = this.#replace()
    }
    if (!this.#reserve.hold()) this.#pin()
  }

  get db(): Database.Database {
    return this.#db
  }

  /** Bytes that the file can still grow by: those that the disk has left, none while it is full. */
  freeBytes(): number {
    return this.#fullSince === null ? this.#reserve.freeBytes() : 0
  }

  /** Makes a call that touches the database. Where that proves damaged, it is replaced and the call made once more. */
  guarded<T>(act: () => T, onReplaced: () => void): T {
    try {
      return act()
    } catch (error) {
      if (!isCorruptionError(error)) throw error
      this.#db.close()
      this.#db = this.#replace()
      onReplaced()
      return act()
    }
  }

  /**
   * The disk is full: releases the reserved space, so that a checkpoint of the WAL can run, and assigns a part of it to the file.
   * From then on dropped readings make room for new ones within that space.
   * @returns false when the file was limited before, or nothing was reserved
   */
  stopGrowing(): boolean {
    if (this.#fullSince !== null || !this.#reserve.release()) return false
    this.#db.pragma('wal_checkpoint(RESTART)')
    this.#pin()
    return true
  }

  /**
   * Limits the file's growth to a part of what the disk has left, and allocates that part now: a checkpoint must not need space
   * when another program has filled the disk. Writing it through the WAL gives the WAL as much space of its own.
   */
  #pin(): void {
    const ask = (name: string) => Number(this.#db.pragma(name, { simple: true }))
    const pages = Math.min(
      PINNED_PAGES,
      Math.floor((this.#reserve.freeBytes() * PINNED_SHARE) / ask('page_size')) - ask('freelist_count'),
    )
    if (pages > 0) this.#takePages(pages, ask('page_size'))
    this.#pagesMost = ask('max_page_count')
    this.#db.pragma(`max_page_count = ${ask('page_count')}`)
    this.#db.pragma(`wal_autocheckpoint = ${Math.max(LOG_PAGES_MIN, pages >> 1)}`)
    this.#fullSince = this.#options.clock.monotonic()
    this.#options.logger.error(
      { file: this.#options.file },
      'the disk is full: from here on the oldest readings make room for new ones',
    )
  }

  #takePages(pages: number, pageBytes: number): void {
    try {
      this.#db.exec(`CREATE TABLE filler (body BLOB); INSERT INTO filler VALUES (zeroblob(${pages * (pageBytes - 16)}))`)
      this.#db.pragma('wal_checkpoint(RESTART)')
    } catch (error) {
      if (!isWriteError(error)) throw error
    }
    this.#givePages()
  }

  /** The allocated pages are free within the file; where even this write fails, a later one succeeds. */
  #givePages(): void {
    try {
      this.#db.exec('DROP TABLE IF EXISTS filler')
    } catch (error) {
      if (!isWriteError(error)) throw error
    }
  }

  /** Looks now and then whether a disk that was full has room again. */
  #growAgain(now: number): void {
    if (this.#fullSince === null || now - this.#fullSince < ROOM_AGAIN_MS) return
    this.#fullSince = now
    this.#givePages()
    if (!this.#reserve.hold()) return
    this.#fullSince = null
    this.#db.pragma(`max_page_count = ${this.#pagesMost}`)
    this.#db.pragma(`wal_autocheckpoint = ${LOG_PAGES}`)
    this.#options.logger.info({ file: this.#options.file }, 'the disk has room again')
  }

  /**
   * Writes the file again where somebody removed or replaced it. The operating system accepts writes to a removed file and
   * discards them when the process ends.
   * @returns whether the database was opened again; it holds the same rows under the same ids
   */
  putBack(): boolean {
    const { file, clock, logger, onTakenAway } = this.#options
    const now = clock.monotonic()
    if (now - this.#lookedAt < LOOK_MS) return false
    this.#lookedAt = now
    this.#growAgain(now)
    if (inodeOf(file) === this.#inode) return false
    try {
      makePrivateFolder(dirname(file))
      onTakenAway?.()
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
      migrate(db)
      this.#inode = inodeOf(this.#options.file)
      return db
    } catch (error) {
      db.close()
      throw error
    }
  }

  /** Moves the damaged file aside, and takes over into a new one what can still be read. */
  #replace(): Database.Database {
    const { clock, logger } = this.#options
    const kept = this.#moveAside('the buffer on disk is damaged; it was moved aside, and what can be read of it is taken over')
    const db = this.#open()
    try {
      const { readings, lost } = salvage(kept, db, clock.now())
      logger.error({ readings, lost }, 'readings were taken over from the damaged buffer; the others are recorded as a gap')
    } catch (error) {
      logger.error({ error: shortError(error) }, 'nothing more can be taken over from the damaged buffer')
    }
    return db
  }

  #moveAside(why: string): string {
    const { file, clock, logger } = this.#options
    return quarantine(file, why, logger, clock.now(), SQLITE_FILES)
  }
}

const inodeOf = (file: string): bigint => statSync(file, { bigint: true, throwIfNoEntry: false })?.ino ?? 0n
