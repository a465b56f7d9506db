import { setImmediate } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import {
  type DeadLetterGroup,
  READING_LIMITS,
  type ReadingBatch,
  type ReadingColumns,
  type Receipt,
  toReadings,
} from '@haltless/protocol'
import type { Database } from 'better-sqlite3'
import { shortError } from '../support/short-error.ts'
import { decodeStoredBatch, packPolls, partitionSendable } from './chunk.ts'
import { type ChunkRow, Claims, encodeClaim, isDamaged, LiveWindow, selectUnclaimed } from './claims.ts'
import { type ClockAnchor, ClockEpochs, type MeasuredClock } from './clock-epochs.ts'
import { compactOnce } from './compaction.ts'
import { DatabaseFile, type DatabaseFileOptions } from './database-file.ts'
import {
  type DeadLetter,
  deleteOldestDeadLetters,
  groupDeadLetters,
  listDeadLetters,
  newestDeadLetter,
  parkRejections,
  parkUnsendable,
  type Requeue,
  requeuePortion,
} from './dead-letters.ts'
import { closeGaps, deleteGaps, type GapReport, Gaps, type MissedPollGap } from './gaps.ts'
import { coversBatch } from './receipt-check.ts'
import { dropDamaged, dropOlderThan, dropOldest, usedBytes } from './retention.ts'
import { deleteUnusedSeries } from './series-dictionary.ts'
import { isBusyError, isDiskFullError, isWriteError } from './sqlite-errors.ts'
import { prepareStatements, type Statements } from './statements.ts'
import { type BufferStats, readStats } from './stats.ts'

export interface BufferOptions extends DatabaseFileOptions {
  /** what readings, dead letters and gaps may take on disk together, bytes */
  maxBytes: number
  /** readings that waited longer are dropped; null keeps them */
  maxAgeMs: number | null
  /** the clock that dates the readings, until {@link ReadingBuffer.settleClock} corrects them; null: they are right as they are */
  clockAnchor?: ClockAnchor | null
}

/** Readings handed to the uplink. They stay on disk until a receipt settles them. */
export interface ClaimedBatch {
  batchId: string
  count: number
  /** the MQTT payload */
  bytes: Uint8Array
  columns(): ReadingBatch
}

export type SettleResult =
  | 'settled'
  /** no such batch is claimed: a receipt that came late, for what was released or settled before */
  | 'unknown'
  /** the receipt does not account for every reading; nothing was deleted */
  | 'contradictory'
  /** the disk took no change; the batch is free again, and what is sent twice is stored once */
  | 'not_written'

/** Dead letters take at most this share of the disk space; the rest is for readings that can still be delivered. */
const DEAD_LETTER_SHARE = 0.1
/**
 * Compaction runs after this many appends or readings, with a limited number of merges per run; a run takes about ten
 * milliseconds at most.
 */
const COMPACT_EVERY = 32
const COMPACT_EVERY_READINGS = 16_000
const COMPACT_AT_ONCE = 4
/** Gaps reported in one heartbeat. */
const GAPS_PER_HEARTBEAT = 200

/**
 * The plant's readings on disk, from `append` until a receipt says that the hub has stored them.
 *
 * ```
 * append -> free <-> claimed -> gone (accepted) | dead letter (rejected)
 *           free -> gone (no space, too old), counted as a gap
 * ```
 * A claim lives in memory: after a restart everything on disk is free again, and what was stored already is stored once.
 */
export class ReadingBuffer {
  readonly #options: BufferOptions
  readonly #file: DatabaseFile
  /** lost while nothing could be written, and missed polls that the next transaction writes */
  readonly #unwritten = new Gaps()
  readonly #epochs: ClockEpochs
  /** what {@link settleClock} was told */
  #measured: MeasuredClock | null = null
  readonly #claims = new Claims()
  readonly #live = new LiveWindow()
  /**
   * sent without an answer: the hub may have them. The buffer drops them last, so that readings reported as dropped are truly
   * missing
   */
  readonly #unconfirmedIds = new Set<number>()
  #sql: Statements
  #fault: string | null = null
  #appends = 0
  #appended = 0
  /** compaction has processed ids up to here */
  #compactedTo = 0

