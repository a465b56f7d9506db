import { type Fault, fault, type OpcUaConfig } from '@haltless/protocol'
import type { DataValue, Variant } from 'node-opcua'
import type { CollectorClock } from '../collector.ts'
import type { ColumnsBuilder } from '../columns-builder.ts'
import { HeldValues } from '../held-values.ts'
import type { SourceClock } from '../source-clock.ts'
import type { StatusBoard } from '../status-board.ts'
import { readingValue, type Tag } from '../tag.ts'
import { NoNumber } from '../values-in-text.ts'
import { statusFault } from './connection-errors.ts'

/** Built-in types by number. Source: OPC 10000-6, 5.1.2 */
const BOOLEAN = 1
const SBYTE = 2
const UINT32 = 7
const INT64 = 8
const UINT64 = 9
const FLOAT = 10
const DOUBLE = 11
const STRING = 12
const LOCALIZED_TEXT = 21
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

/** Why a variant becomes no reading. */
export function whyNoNumber({ dataType, arrayType }: Variant): Fault {
  if (arrayType !== SCALAR) return fault('opcua_node_is_array')
  const type: number = dataType
  if (type === INT64 || type === UINT64) return fault('integer_too_large')
  if ((type >= SBYTE && type <= UINT32) || type === FLOAT || type === DOUBLE) return fault('value_not_finite')
  return fault('opcua_node_is_no_number', { type: TYPE_NAMES[type] ?? 'something' })
}

/** The text of a String or a LocalizedText; undefined for other types. */
function textOf({ dataType, arrayType, value }: Variant): string | undefined {
  if (arrayType !== SCALAR) return undefined
  const type: number = dataType
  const text = type === STRING ? value : type === LOCALIZED_TEXT ? (value as { text?: unknown } | null)?.text : undefined
  return typeof text === 'string' ? text : undefined
}

/** The element of an answer for an index range: an array or a matrix of one element. Anything else stays as it is. */
function elementOf(variant: Variant): Variant {
  const { dataType, arrayType, value } = variant
  if (arrayType === SCALAR || value?.length !== 1) return variant
  return { dataType, arrayType: SCALAR, value: value[0] } as Variant
}

/** What a variant gives as the value of a tag, or why it gives none. @param isElement of an array, by its index range */
export function readingOf(given: Variant, tag: Tag, isElement: boolean): number | NoNumber {
  const variant = isElement ? elementOf(given) : given
  const number = numberOf(variant)
  if (Number.isFinite(number)) return readingValue(number, tag)
  const text = tag.values ? textOf(variant) : undefined
  return text === undefined ? new NoNumber(whyNoNumber(variant)) : readingValue(text, tag)
}

/** Converts values of nodes to readings, and keeps what the next conversion needs. */
export class ValueConverter extends HeldValues {
  /** by tag index: an index range picks it from an array */
  readonly #isElement: readonly boolean[]
  /** the timestamps that count are those of the server, not those of its sources */
  readonly isServerTime: boolean
  readonly #serverClock: Pick<SourceClock, 'isUsed'>

  /**
   * @param clock its offset relates source timestamps to its own time
   * @param serverClock decides whether timestamps of the server and its sources count
   */
  constructor(
    config: OpcUaConfig,
    tags: readonly Tag[],
    board: StatusBoard,
    clock: Pick<CollectorClock, 'offsetMs'>,
    serverClock: Pick<SourceClock, 'isUsed' | 'aheadLimitMs'>,
  ) {
    const deadbands = config.nodes.map(({ deadband }) => deadband)
    super(deadbands, tags, board, clock, serverClock.aheadLimitMs)
    this.isServerTime = config.timestamps === 'server'
    this.#serverClock = serverClock
    this.#isElement = config.nodes.map(({ index_range }) => index_range !== undefined)
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
      this.refuse(index, statusFault(status))
      return
    }
    const value = readingOf(dataValue.value, this.tags[index] as Tag, this.#isElement[index] as boolean)
    if (typeof value !== 'number') {
      this.refuse(index, value.fault)
      return
    }
    this.hold(index, value, this.timestampOf(dataValue), this.#serverClock.isUsed, at, now, out)
  }

  /** Unix ms by the clock of the server or its source; null for none. */
  timestampOf({ serverTimestamp, sourceTimestamp }: DataValue): number | null {
    return (this.isServerTime ? serverTimestamp : sourceTimestamp)?.getTime() ?? null
  }
}
