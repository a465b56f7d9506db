import { type Fault, READING_LIMITS } from '@haltless/protocol'
import type { CollectorClock } from './collector.ts'
import type { ColumnsBuilder } from './columns-builder.ts'
import type { StatusBoard } from './status-board.ts'
import type { Tag } from './tag.ts'

/** A value that stays within its deadband is repeated once a minute all the same, or its machine would look silent. */
const DEADBAND_REPEAT_MS = 60_000
/** Values of one notification: a clock that was set back goes further. */
const SAME_INSTANT_MS = 1_000

/**
 * The values that tags hold until their source reports others, as subscriptions do.
 *
 * A reading carries its source timestamp when that is newer than the last one of its tag, not ahead of our clock, and not older
 * than the hub accepts. A value with an unchanged source timestamp gets the poll instant, because it is known to hold then.
 */
export class HeldValues {
  readonly #clock: Pick<CollectorClock, 'offsetMs'>
  protected readonly tags: readonly Tag[]
  readonly #board: StatusBoard
  readonly #aheadLimitMs: number
  readonly #deadbands: Float64Array
  /** Unix ms of the newest source timestamp, by tag; NaN before the first */
  readonly #sourceAt: Float64Array
  /** last good value, NaN when the last one was not good */
  readonly #current: Float64Array
  /** last value handed on and its poll instant */
  readonly #handed: Float64Array
  readonly #handedAt: Float64Array
  /** Unix ms of the newest reading that was dated by its poll */
  readonly #polledAt: Float64Array
  /** Unix ms of the newest reading, and of the first one of this session; NaN before these */
  readonly #newestAt: Float64Array
  readonly #firstAt: Float64Array

  /**
   * @param deadbands absolute, in the unit of each tag
   * @param clock its offset relates source timestamps to its own time
   * @param aheadLimitMs how far ahead of it a source timestamp may be
   */
  constructor(
    deadbands: readonly number[],
    tags: readonly Tag[],
    board: StatusBoard,
    clock: Pick<CollectorClock, 'offsetMs'>,
    aheadLimitMs: number,
  ) {
    this.#clock = clock
    this.#aheadLimitMs = aheadLimitMs
    this.tags = tags
    this.#board = board
    const blank = () => new Float64Array(tags.length).fill(Number.NaN)
    this.#deadbands = Float64Array.from(deadbands)
    this.#sourceAt = blank()
    this.#current = blank()
    this.#handed = blank()
    this.#handedAt = blank()
    this.#polledAt = blank()
    this.#newestAt = blank()
    this.#firstAt = blank()
  }

  /**
   * A tag has a good value: adds a reading to `out`.
   * @param value scaled, finite
   * @param givenAt source timestamp, Unix ms; null for none
   * @param isUsed whether the clock that set it dates readings
   * @param at the poll instant, Unix ms
   * @param now after the answer arrived, Unix ms
   */
  hold(
    index: number,
    value: number,
    givenAt: number | null,
    isUsed: boolean,
    at: number,
    now: number,
    out: ColumnsBuilder,
  ): void {
    this.#board.good(index)
    this.#current[index] = value
    const { offsetMs = 0 } = this.#clock
    const sourceAt = givenAt === null || offsetMs === null ? null : givenAt - offsetMs
    const isSourceTime = sourceAt !== null && isUsed
    let timestamp = isSourceTime ? at : this.#pollInstant(index, at)
    if (isSourceTime) {
      const seenAt = this.#sourceAt[index] as number
      // The negated comparison accepts the first timestamp, because NaN compares as false.
      if (!(sourceAt <= seenAt) && sourceAt <= now + this.#aheadLimitMs && sourceAt >= now - READING_LIMITS.pastMs)
        timestamp = sourceAt
    }
    // Also of a clock that is not used: once it is right again, a value that stands still has the timestamp of the wrong one.
    if (sourceAt !== null) this.#sourceAt[index] = sourceAt
    this.#handOn(index, value, timestamp, at, out)
  }

  /**
   * The last good value once more, dated with the poll instant `at`, unless one was handed on after `since` (Unix ms). Nothing when the
   * last value was not good.
   */
  repeat(index: number, since: number, at: number, out: ColumnsBuilder): void {
    const value = this.#current[index] as number
    const handedAt = this.#handedAt[index] as number
    // One that was handed on at `since` belongs to the interval before.
    if (Number.isNaN(value) || (handedAt > since && handedAt <= at)) return
    this.#handOn(index, value, at, at, out)
  }

  /** A new session begins: what was current in the last one may not be any more. */
  forget(): void {
    this.#current.fill(Number.NaN)
    this.#firstAt.fill(Number.NaN)
  }

  /** No good value: not stored, not repeated. */
  refuse(index: number, found: Fault): void {
    this.#current[index] = Number.NaN
    this.#board.bad(index, found)
  }

  /** Of several values that a subscription brings at one instant each later one gets a millisecond more: with one timestamp they would be one. */
  #pollInstant(index: number, at: number): number {
    const last = this.#polledAt[index] as number
    const isSame = at <= last && at > last - SAME_INSTANT_MS
    const instant = isSame ? last + 1 : at
    this.#polledAt[index] = instant
    return instant
  }

  #handOn(index: number, value: number, timestamp: number, at: number, out: ColumnsBuilder): void {
    const deadband = this.#deadbands[index] as number
    if (deadband > 0) {
      const within = Math.abs(value - (this.#handed[index] as number)) <= deadband
      // The absolute value, for the wall clock may be set back
      if (within && Math.abs(at - (this.#handedAt[index] as number)) < DEADBAND_REPEAT_MS) return
    }
    this.#handed[index] = value
    this.#handedAt[index] = at
    if (!(timestamp <= (this.#newestAt[index] as number))) this.#newestAt[index] = timestamp
    if (Number.isNaN(this.#firstAt[index])) this.#firstAt[index] = timestamp
    out.add(index, timestamp, value)
  }

  /** The newest reading of a tag: Unix ms, NaN before the first, and its value. */
  newest(index: number): { at: number; value: number } {
    return { at: this.#newestAt[index] as number, value: this.#handed[index] as number }
  }

  /** A value with this source timestamp is stored, Unix ms: where it is still current, its next reading gets the poll instant. */
  sawSource(index: number, at: number): void {
    if (!(at <= (this.#sourceAt[index] as number))) this.#sourceAt[index] = at
  }

  /** Unix ms of the first reading of a tag in this session, undefined before it. */
  firstAt(index: number): number | undefined {
    const at = this.#firstAt[index] as number
    return Number.isNaN(at) ? undefined : at
  }
}
