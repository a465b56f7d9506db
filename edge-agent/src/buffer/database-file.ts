import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import type { Clock } from '../support/clock.ts'
import type { Logger } from '../support/logger.ts'
import { isDamage } from './faults.ts'
import { migrate } from './migrations.ts'

export interface DatabaseFileOptions {
  /** the SQLite file; made when absent */
  file: string
  clock: Clock
  logger: Logger
  /** called with every opened database, before it is used */
  onOpen?: (db: Database.Database) => void
}

/** The buffer's database. A damaged file is moved aside, loudly, and a new one begun: an agent that stands still loses more. */
export class DatabaseFile {
  readonly #options: DatabaseFileOptions
  #db: Database.Database

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

  close(): void {
    this.#db.close()
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
      return db
    } catch (error) {
      db.close()
      throw error
    }
  }

  #moveAside(): void {
    const { file, clock, logger } = this.#options
    const aside = `${file}.damaged-${new Date(clock.now()).toISOString().replaceAll(':', '-')}`
    for (const suffix of ['', '-wal', '-shm']) if (existsSync(file + suffix)) renameSync(file + suffix, aside + suffix)
    logger.error(
      { kept: aside },
      'the buffer on disk is damaged; it was moved aside and a new one begun. Readings in it were not sent',
    )
  }
}
