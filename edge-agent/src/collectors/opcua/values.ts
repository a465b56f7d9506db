import { type OpcUaConfig, READING_LIMITS } from '@haltless/protocol'
import type { DataValue, Variant } from 'node-opcua'
import type { CollectorClock } from '../collector.ts'
import type { ColumnsBuilder } from '../columns-builder.ts'
import type { StatusBoard } from '../status-board.ts'
import { applyScale, type Tag } from '../tag.ts'
import { describeStatus } from './connection-errors.ts'

/** A value that stays within its deadband is repeated once a minute all the same, or its machine would look silent. */
const DEADBAND_REPEAT_MS = 60_000
/** A source timestamp further ahead than this is a clock gone wrong. */
const AHEAD_MS = 1_000

/** Built-in types by number. Source: OPC 10000-6, 5.1.2 */
const BOOLEAN = 1
const SBYTE = 2
const UINT32 = 7
const INT64 = 8
const UINT64 = 9
const FLOAT = 10
const DOUBLE = 11
const SCALAR = 0
const TYPE_NAMES: Record<number, string> = {
  0: 'nothing',
  12: 'a text',
  13: 'a date',
  14: 'an identifier',
  15: 'bytes',
  16: 'a text',
  17: 'a node id',
  18: 'a node id',
  19: 'a status code',
  20: 'a name',
  21: 'a text',
  22: 'a structure',
}

/** The number in a variant; NaN when it holds none, or an integer that a double cannot hold. */
export function numberOf({ dataType, arrayType, value }: Variant): number {
  if (arrayType !== SCALAR) return Number.NaN
  const type: number = dataType
  if (type === DOUBLE || type === FLOAT || (type >= SBYTE && type <= UINT32)) return value
  if (type === BOOLEAN) return value ? 1 : 0
  if (type === INT64 || type === UINT64) {
    // 64-bit integers come as two unsigned halves. A rounded sum never falls back into the safe range
    const [high, low] = value as [number, number]
    const whole = (type === INT64 ? high | 0 : high) * 4_294_967_296 + low
    return Number.isSafeInteger(whole) ? whole : Number.NaN
  }
  return Number.NaN
}

/** Why a variant becomes no reading, in plain words. */
export function whyNoNumber({ dataType, arrayType }: Variant): string {
  if (arrayType !== SCALAR) return 'the node holds an array, not a single number'
  const type: number = dataType
  if (type === INT64 || type === UINT64) return 'the integer is beyond 2^53 and has no exact value'
  if ((type >= SBYTE && type <= UINT32) || type === FLOAT || type === DOUBLE) return 'the value is not a finite number'
  return `the node holds ${TYPE_NAMES[type] ?? 'something'}, not a number`
}

/**
 * Converts values of nodes to readings, and keeps what the next conversion needs.
 *
 * A reading carries its source timestamp when that is newer than the last one of its node, not ahead of our clock, and not older
 * than the hub accepts. A value with an unchanged source timestamp gets the poll instant, because it is known to hold then.
 */
export class ValueConverter {
  readonly #clock: Pick<CollectorClock, 'offsetMs'>
  readonly #tags: readonly Tag[]
  readonly #board: StatusBoard
  readonly #deadbands: Float64Array
  /** Unix ms of the newest source timestamp, by tag; NaN before the first */
  readonly #sourceAt: Float64Array
  /** last good value, NaN when the last one was not good */
  readonly #current: Float64Array
  /** last value handed on and its poll instant */
  readonly #handed: Float64Array
  readonly #handedAt: Float64Array
  /** Unix ms of the newest reading, and of the first one of this session; NaN before these */
  readonly #newestAt: Float64Array
  readonly #firstAt: Float64Array

  /** @param clock its offset relates source timestamps to its own time */
  constructor(config: OpcUaConfig, tags: readonly Tag[], board: StatusBoard, clock: Pick<CollectorClock, 'offsetMs'> = {}) {
    this.#clock = clock
    this.#tags = tags
    this.#board = board
    const blank = () => new Float64Array(tags.length).fill(Number.NaN)
    this.#deadbands = Float64Array.from(config.nodes, (node) => node.deadband)
    this.#sourceAt = blank()
    this.#current = blank()
    this.#handed = blank()
    this.#handedAt = blank()
    this.#newestAt = blank()
    this.#firstAt = blank()
  }

  /**
   * Adds a reading to `out`, or notes why there is none.
   * @param at the poll instant, Unix ms
   * @param now after the answer arrived, Unix ms
   */
  take(index: number, dataValue: DataValue, at: number, now: number, out: ColumnsBuilder): void {
    const status = dataValue.statusCode
    // Severity is in the two highest bits, 0 is good. Source: OPC 10000-4, 7.39
    if (status.value >>> 30 !== 0) {
      this.refuse(index, describeStatus(status))
      return
    }
    const tag = this.#tags[index] as Tag
    const value = applyScale(numberOf(dataValue.value), tag)
    if (!Number.isFinite(value)) {
      this.refuse(index, whyNoNumber(dataValue.value))
      return
    }
    this.#board.good(index)
    this.#current[index] = value
    const source = dataValue.sourceTimestamp
    let timestamp = at
    const { offsetMs = 0 } = this.#clock
    if (source && offsetMs !== null) {
      const sourceAt = source.getTime() - offsetMs
      const seenAt = this.#sourceAt[index] as number
      // The negated comparison accepts the first timestamp, because NaN compares as false.
      if (!(sourceAt <= seenAt) && sourceAt <= now + AHEAD_MS && sourceAt >= now - READING_LIMITS.pastMs) timestamp = sourceAt
      this.#sourceAt[index] = sourceAt
    }
    this.#handOn(index, value, timestamp, at, out)
  }

  /**
   * The last good value once more, dated with the poll instant `at`, unless one was handed on since `since` (Unix ms). Nothing when the
   * last value was not good.
   */
  repeat(index: number, since: number, at: number, out: ColumnsBuilder): void {
    const value = this.#current[index] as number
    const handedAt = this.#handedAt[index] as number
    if (Number.isNaN(value) || (handedAt >= since && handedAt <= at)) return
    this.#handOn(index, value, at, at, out)
  }

  /** A new session begins: what was current in the last one may not be any more. */
  forget(): void {
    this.#current.fill(Number.NaN)
    this.#firstAt.fill(Number.NaN)
  }

  /** No good value: not stored, not repeated. */
  refuse(index: number, reason: string): void {
    this.#current[index] = Number.NaN
    this.#board.bad(index, reason)
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
