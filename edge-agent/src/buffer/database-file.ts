import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import type { Clock } from '../support/clock.ts'
import type { Logger } from '../support/logger.ts'
import { plainError } from '../support/plain-error.ts'
import { isDamage } from './faults.ts'
import { migrate } from './migrations.ts'

export interface DatabaseFileOptions {
  /** the SQLite file; made when absent */
  file: string
  clock: Clock
  logger: Logger
  /** called with every opened database, before it is used */
  onOpen?: (db: Database.Database) => void
  /** called before a file that somebody took away is written anew; throws where that must not be */
  onTakenAway?: () => void
}

/** How often it is looked whether the file is still where it was. */
const LOOK_MS = 1_000

/** The buffer's database. A damaged file is moved aside, loudly, and a new one begun: an agent that stands still loses more. */
export class DatabaseFile {
  readonly #options: DatabaseFileOptions
  #db: Database.Database
  #inode = 0n
  #lookedAt = Number.NEGATIVE_INFINITY
  /** why the file could not be put back, for the log to say it once */
  #missing = ''

  constructor(options: DatabaseFileOptions) {
    this.#options = options
    mkdirSync(dirname(options.file), { recursive: true, mode: 0o700 })
    try {
      this.#db = this.#open()
    } catch (error) {
      if (!isDamage(error)) throw error
      this.#moveAside()
      this.#db = this.#open()
    }
  }

  get db(): Database.Database {
    return this.#db
  }

  /** Makes a call that touches the database. Where that proves damaged, it is replaced and the call made once more. */
  guarded<T>(act: () => T, onReplaced: () => void): T {
    try {
      return act()
    } catch (error) {
      if (!isDamage(error)) throw error
      this.#db.close()
      this.#moveAside()
      this.#db = this.#open()
      onReplaced()
      return act()
    }
  }

  /**
   * Writes the file anew where somebody removed or replaced it. The system goes on taking writes to a removed file, and forgets them all
   * with the process. @returns whether the database was opened anew; it holds the same rows under the same ids
   */
  putBack(): boolean {
    const { file, clock, logger, onTakenAway } = this.#options
    const now = clock.monotonic()
    if (now - this.#lookedAt < LOOK_MS) return false
    this.#lookedAt = now
    if (inodeOf(file) === this.#inode) return false
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      onTakenAway?.()
      this.#copyBack()
    } catch (error) {
      const why = plainError(error)
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
    this.#db.prepare('VACUUM INTO ?').run(copy)
    sync(copy)
    if (existsSync(file)) this.#moveAside('another file was put in the place of the buffer; it was moved aside')
    for (const suffix of ['-wal', '-shm']) if (existsSync(file + suffix)) renameSync(file + suffix, `${file}${suffix}.old`)
    renameSync(copy, file)
    sync(dirname(file))
    const old = this.#db
    this.#db = this.#open()
    old.close()
  }

  #open(): Database.Database {
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

  #moveAside(why = 'the buffer on disk is damaged; it was moved aside and a new one begun. Readings in it were not sent'): void {
    const { file, clock, logger } = this.#options
    const aside = `${file}.damaged-${new Date(clock.now()).toISOString().replaceAll(':', '-')}`
    for (const suffix of ['', '-wal', '-shm']) if (existsSync(file + suffix)) renameSync(file + suffix, aside + suffix)
    logger.error({ kept: aside }, why)
  }
}

const inodeOf = (file: string): bigint => statSync(file, { bigint: true, throwIfNoEntry: false })?.ino ?? 0n

/** Brings a file, or the names in a folder, to the disk. */
function sync(path: string): void {
  const opened = openSync(path, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}
