import type { Clock } from '../support/clock.ts'
import { isWriteError } from '../support/disk-errors.ts'
import type { Logger } from '../support/logger.ts'
import type { Claims } from './claims.ts'
import type { DropReason } from './gaps.ts'
import { dropOlderThan, dropOldest, isAnyOlderThan, usedBytes } from './retention.ts'
import type { Storage } from './storage.ts'
import type { UnconfirmedChunks } from './unconfirmed.ts'

/**
 * What a full buffer gives up: its `oldest` readings, the `newest` ones as they come, or, with `stop`, none of both: the agent polls no device
 * until there is room.
 */
export const DROP_POLICIES = ['oldest', 'newest', 'stop'] as const
export type DropPolicy = (typeof DROP_POLICIES)[number]

export interface LimitOptions {
  /** what readings, dead letters and gaps may take on disk together, bytes */
  maxBytes: number
  /** the longest that a reading may wait, ms; null: any time */
  maxAgeMs: number | null
  /** `oldest` when absent */
  dropPolicy?: DropPolicy
  clock: Clock
  logger: Logger
}

/** With `stop`, polling starts again when this share of a limit is free. */
const FREE_AGAIN = 0.05
/** With `stop`, a disk that takes no write is tried again after this time. */
const TRY_AGAIN_MS = 1_000

/** Keeps the buffer within its size and its age. */
export class Limits {
  readonly #options: LimitOptions
  readonly #policy: DropPolicy
  readonly #storage: Storage
  readonly #claims: Claims
  readonly #unconfirmed: UnconfirmedChunks
  #isStopped = false
  /** readings refused since the last that was taken */
  #refused = 0
  #triedAt = Number.NEGATIVE_INFINITY

  constructor(options: LimitOptions, storage: Storage, claims: Claims, unconfirmed: UnconfirmedChunks) {
    this.#options = options
    this.#policy = options.dropPolicy ?? 'oldest'
    this.#storage = storage
    this.#claims = claims
    this.#unconfirmed = unconfirmed
  }

  /** Why readings that come now are to be dropped; null: they are to be stored. */
  refusal(): DropReason | null {
    return this.#policy === 'newest' ? this.#reached(1) : null
  }

  /** Logs the first and the last of a row of refusals. @param readings refused; 0: readings were stored */
  noteRefused(readings: number, reason: DropReason | null): void {
    const { logger } = this.#options
    if (readings > 0 && this.#refused === 0)
      logger.warn({ reason }, 'the buffer has reached its limit: new readings are dropped until there is room')
    if (readings === 0 && this.#refused > 0) logger.info({ readings: this.#refused }, 'the buffer has room again')
    this.#refused = readings === 0 ? 0 : this.#refused + readings
  }

  /** With `stop`: whether no device may be polled, because there is no room for what it would answer. */
  isStopped(): boolean {
    if (this.#policy !== 'stop') return false
    const { logger } = this.#options
    this.#storage.putBack()
    const isFull = this.#isUnwritable() || this.#reached(this.#isStopped ? 1 - FREE_AGAIN : 1) !== null
    if (isFull && !this.#isStopped)
      logger.warn({}, 'the buffer has reached its limit: devices are not polled until there is room')
    if (!isFull && this.#isStopped) logger.info({}, 'the buffer has room again: devices are polled')
    this.#isStopped = isFull
    return isFull
  }

  /** Drops what is too much or too old, where the policy allows it. */
  enforce(): void {
    if (this.#policy !== 'oldest') return
    const { maxBytes, maxAgeMs, clock, logger } = this.#options
    let dropped = 0
    try {
      this.#storage.withRecovery(() => {
        // not before: a database that proved damaged is replaced by another one
        const { db, epochs } = this.#storage
        if (maxAgeMs !== null) dropped += dropOlderThan(db, epochs, clock.now(), maxAgeMs, (id) => this.#claims.has(id))
        for (let last = 1; last > 0 && usedBytes(db) > maxBytes; dropped += last) last = this.dropOldest()
      })
    } catch (error) {
      if (!isWriteError(error)) throw error
    }
    if (dropped > 0) logger.warn({ readings: dropped }, 'the buffer is full or its readings are too old: the oldest were dropped')
  }

  /** Makes room by dropping some of the oldest free readings. @returns how many; 0 when there is none, or the policy keeps them */
  dropOldest(): number {
    if (this.#policy !== 'oldest') return 0
    const { db, epochs, sql } = this.#storage
    const isClaimed = (id: number) => this.#claims.has(id)
    const dropped = dropOldest(db, epochs, (id) => isClaimed(id) || this.#unconfirmed.has(id))
    if (dropped > 0 || this.#unconfirmed.size === 0) return dropped
    const last = dropOldest(db, epochs, isClaimed)
    this.#unconfirmed.deleteBefore(sql.oldest.get() ?? Number.MAX_SAFE_INTEGER)
    return last
  }

  /** @param share of the limits */
  #reached(share: number): DropReason | null {
    const { maxBytes, maxAgeMs, clock } = this.#options
    return this.#storage.withRecovery(() => {
      const { db, epochs } = this.#storage
      if (usedBytes(db) >= share * maxBytes) return 'disk_full'
      if (maxAgeMs !== null && isAnyOlderThan(db, epochs, clock.now(), share * maxAgeMs)) return 'age_limit'
      return null
    })
  }

  /** Whether the last write failed, and one that is tried now fails too. */
  #isUnwritable(): boolean {
    const { clock } = this.#options
    if (this.#storage.fault === null) return false
    if (clock.monotonic() - this.#triedAt < TRY_AGAIN_MS) return true
    this.#triedAt = clock.monotonic()
    if (!this.#storage.write(() => undefined)) return true
    this.#storage.clearFault()
    return false
  }
}
