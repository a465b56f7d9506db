import { crc32 } from 'node:zlib'
import { fault } from '@haltless/protocol'
import type { CollectorClock } from '../collector.ts'
import type { ColumnsBuilder } from '../columns-builder.ts'
import { isStamped } from '../contract.ts'
import type { SourceClock } from '../source-clock.ts'
import type { StatusBoard } from '../status-board.ts'
import { readingValue, type Tag, tagOf } from '../tag.ts'
import { TimestampReader } from '../timestamps.ts'
import { scalarOfJson } from '../values-in-text.ts'
import type { FileConfig } from './contract.ts'
import { type FileRecord, Unreadable } from './records.ts'

/**
 * The newest timestamp of a file, and how many values each tag had at it. Of several lines with one timestamp the second gets a millisecond
 * more, and so on: readings of a series with one timestamp would be one reading.
 */
export interface LastTimestamp {
  at: number
  seen: Record<number, number>
}

/**
 * How many equal records of a document the agent dated, because their timestamps are ahead. A document is read again as a whole at each change.
 * A record is known by its timestamp and its values.
 */
export class DatedRecords {
  /** of the document as it was; each counts down as it is met again */
  readonly #before: Map<string, number>
  readonly #now = new Map<string, number>()

  constructor(before: readonly (readonly [string, number])[] = []) {
    this.#before = new Map(before)
  }

  /** Whether a record was dated before; it is counted. */
  has(key: string): boolean {
    const count = this.#before.get(key) ?? 0
    if (count === 0) return false
    this.#before.set(key, count - 1)
    this.add(key)
    return true
  }

  /** @throws Unreadable when there are too many */
  add(key: string): void {
    if (!this.#now.has(key) && this.#now.size >= DATED_MAX)
      throw new Unreadable(fault('file_too_many_ahead', { limit: DATED_MAX }))
    this.#now.set(key, (this.#now.get(key) ?? 0) + 1)
  }

  /** @param isWhole whether all of the document was read; else what was not met may still be in it */
  entries(isWhole: boolean): [string, number][] {
    const kept = new Map(this.#now)
    if (!isWhole) for (const [key, count] of this.#before) if (count > 0) kept.set(key, (kept.get(key) ?? 0) + count)
    return [...kept].slice(0, DATED_MAX)
  }
}

/** How far a document is read is stored at each change, so it has a limit. */
const DATED_MAX = 10_000

export const fileTags = ({ machine, config }: { machine: string; config: FileConfig }): Tag[] =>
  config.fields.map((field) => {
    const where = Object.entries(field.where ?? {}).map(([name, text]) => ` ${name}=${text}`)
    return tagOf(field, `${field.field}${where.join('')}`.slice(0, 500), machine)
  })

/** Turns records into readings. */
export class Extractor {
  readonly #config: FileConfig
  readonly #tags: readonly Tag[]
  readonly #board: StatusBoard
  readonly #timestamps: TimestampReader | null
  readonly #clock: CollectorClock
  readonly #sourceClock: SourceClock
  /** of records that the agent dates: no two get the same one */
  #newestAt = Number.NEGATIVE_INFINITY

  /** @param clock dates records without a timestamp that counts */
  constructor(config: FileConfig, tags: readonly Tag[], board: StatusBoard, clock: CollectorClock, sourceClock: SourceClock) {
    this.#config = config
    this.#tags = tags
    this.#board = board
    this.#clock = clock
    this.#sourceClock = sourceClock
    const { timestamp } = config
    this.#timestamps = timestamp && isStamped(config) ? new TimestampReader(timestamp.format, timestamp.time_zone) : null
  }

  /**
   * Adds the readings of a record.
   * @param last of the file; it is advanced
   * @param dated of a document
   * @returns false for one that was dated by the agent before, and is not stored again
   * @throws Unreadable when the record has no timestamp that can be read
   */
  extract(record: FileRecord, last: LastTimestamp, out: ColumnsBuilder, dated: DatedRecords | null): boolean {
    const given = this.#givenTime(record, last)
    const key =
      given !== null && dated ? `${given} ${crc32(JSON.stringify(this.#config.fields.map(({ field }) => record(field))))}` : ''
    if (key !== '' && dated?.has(key)) return false
    const at = given !== null && this.#counts(given) ? given : this.#readTime()
    if (key !== '' && at !== given) dated?.add(key)
    const mark = given ?? at
    if (mark !== last.at) {
      last.at = mark
      last.seen = {}
    }
    for (const [index, { field, where }] of this.#config.fields.entries()) {
      if (where && !Object.entries(where).every(([name, text]) => String(record(name) ?? '').trim() === text)) continue
      const raw = scalarOfJson(record(field))
      if (raw === undefined) continue
      const value = readingValue(raw, this.#tags[index] as Tag, this.#config)
      if (typeof value !== 'number') {
        this.#board.bad(index, value.fault)
        this.#board.missed(index)
        continue
      }
      const before = last.seen[index] ?? 0
      last.seen[index] = before + 1
      this.#board.good(index)
      out.add(index, at === given ? at + before : at, value)
    }
    return true
  }

  /** Of a record that the agent dates: now. Where others have timestamps of their own, the time is right as it is, like theirs. */
  #readTime(): number {
    const offsetMs = this.#timestamps ? (this.#clock.offsetMs ?? 0) : 0
    this.#newestAt = Math.max(this.#clock.now() + offsetMs, this.#newestAt + 1)
    return this.#newestAt
  }

  /** Whether a timestamp dates its record: no line was written in the future. */
  #counts(given: number): boolean {
    const { offsetMs = 0 } = this.#clock
    const aheadMs = given - this.#clock.now()
    this.#sourceClock.measured(aheadMs)
    if (!this.#sourceClock.isUsed) return false
    return offsetMs === null || aheadMs - offsetMs <= this.#sourceClock.aheadLimitMs
  }

  /** @returns null where records have no timestamp that counts */
  #givenTime(record: FileRecord, last: LastTimestamp): number | null {
    const { timestamp } = this.#config
    if (!timestamp || !this.#timestamps) return null
    const parts = timestamp.field.map(record)
    const given = parts.length === 1 ? parts[0] : parts.map((part) => String(part ?? '')).join(' ')
    const at = this.#timestamps.read(given, last.at, this.#clock.now() + (this.#clock.offsetMs ?? 0))
    if (at !== null) return at
    if (given === undefined || given === null)
      throw new Unreadable(fault('file_no_timestamp', { field: String(timestamp.field[0]) }))
    const text = JSON.stringify(String(given).slice(0, 40))
    throw new Unreadable(fault('file_timestamp_format', { text, format: timestamp.format }))
  }
}
