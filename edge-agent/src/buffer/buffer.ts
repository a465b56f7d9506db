import { setImmediate } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { type DeadLetterGroup, READING_LIMITS, type ReadingColumns, type Receipt, toReadings } from '@haltless/protocol'
import type { Database } from 'better-sqlite3'
import { type CheckpointedReadings, readCheckpoints, writeCheckpoints } from './checkpoints.ts'
import { type OutgoingBatch, packPolls, partitionSendable, shiftTimestamps } from './chunk.ts'
import { type ChunkRow, Claims, isDamaged, LiveWindow, makeClaim, selectUnclaimed } from './claims.ts'
import type { ClockEpochs, MeasuredClock } from './clock-epochs.ts'
import { Compactor } from './compactor.ts'
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
import {
  closeGaps,
  correctGaps,
  type DropReason,
  deleteGaps,
  endOngoing,
  type GapReport,
  isAnyGap,
  type MissedPollGap,
  sealGaps,
} from './gaps.ts'
import { type LimitOptions, Limits } from './limits.ts'
import { coversBatch } from './receipt-check.ts'
import { dropDamaged } from './retention.ts'
import { deleteUnusedSeries } from './series-dictionary.ts'
import { type BufferStats, readStats } from './stats.ts'
import { Storage, type StorageOptions } from './storage.ts'
import { UnconfirmedChunks } from './unconfirmed.ts'

export type BufferOptions = StorageOptions & LimitOptions

/** Readings handed to the uplink. They stay on disk until a receipt settles them. */
export type ClaimedBatch = OutgoingBatch

export interface DiskFault {
  reason: string
  /** lost for that and recorded nowhere yet */
  lostReadings: number
  /** new readings are kept in memory meanwhile; false: they are lost */
  isKeptInMemory: boolean
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
  readonly #storage: Storage
  readonly #limits: Limits
  /** what {@link settleClock} was told */
  #measured: MeasuredClock | null = null
  readonly #claims = new Claims()
  readonly #live = new LiveWindow()
  readonly #unconfirmed = new UnconfirmedChunks()
  readonly #compactor: Compactor

