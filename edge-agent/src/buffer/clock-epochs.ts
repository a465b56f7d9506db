import type { Database } from 'better-sqlite3'

/** A clock that dates readings, by which a later measurement corrects them. */
export interface ClockAnchor {
  /** of the start of the computer; '' where it is unknown */
  bootId: string
  /** the time that this clock gives that start, Unix ms */
  anchorMs: number
}

/** The right time, as the hub told it. */
export interface MeasuredClock extends ClockAnchor {
  /** smaller offsets count as none */
  toleranceMs: number
}

/** A row of `chunks`. */
export interface DatedChunk {
  id: number
  /** 1: its timestamps are right whatever its epoch says */
  keeps_time: number
}

interface Epoch extends ClockAnchor {
  /** what to add to the timestamps of its chunks, ms; null until that is settled */
  offsetMs: number | null
}

interface StoredEpoch extends Epoch {
  /** its chunks begin with this one, and end before the next epoch */
  firstChunkId: number
}

const PLAIN: Epoch = { bootId: '', anchorMs: 0, offsetMs: 0 }

/**
 * What to add to the timestamps of chunks. The timestamps on disk are those of the clock that dated them; the offset of each epoch is settled
 * once, before any of its chunks is sent, and stays. A chunk that is sent again therefore carries the same timestamps.
 */
export class ClockEpochs {
  /** those on disk, oldest first */
  #stored: StoredEpoch[] = []
  /** of the chunks to come */
  #current: Epoch
  #isCurrentStored = false
  #isPlain = false

  /** Call {@link reload} next. @param anchor the clock of the readings to come; null: their timestamps are right as they are */
  constructor(anchor: ClockAnchor | null) {
    this.#current = anchor ? { bootId: anchor.bootId, anchorMs: anchor.anchorMs, offsetMs: null } : PLAIN
  }

  /** Reads what is on disk: of a new database, or after a change. */
  reload(db: Database): void {
    this.#stored = readEpochs(db)
    this.#isPlain = [...this.#stored, this.#current].every(({ offsetMs }) => offsetMs === 0)
  }

  /** The database is a new one. */
  restart(db: Database): void {
    this.#isCurrentStored = false
    this.reload(db)
  }

  /** Writes the epoch of the chunks to come; inside a transaction. Call {@link written} once that has committed. */
  write(db: Database): void {
    if (this.#isCurrentStored) return
    insertEpoch(db, this.#current)
    // Those before the oldest chunk are of no use any more.
    db.exec(
      `DELETE FROM clock_epochs WHERE first_chunk_id < (
         SELECT max(first_chunk_id) FROM clock_epochs WHERE first_chunk_id <= coalesce((SELECT min(id) FROM chunks), first_chunk_id))`,
    )
  }

  /** Writes the epoch of the chunks to come into another database; inside a transaction. */
  begin(db: Database): void {
    insertEpoch(db, this.#current)
  }

  written(db: Database): void {
    if (this.#isCurrentStored) return
    this.#isCurrentStored = true
    this.reload(db)
  }

  /** What to add to the timestamps of a chunk, ms; null while that is not settled. */
  offsetOf(chunk: DatedChunk): number | null {
    return this.#isPlain ? 0 : this.#epochOf(chunk).offsetMs
  }

  /** How long ago a chunk was appended, ms; null while the clock of then has no known distance to that of now. @param now of the present clock */
  ageOf(chunk: DatedChunk, appendedAt: number, now: number): number | null {
    if (this.#isPlain) return now - appendedAt
    const { bootId, anchorMs, offsetMs } = this.#epochOf(chunk)
    const current = this.#current
    if (offsetMs !== null && current.offsetMs !== null) return now + current.offsetMs - (appendedAt + offsetMs)
    if (bootId === '' || bootId !== current.bootId) return null
    return now - current.anchorMs - (appendedAt - anchorMs)
  }

  /** Whether two chunks may be packed together before they are sent. */
  isSame(a: DatedChunk, b: DatedChunk): boolean {
    return this.#isPlain || this.#epochOf(a) === this.#epochOf(b)
  }

  /** Of the chunks to come, as far as it is settled. */
  get currentOffsetMs(): number {
    return this.#current.offsetMs ?? 0
  }

  get isSettled(): boolean {
    return this.#isPlain || [...this.#stored, this.#current].every(({ offsetMs }) => offsetMs !== null)
  }

  /** Writes the offsets that {@link settle} gives the epochs on disk; inside a transaction. */
  writeOffsets(db: Database, measured: MeasuredClock | null): void {
    const update = db.prepare<[number, number]>('UPDATE clock_epochs SET offset_ms = ? WHERE first_chunk_id = ?')
    for (const epoch of readEpochs(db))
      if (epoch.offsetMs === null) update.run(settledOffset(epoch, measured), epoch.firstChunkId)
  }

  /** What {@link settle} makes of {@link currentOffsetMs}. */
  settledOffset(measured: MeasuredClock | null): number {
    return settledOffset(this.#current, measured)
  }

  /** Whether settling would change a timestamp. */
  needsCorrection(measured: MeasuredClock | null): boolean {
    return [...this.#stored, this.#current].some((epoch) => settledOffset(epoch, measured) !== 0)
  }

  /**
   * Settles all epochs: those since the computer was started by the measured clock, all others as they are. To be called once
   * {@link writeOffsets} has committed: a chunk that is sent again after a restart must get the same timestamps.
   * @param measured null: none is known
   */
  settle(measured: MeasuredClock | null): void {
    this.#stored = this.#stored.map((epoch) => ({ ...epoch, offsetMs: settledOffset(epoch, measured) }))
    this.#current = { ...this.#current, offsetMs: settledOffset(this.#current, measured) }
    this.#isPlain = [...this.#stored, this.#current].every(({ offsetMs }) => offsetMs === 0)
  }

  /** The chunks to come are dated by the same clock and have another offset. Inside a transaction, which {@link written} follows. */
  change(db: Database, offsetMs: number): void {
    this.#current = { ...this.#current, offsetMs }
    this.#isCurrentStored = false
    this.write(db)
  }

  #epochOf({ id, keeps_time }: DatedChunk): Epoch {
    if (keeps_time === 1) return PLAIN
    return this.#stored.findLast(({ firstChunkId }) => firstChunkId <= id) ?? PLAIN
  }
}

const readEpochs = (db: Database): StoredEpoch[] =>
  db
    .prepare<[], StoredEpoch>(
      `SELECT first_chunk_id AS firstChunkId, boot_id AS bootId, anchor_ms AS anchorMs, offset_ms AS offsetMs
       FROM clock_epochs ORDER BY first_chunk_id`,
    )
    .all()

function settledOffset({ bootId, anchorMs, offsetMs }: Epoch, measured: MeasuredClock | null): number {
  if (offsetMs !== null) return offsetMs
  if (measured === null || measured.bootId === '' || measured.bootId !== bootId) return 0
  const offset = Math.round(measured.anchorMs - anchorMs)
  return Math.abs(offset) < measured.toleranceMs ? 0 : offset
}

/** From the next chunk on. */
function insertEpoch(db: Database, { bootId, anchorMs, offsetMs }: Epoch): void {
  db.prepare<[string, number, number | null]>(
    `INSERT OR REPLACE INTO clock_epochs (first_chunk_id, boot_id, anchor_ms, offset_ms)
     VALUES (1 + coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'chunks'), 0), ?, ?, ?)`,
  ).run(bootId, anchorMs, offsetMs)
}