  /** Opens or makes the buffer. */
  constructor(options: BufferOptions) {
    this.#options = options
    this.#file = new DatabaseFile(options)
    this.#sql = prepareStatements(this.#db)
    this.#epochs = new ClockEpochs(options.clockAnchor ?? null)
    this.#withRecovery(() => this.#epochs.reload(this.#db))
    this.#write(() => {
      deleteUnusedSeries(this.#db)
      this.#db.exec('DELETE FROM doubtful WHERE id NOT IN (SELECT id FROM chunks)')
    })
    for (const id of this.#db.prepare<[], number>('SELECT id FROM doubtful').pluck().all()) this.#unconfirmedIds.add(id)
  }

  /**
   * Writes readings to disk; when this returns they survive a power cut. On a full disk the oldest make room, counted as gaps; it never
   * throws for that. Readings that could never be sent (no finite value, an impossible name) are parked as dead letters.
   * @param polls their series tables must not change afterwards; the same table again costs nothing
   */
  append(polls: readonly ReadingColumns[]): void {
    if (this.#file.putBack()) this.#sql = prepareStatements(this.#db)
    const { good, bad } = partitionSendable(polls)
    const unsendable = bad.flatMap(toReadings)
    const count = good.reduce((sum, { values }) => sum + values.length, 0)
    const at = this.#options.clock.now()
    const written = this.#write(() => {
      let first: number | bigint | undefined
      for (const { count, body } of packPolls(good, this.#sql.dictionary)) {
        const { lastInsertRowid } = this.#sql.insert.run(at, count, crc32(body), body)
        first ??= lastInsertRowid
      }
      this.#sql.count.run(count, 'buffered')
      if (unsendable.length > 0) parkUnsendable(this.#db, unsendable, at)
      return first
    })
    if (unsendable.length > 0)
      this.#options.logger.error(
        { readings: unsendable.length, first: unsendable[0] },
        'readings that cannot be sent were parked',
      )
    if (written) this.#fault = null
    if (!written) {
      for (const poll of good) this.#unwritten.note(poll, 'disk_full')
      this.#options.logger.error({ readings: count }, 'nothing can be written to the buffer: readings are lost')
    } else if (written.value !== undefined) {
      this.#live.add(Number(written.value), this.#options.clock.monotonic())
    }
    this.#appended += count
    if (++this.#appends >= COMPACT_EVERY || this.#appended >= COMPACT_EVERY_READINGS) this.#compact()
    this.#enforceLimits()
  }

  /**
   * Takes readings to be sent: of the last 30 seconds (`live`), or the oldest others (`backlog`). Neighbouring small chunks become one batch.
   * @param limit most readings, 1 to 1,000; a single chunk that holds more is handed out whole
   * @returns null when nothing is free
   */
  claim(limit: number, which: 'live' | 'backlog'): ClaimedBatch | null {
    if (!this.#isClockSettled()) return null
    return this.#withRecovery(() => {
      for (;;) {
        const query = which === 'live' ? this.#sql.fromId : this.#sql.beforeId
        const liveFrom = this.#live.firstId(this.#options.clock.monotonic())
        const rows = selectUnclaimed(query.iterate(liveFrom), this.#claims, Math.min(limit, READING_LIMITS.readingsPerRequest))
        if (rows.length === 0) return null
        const batch = this.#claimRows(rows)
        if (batch) return batch
      }
    })
  }

  /** Deletes what the hub has stored, and parks what it rejects. */
  settle(receipt: Receipt): SettleResult {
    const claim = this.#claims.get(receipt.batch_id)
    if (!claim) return 'unknown'
    const { ids, chunk } = claim
    const { refused } = receipt
    if (!refused && !coversBatch(receipt, chunk.count)) return 'contradictory'
    const at = this.#options.clock.now() + this.#epochs.currentOffsetMs
    const errors = refused
      ? Array.from({ length: chunk.count }, (_, index) => ({ index, code: refused.code, error: refused.detail }))
      : receipt.errors
    for (const id of ids) this.#unconfirmedIds.delete(id)
    const written = this.#write(() => {
      const removed = ids.reduce((sum, id) => sum + this.#sql.remove.run(id).changes, 0)
      // None is left to remove only when the file was damaged and replaced a moment ago.
      if (removed > 0) this.#sql.count.run(-chunk.count, 'buffered')
      if (errors.length === 0) return
      parkRejections(this.#db, decodeStoredBatch(chunk.body), errors, at)
      deleteOldestDeadLetters(this.#db, this.#options.maxBytes * DEAD_LETTER_SHARE)
    })
    this.release(receipt.batch_id)
    return written ? 'settled' : 'not_written'
  }

  /**
   * Makes a claimed batch free again; the uplink will claim and send its readings once more.
   * @param isUnconfirmed it was sent, and the hub may have stored it
   */
  release(batchId: string, isUnconfirmed = false): void {
    const ids = this.#claims.remove(batchId)
    if (isUnconfirmed && ids.length > 0) this.#markUnconfirmed(ids)
  }

  /** Persisted across a restart, unless the disk accepts no write: readings come first. */
  #markUnconfirmed(ids: readonly number[]): void {
    for (const id of ids) this.#unconfirmedIds.add(id)
    try {
      this.#withRecovery(() =>
        this.#db.transaction(() => {
          for (const id of ids) this.#sql.markUnconfirmed.run(id)
        })(),
      )
    } catch (error) {
      if (!isWriteError(error)) throw error
    }
  }

  stats(): BufferStats {
    const stats = this.#withRecovery(() => readStats(this.#db))
    return { ...stats, dropped: stats.dropped + this.#unwritten.notedCount }
  }

  /** Why the disk accepts no write, and how many readings were lost for that and are recorded nowhere yet; null: all is well. */
  get fault(): { reason: string; lostReadings: number } | null {
    return this.#fault === null ? null : { reason: this.#fault, lostReadings: this.#unwritten.notedCount }
  }

  /** Bytes that the buffer can use: its configured maximum, or less on a disk with less space. */
  capacityBytes(): number {
    return Math.min(this.#options.maxBytes, this.stats().usedBytes + this.#file.freeBytes())
  }

  /**
   * The right time is known, or will not be known: the timestamps of all readings on disk are settled. The readings to come get the offset of the
   * clock that dates them.
   * @param measured null: they stay as they are
   */
  settleClock(measured: MeasuredClock | null): void {
    this.#measured = measured
    this.#isClockSettled()
  }

  /** The clock that dates the readings is off by another amount from now on, ms. */
  changeClockOffset(offsetMs: number): void {
    this.#write(() => this.#epochs.change(this.#db, offsetMs))
  }

  /** Settles the clock at the latest when something is sent. @returns false when that needs a write and the disk accepts none */
  #isClockSettled(): boolean {
    if (this.#epochs.isSettled) return true
    if (this.#write(() => this.#epochs.settle(this.#measured, this.#db))) return true
    // What needs no correction needs no record of it either.
    return this.#epochs.settle(this.#measured, null)
  }

  /** Gaps to report to the hub, at most 200 at a time; they stay until {@link gapsReported}. */
  gapsToReport(): GapReport {
    return this.#write(() => closeGaps(this.#db, GAPS_PER_HEARTBEAT))?.value ?? { dropped: [], missed: [] }
  }

  /** Records polls that brought nothing. They reach the disk with the next transaction, at the latest when the buffer closes. */
  noteMissedPolls(gaps: readonly MissedPollGap[]): void {
    for (const gap of gaps) this.#unwritten.noteMissed(gap)
  }

  /** The hub has answered and stored these gaps. */
  gapsReported(gapIds: readonly string[]): void {
    if (gapIds.length > 0) this.#write(() => deleteGaps(this.#db, gapIds))
  }

  deadLetters(limit: number): DeadLetter[] {
    return this.#withRecovery(() => listDeadLetters(this.#db, limit))
  }

  /** Why readings were rejected, at most 20 reasons. */
  deadLetterGroups(): DeadLetterGroup[] {
    return this.#withRecovery(() => groupDeadLetters(this.#db))
  }

  /**
   * Puts the dead letters of before this call back among the readings to be sent, in portions between which others may use the buffer.
   * @returns how many readings; fewer than there are when the disk accepts no write
   */
  async requeueDeadLetters(): Promise<number> {
    const toId = this.#withRecovery(() => newestDeadLetter(this.#db))
    let total = 0
    for (let afterId = 0; ; ) {
      const portion: { value: Requeue } | null = this.#write(() =>
        requeuePortion(this.#db, afterId, toId, this.#options.clock.now()),
      )
      if (!portion) return total
      total += portion.value.count
      if (portion.value.isDone) return total
      afterId = portion.value.throughId
      await setImmediate()
    }
  }

  close(): void {
    if (!this.#unwritten.isEmpty) this.#write(() => undefined)
    this.#file.close()
  }

  get #db(): Database {
    return this.#file.db
  }

  #withRecovery<T>(act: () => T): T {
    return this.#file.guarded(act, () => {
      this.#sql = prepareStatements(this.#db)
      this.#epochs.restart(this.#db)
      this.#claims.clear()
      this.#unconfirmedIds.clear()
      this.#live.clear()
      this.#compactedTo = 0
    })
  }

  /**
   * One transaction, with what could not be written before. When the disk is full, the oldest free readings go until it fits.
   * @returns null when not even that made room
   */
  #write<T>(act: () => T): { value: T } | null {
    for (;;) {
      try {
        const value = this.#withRecovery(() =>
          this.#db.transaction(() => {
            this.#epochs.write(this.#db)
            this.#unwritten.write(this.#db)
            return act()
          })(),
        )
        this.#unwritten.written()
        this.#epochs.written(this.#db)
        return { value }
      } catch (error) {
        this.#sql.dictionary.forget()
        if (!isWriteError(error)) throw error
        if (!isBusyError(error) && this.#makeRoom(isDiskFullError(error))) continue
        this.#fault = shortError(error)
        return null
      }
    }
  }

  /** @returns readings dropped */
  #dropOldest(): number {
    const isClaimed = (id: number) => this.#claims.has(id)
    const dropped = dropOldest(this.#db, this.#epochs, (id) => isClaimed(id) || this.#unconfirmedIds.has(id))
    if (dropped > 0 || this.#unconfirmedIds.size === 0) return dropped
    const last = dropOldest(this.#db, this.#epochs, isClaimed)
    const oldest = this.#sql.oldest.get() ?? Number.MAX_SAFE_INTEGER
    for (const id of this.#unconfirmedIds) if (id < oldest) this.#unconfirmedIds.delete(id)
    return last
  }

  #makeRoom(isDiskFull: boolean): boolean {
    try {
      if (isDiskFull && this.#withRecovery(() => this.#file.stopGrowing())) return true
      // A delete needs a few pages of the log; they are used again once they are in the main file.
      return this.#withRecovery(() => {
        this.#db.pragma('wal_checkpoint(RESTART)')
        return this.#dropOldest() > 0
      })
    } catch (error) {
      if (isWriteError(error)) return false
      throw error
    }
  }

  /** Never at the price of readings: where the disk takes nothing, small chunks stay small. */
  #compact(): void {
    this.#appends = 0
    this.#appended = 0
    const before = this.#live.firstId(this.#options.clock.monotonic())
    const isKept = (id: number) => this.#claims.has(id) || this.#unconfirmedIds.has(id)
    try {
      for (let i = 0; i < COMPACT_AT_ONCE; i++) {
        const merge = () => compactOnce(this.#db, this.#compactedTo, before, isKept, this.#epochs)
        const done = this.#withRecovery(() => this.#db.transaction(merge)())
        if (done === null) return
        this.#compactedTo = done
      }
    } catch (error) {
      if (!isWriteError(error)) throw error
    }
  }

  #enforceLimits(): void {
    const { maxBytes, maxAgeMs, clock, logger } = this.#options
    let dropped = 0
    try {
      this.#withRecovery(() => {
        if (maxAgeMs !== null)
          dropped += dropOlderThan(this.#db, this.#epochs, clock.now(), maxAgeMs, (id) => this.#claims.has(id))
        for (let last = 1; last > 0 && usedBytes(this.#db) > maxBytes; dropped += last) last = this.#dropOldest()
      })
    } catch (error) {
      if (!isWriteError(error)) throw error
    }
    if (dropped > 0) logger.warn({ readings: dropped }, 'the buffer is full or its readings are too old: the oldest were dropped')
  }

  /** @returns null when a row was damaged and dropped, so that the caller selects rows again */
  #claimRows(rows: readonly ChunkRow[]): ClaimedBatch | null {
    const { dictionary } = this.#sql
    const damaged = rows.find((row) => isDamaged(row, dictionary))
    if (damaged) {
      this.#options.logger.error({ readings: damaged.count }, 'readings on disk were damaged and dropped')
      this.#write(() => dropDamaged(this.#db, this.#epochs, damaged.id))
      return null
    }
    const claim = encodeClaim(rows, dictionary, (row) => this.#epochs.offsetOf(row) ?? 0)
    this.#claims.add(claim)
    const { chunk } = claim
    return { batchId: chunk.batchId, count: chunk.count, bytes: chunk.body, columns: () => decodeStoredBatch(chunk.body) }
  }
}
