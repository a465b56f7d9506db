import type { Database } from 'better-sqlite3'
import { isWriteError } from '../support/disk-errors.ts'
import { DiskReserve } from './disk-reserve.ts'

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

/** Keeps the buffer's file from growing while its disk is full, so that dropped readings make room for new ones. */
export class GrowthLimit {
  readonly #reserve: DiskReserve
  /** when the disk was last found full (monotonic ms); null: the file may grow */
  #fullSince: number | null = null
  /** SQLite's limit of pages on a disk with room */
  #pagesMost = 0

  /** @param file the database, which the reserve stands beside */
  constructor(file: string) {
    this.#reserve = new DiskReserve(file)
  }

  /** Reserves space; on a disk without it, the file grows no further. @returns whether it may grow */
  begin(db: Database, now: number): boolean {
    this.#fullSince = null
    if (this.#reserve.hold()) return true
    this.#pin(db, now)
    return false
  }

  /** Gives the reserved space back to the disk. @returns whether there was any */
  release(): boolean {
    return this.#reserve.release()
  }

  /** Bytes that the file can still grow by: those that the disk has left, none while it is full. */
  freeBytes(): number {
    return this.#fullSince === null ? this.#reserve.freeBytes() : 0
  }

  /**
   * The disk is full: releases the reserved space, so that a checkpoint of the WAL can run, and assigns a part of it to the file.
   * From then on dropped readings make room for new ones within that space.
   * @param now monotonic ms
   * @returns false when the file was limited before, or nothing was reserved
   */
  stopGrowing(db: Database, now: number): boolean {
    if (this.#fullSince !== null || !this.#reserve.release()) return false
    db.pragma('wal_checkpoint(RESTART)')
    this.#pin(db, now)
    return true
  }

  /** Looks now and then whether a disk that was full has room again. @returns whether the file may grow from now on */
  growAgain(db: Database, now: number): boolean {
    if (this.#fullSince === null || now - this.#fullSince < ROOM_AGAIN_MS) return false
    this.#fullSince = now
    givePages(db)
    if (!this.#reserve.hold()) return false
    this.#fullSince = null
    db.pragma(`max_page_count = ${this.#pagesMost}`)
    db.pragma(`wal_autocheckpoint = ${LOG_PAGES}`)
    return true
  }

  /**
   * Limits the file's growth to a part of what the disk has left, and allocates that part now: a checkpoint must not need space
   * when another program has filled the disk. Writing it through the WAL gives the WAL as much space of its own.
   */
  #pin(db: Database, now: number): void {
    const ask = (name: string) => Number(db.pragma(name, { simple: true }))
    const pages = Math.min(
      PINNED_PAGES,
      Math.floor((this.#reserve.freeBytes() * PINNED_SHARE) / ask('page_size')) - ask('freelist_count'),
    )
    if (pages > 0) takePages(db, pages, ask('page_size'))
    this.#pagesMost = ask('max_page_count')
    db.pragma(`max_page_count = ${ask('page_count')}`)
    db.pragma(`wal_autocheckpoint = ${Math.max(LOG_PAGES_MIN, pages >> 1)}`)
    this.#fullSince = now
  }
}

function takePages(db: Database, pages: number, pageBytes: number): void {
  try {
    db.exec(`CREATE TABLE filler (body BLOB); INSERT INTO filler VALUES (zeroblob(${pages * (pageBytes - 16)}))`)
    db.pragma('wal_checkpoint(RESTART)')
  } catch (error) {
    if (!isWriteError(error)) throw error
  }
  givePages(db)
}

/** The allocated pages are free within the file; where even this write fails, a later one succeeds. */
function givePages(db: Database): void {
  try {
    db.exec('DROP TABLE IF EXISTS filler')
  } catch (error) {
    if (!isWriteError(error)) throw error
  }
}
