import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** A full WAL (1,000 pages) plus one large transaction. */
const RESERVE_BYTES = 5 * 1_048_576
const PIECE_BYTES = 65_536

/**
 * Disk space reserved for the moment when another program has filled the disk. Without it the buffer could write nothing, not
 * even to drop old readings for new ones: a drop is a change too, and the WAL could neither grow nor be checkpointed.
 */
export class DiskReserve {
  readonly #file: string

  /** @param database the file that it stands beside */
  constructor(database: string) {
    this.#file = `${database}.reserve`
  }

  /**
   * Allocates the space unless it exists.
   * @returns false where there is not enough: the reserve is not worth the last bytes of a small disk
   */
  hold(): boolean {
    if (this.#isHeld()) return true
    try {
      if (this.freeBytes() < 2 * RESERVE_BYTES) return false
      const file = openSync(this.#file, 'w', 0o600)
      try {
        // Noise, for zeros may take no space at all
        const noise = randomBytes(PIECE_BYTES)
        for (let at = 0; at < RESERVE_BYTES; at += PIECE_BYTES) writeSync(file, noise)
        fsyncSync(file)
      } finally {
        closeSync(file)
      }
      return true
    } catch {
      this.release()
      return false
    }
  }

  /** Gives the space back to the disk. @returns whether there was any */
  release(): boolean {
    const wasHeld = this.#isHeld()
    try {
      rmSync(this.#file, { force: true })
      return wasHeld
    } catch {
      return false
    }
  }

  /** Bytes that the disk has left; Infinity where the file system reports no size, as some in user space and on the network do. */
  freeBytes(): number {
    try {
      const { blocks, bavail, bsize } = statfsSync(dirname(this.#file))
      return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize
    } catch {
      return Number.POSITIVE_INFINITY
    }
  }

  #isHeld(): boolean {
    return statSync(this.#file, { throwIfNoEntry: false })?.size === RESERVE_BYTES
  }
}