  /** Opens or makes the buffer. */
  constructor(options: BufferOptions) {
    this.#options = options
    this.#storage = new Storage(options, {
      onReplaced: () => this.#forgetChunks(),
      dropOldest: () => this.#limits.dropOldest(),
    })
    this.#limits = new Limits(options, this.#storage, this.#claims, this.#unconfirmed)
    this.#compactor = new Compactor(this.#storage, (id) => this.#claims.has(id) || this.#unconfirmed.has(id))
    this.#storage.load()
    this.#storage.write(() => {
      deleteUnusedSeries(this.#db)
      endOngoing(this.#db)
      // their times stay: those to come are corrected with the clock of this process
      sealGaps(this.#db)
      this.#db.exec('DELETE FROM doubtful WHERE id NOT IN (SELECT id FROM chunks)')
    })
    this.#unconfirmed.load(this.#storage)
  }

  /**
   * Writes readings to disk; when this returns they survive a power cut. Where the buffer or the disk is full, the drop policy decides which
   * readings are lost, counted as gaps; it never throws for that. Readings that could never be sent (no finite value, an impossible name) are
   * parked as dead letters.
   * @param polls their series tables must not change afterwards; the same table again costs nothing
   * @param checkpointed readings whose source can be read again, stored in the same transaction with how far that was
   * @returns false when nothing could be written: `polls` are lost and counted, and `checkpointed` must be read again
   */
  append(polls: readonly ReadingColumns[], checkpointed: readonly CheckpointedReadings[] = []): boolean {
    const storage = this.#storage
    storage.putBack()
    for (const { missed = [] } of checkpointed) this.noteMissedPolls(missed)
    const parts = [{ polls, hasOwnTime: false }, ...checkpointed.map((one) => ({ ...one, polls: [one.readings] }))].map(
      (part) => ({
        hasOwnTime: part.hasOwnTime,
        ...partitionSendable(part.polls),
      }),
    )
    const unsendable = parts.flatMap(({ bad }) => bad.flatMap(toReadings))
    const at = this.#options.clock.now()
    const refusal = this.#limits.refusal()
    const sendable = parts.reduce((sum, { good }) => sum + countOf(good), 0)
    const count = refusal ? 0 : sendable
    if (refusal) for (const { good, hasOwnTime } of parts) this.#noteLost(good, refusal, hasOwnTime)
    this.#limits.noteRefused(sendable - count, refusal)
    const written = storage.write(() => {
      let first: number | bigint | undefined
      for (const { good, hasOwnTime } of refusal ? [] : parts)
        for (const { count, body } of packPolls(good, storage.sql.dictionary)) {
          const { lastInsertRowid } = storage.sql.insert.run(at, count, crc32(body), body, Number(hasOwnTime))
          first ??= lastInsertRowid
        }
      storage.sql.count.run(count, 'buffered')
      if (unsendable.length > 0) parkUnsendable(this.#db, unsendable, at)
      for (const { collector, checkpoints } of checkpointed) writeCheckpoints(this.#db, collector, checkpoints)
      return first
    })
    if (unsendable.length > 0)
      this.#options.logger.error(
        { readings: unsendable.length, first: unsendable[0] },
        'readings that cannot be sent were parked',
      )
    if (!written) {
      const [{ good }] = parts as [(typeof parts)[0]]
      if (!refusal) this.#noteLost(good, 'disk_full')
      this.#options.logger.error({ readings: countOf(good) }, 'nothing can be written to the buffer: readings are lost')
    } else {
      storage.clearFault()
      if (written.value !== undefined) this.#live.add(Number(written.value), this.#options.clock.monotonic())
    }
    this.#compactor.appended(count, () => this.#live.firstId(this.#options.clock.monotonic()))
    this.#limits.enforce()
    return written !== null
  }

  /** How far a collector has read, by its keys; null while the disk cannot be used, because what it holds is not known then. */
  checkpoints(collector: string): Map<string, string> | null {
    if (this.#storage.unusableDisk !== null) return null
    return this.#storage.withRecovery(() => readCheckpoints(this.#db, collector))
  }

  /** Whether devices are not to be polled, because the buffer is full and its drop policy is `stop`. */
  get isStopped(): boolean {
    return this.#limits.isStopped()
  }

  #noteLost(polls: readonly ReadingColumns[], reason: DropReason, hasOwnTime = false): void {
    const offsetMs = hasOwnTime ? 0 : this.#epochs.currentOffsetMs
    for (const poll of polls) this.#storage.unwritten.note(shiftTimestamps(poll, offsetMs), reason)
  }

  /**
   * Takes readings to be sent: of the last 30 seconds (`live`), or the oldest others (`backlog`). Neighbouring small chunks become one batch.
   * @param limit most readings, 1 to 1,000; a single chunk that holds more is handed out whole
   * @returns null when nothing is free
   */
  claim(limit: number, which: 'live' | 'backlog'): ClaimedBatch | null {
    if (!this.#isClockSettled()) return null
    return this.#storage.withRecovery(() => {
      for (;;) {
        const query = which === 'live' ? this.#storage.sql.fromId : this.#storage.sql.beforeId
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
    const { ids, batch } = claim
    const { refused } = receipt
    if (!refused && !coversBatch(receipt, batch.count)) return 'contradictory'
    const at = this.#options.clock.now() + this.#epochs.currentOffsetMs
    const errors = refused
      ? Array.from({ length: batch.count }, (_, index) => ({ index, code: refused.code, error: refused.detail }))
      : receipt.errors
    for (const id of ids) this.#unconfirmed.delete(id)
    // What a power cut brings back is sent once more, and stored once.
    const written = this.#storage.writeWithoutFlush(() => {
      const removed = ids.reduce((sum, id) => sum + this.#storage.sql.remove.run(id).changes, 0)
      // None is left to remove only when the file was damaged and replaced a moment ago.
      if (removed > 0) this.#storage.sql.count.run(-batch.count, 'buffered')
      if (errors.length === 0) return
      parkRejections(this.#db, batch.columns(), errors, at)
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
    if (isUnconfirmed && ids.length > 0) this.#unconfirmed.add(ids, this.#storage)
  }

  stats(): BufferStats {
    const stats = this.#storage.withRecovery(() => readStats(this.#db))
    return { ...stats, dropped: stats.dropped + this.#storage.unwritten.notedCount }
  }

  /** What is wrong with the disk; null: all is well. */
  get fault(): DiskFault | null {
    const { fault, unusableDisk } = this.#storage
    const reason = fault ?? unusableDisk
    if (reason === null) return null
    return { reason, lostReadings: this.#storage.unwritten.notedCount, isKeptInMemory: fault === null }
  }

  /** Bytes that the buffer can use: its configured maximum, or less on a disk with less space. */
  capacityBytes(): number {
    return Math.min(this.#options.maxBytes, this.stats().usedBytes + this.#storage.freeBytes())
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
    this.#storage.write(() => this.#epochs.change(this.#db, offsetMs))
  }

  /** Settles the clock at the latest when something is sent. @returns false when that needs a write and the disk accepts none */
  #isClockSettled(): boolean {
    if (this.#epochs.isSettled) return true
    const measured = this.#measured
    const written = this.#storage.write(() => {
      this.#epochs.writeOffsets(this.#db, measured)
      correctGaps(this.#db, this.#epochs.settledOffset(measured))
    })
    // what needs no correction needs no record of it either
    if (!written && this.#epochs.needsCorrection(measured)) return false
    this.#storage.unwritten.correctOngoing(this.#epochs.settledOffset(measured))
    this.#epochs.settle(measured)
    return true
  }

  /**
   * Gaps to report to the hub, at most 200 at a time; they stay until {@link gapsReported}. Those of this run wait until the clock is
   * settled, which may correct their times.
   */
  gapsToReport(): GapReport {
    const { isSettled } = this.#epochs
    return this.#storage.write(() => closeGaps(this.#db, GAPS_PER_HEARTBEAT, isSettled))?.value ?? { dropped: [], missed: [] }
  }

  /**
   * Records polls that brought nothing. They reach the disk with the next transaction, at the latest when the buffer closes. After a crash,
   * those that go on have grown until shortly before.
   */
  noteMissedPolls(gaps: readonly MissedPollGap[]): void {
    const offset = this.#epochs.currentOffsetMs
    for (const gap of gaps) {
      const [fromAt, toAt] = [Math.round(gap.fromAt + offset), Math.round(gap.toAt + offset)]
      this.#storage.unwritten.noteMissed({ ...gap, fromAt, toAt })
    }
  }

  /** Whether there are gaps that the hub has not confirmed. */
  get hasGaps(): boolean {
    return !this.#storage.unwritten.isEmpty || this.#storage.withRecovery(() => isAnyGap(this.#db))
  }

  /** The hub has answered and stored these gaps. */
  gapsReported(gapIds: readonly string[]): void {
    if (gapIds.length > 0) this.#storage.write(() => deleteGaps(this.#db, gapIds))
  }

  deadLetters(limit: number): DeadLetter[] {
    return this.#storage.withRecovery(() => listDeadLetters(this.#db, limit))
  }

  /** Why readings were rejected, at most 20 reasons. */
  deadLetterGroups(): DeadLetterGroup[] {
    return this.#storage.withRecovery(() => groupDeadLetters(this.#db))
  }

  /**
   * Puts the dead letters of before this call back among the readings to be sent, in portions between which others may use the buffer.
   * @returns how many readings
   * @throws Error when the disk accepts no write; those that were put back before stay so
   */
  async requeueDeadLetters(): Promise<number> {
    const toId = this.#storage.withRecovery(() => newestDeadLetter(this.#db))
    let total = 0
    for (let afterId = 0; ; ) {
      const portion: { value: Requeue } | null = this.#storage.write(() =>
        requeuePortion(this.#db, afterId, toId, this.#options.clock.now()),
      )
      if (!portion) throw new Error(`the disk accepts no write (${this.#storage.fault})`)
      total += portion.value.count
      if (portion.value.isDone) return total
      afterId = portion.value.throughId
      await setImmediate()
    }
  }

  close(): void {
    this.#storage.close()
  }

  /** The database is another one. */
  #forgetChunks(): void {
    this.#claims.clear()
    this.#unconfirmed.clear()
    this.#live.clear()
    this.#compactor.restart()
  }

  get #db(): Database {
    return this.#storage.db
  }

  get #epochs(): ClockEpochs {
    return this.#storage.epochs
  }

  /** @returns null when a row was damaged and dropped, so that the caller selects rows again */
  #claimRows(rows: readonly ChunkRow[]): ClaimedBatch | null {
    const { dictionary } = this.#storage.sql
    const damaged = rows.find((row) => isDamaged(row, dictionary))
    if (damaged) {
      this.#options.logger.error({ readings: damaged.count }, 'readings on disk were damaged and dropped')
      this.#storage.write(() => dropDamaged(this.#db, this.#epochs, damaged.id))
      return null
    }
    const claim = makeClaim(rows, dictionary, (row) => this.#epochs.offsetOf(row) ?? 0)
    this.#claims.add(claim)
    return claim.batch
  }
}

const countOf = (polls: readonly ReadingColumns[]): number => polls.reduce((sum, { values }) => sum + values.length, 0)
