import { type Fault, fault } from '@haltless/protocol'
import type { CollectorClock } from '../collector.ts'
import { isStamped } from '../contract.ts'
import type { PendingReadings } from '../pending-readings.ts'
import type { SourceClock, SourceClocks } from '../source-clock.ts'
import type { StatusBoard } from '../status-board.ts'
import { readingValue, type Tag, tagOf } from '../tag.ts'
import { TimestampReader } from '../timestamps.ts'
import { fieldOf, NoNumber, scalarOfJson } from '../values-in-text.ts'
import type { MessageHandler } from './broker-collector.ts'
import { isPersistent, type MqttConfig } from './contract.ts'

export const topicTags = ({ machine, config }: { machine: string; config: MqttConfig }): Tag[] =>
  config.topics.map((tag) => tagOf(tag, (tag.field ? `${tag.topic} ${tag.field}` : tag.topic).slice(0, 500), machine))

/** Makes readings of the messages of topics: each message is a reading, and nothing is repeated. */
export class TopicReader implements MessageHandler {
  readonly filters: readonly string[]
  readonly qos: 0 | 1
  readonly isPersistent: boolean
  readonly #showsKept: boolean
  readonly #config: MqttConfig
  readonly #tags: readonly Tag[]
  readonly #board: StatusBoard
  readonly #clock: CollectorClock
  readonly #clocks: SourceClocks
  readonly #pending: PendingReadings
  readonly #byTopic: Map<string, number[]>
  readonly #timestamps: TimestampReader | null
  /** tags that had a message since the collector started */
  readonly #heard = new Set<number>()
  /** instants of the newest readings, Unix ms */
  readonly #newestAt: Float64Array

  /** @param showsKept what the broker kept is a reading too, whenever it was measured: for a person who looks */
  constructor(
    config: MqttConfig,
    tags: readonly Tag[],
    board: StatusBoard,
    clock: CollectorClock,
    clocks: SourceClocks,
    pending: PendingReadings,
    showsKept = false,
  ) {
    this.#showsKept = showsKept
    const { topics, qos, timestamp } = config
    this.#config = config
    this.#tags = tags
    this.#board = board
    this.#clock = clock
    this.#clocks = clocks
    this.#pending = pending
    this.#byTopic = Map.groupBy(topics.keys(), (index) => topics[index]?.topic as string)
    this.filters = [...this.#byTopic.keys()]
    this.qos = qos
    this.isPersistent = isPersistent(config)
    this.#timestamps = timestamp && isStamped(config) ? new TimestampReader(timestamp.format, timestamp.time_zone) : null
    this.#newestAt = new Float64Array(tags.length).fill(Number.NEGATIVE_INFINITY)
  }

  reset(): void {}

  connected(): void {}

  /** How many topics had no message yet. */
  get silent(): number {
    return this.#tags.length - this.#heard.size
  }

  interval(): Fault | null {
    return this.silent === 0 ? null : fault('silent_topics', { count: this.silent, all: this.#tags.length })
  }

  message(topic: string, payload: Buffer, isRetained: boolean): void {
    const indexes = this.#byTopic.get(topic)
    if (!indexes) return
    const text = payload.toString('utf8')
    const parsed = parseOnce(text)
    const given = this.#givenTime(parsed)
    const source = this.#clocks.of(topic)
    // What the broker kept, or the session queued, may be of any age. It proves nothing when it is late.
    if (typeof given === 'number' && !isRetained) source.measured(given - this.#clock.now())
    for (const index of indexes) {
      this.#heard.add(index)
      const value = readingValue(this.#rawOf(index, text, parsed), this.#tags[index] as Tag)
      const at = value instanceof NoNumber ? value : this.#timestampOf(index, given, source, isRetained)
      if (value instanceof NoNumber || at instanceof NoNumber) {
        this.#board.bad(index, (value instanceof NoNumber ? value : (at as NoNumber)).fault)
        continue
      }
      this.#board.good(index)
      if (at !== null) this.#pending.out.add(index, at, value)
    }
  }

  #rawOf(index: number, text: string, parsed: () => unknown): number | string | NoNumber {
    const field = this.#config.topics[index]?.field
    if (field === undefined) {
      const json = /^\s*[[{]/.test(text)
      if (json) return new NoNumber(fault('message_is_json'))
      const trimmed = text.trim()
      const isQuoted = trimmed.length > 1 && trimmed.startsWith('"') && trimmed.endsWith('"')
      return (isQuoted ? trimmed.slice(1, -1) : trimmed) || new NoNumber(fault('message_is_empty'))
    }
    const json = parsed()
    if (json === undefined) return new NoNumber(fault('message_is_no_json'))
    return scalarOfJson(fieldOf(json, field)) ?? new NoNumber(fault('message_without_value', { field }))
  }

  /** When a message says that it was measured; null: it need not say it. */
  #givenTime(parsed: () => unknown): number | NoNumber | null {
    const { timestamp } = this.#config
    if (!this.#timestamps || !timestamp) return null
    const now = this.#clock.now() + (this.#clock.offsetMs ?? 0)
    const given = this.#timestamps.read(fieldOf(parsed(), timestamp.field), 0, now)
    return given ?? new NoNumber(fault('message_without_timestamp', { format: timestamp.format, field: timestamp.field }))
  }

  /** @returns null for a message that says nothing about now: a retained one without a timestamp that counts, or one that was read before */
  #timestampOf(
    index: number,
    given: number | NoNumber | null,
    source: SourceClock,
    isRetained: boolean,
  ): number | NoNumber | null {
    if (given instanceof NoNumber) return given
    const { offsetMs = 0 } = this.#clock
    // readings of a persistent session keep the time of their source: the agent may read them before it knows how wrong its own clock is
    const shiftMs = this.isPersistent ? 0 : offsetMs
    const now = this.#clock.now() + (this.isPersistent ? (offsetMs ?? 0) : 0)
    const newest = this.#newestAt[index] as number
    let at = Math.max(now, newest + 1)
    if (given !== null && source.isUsed) {
      const isAhead = offsetMs !== null && shiftMs !== null && given - shiftMs > now + source.aheadLimitMs
      if (shiftMs !== null && !isAhead) {
        at = given - shiftMs
        if (isRetained && at <= newest) return null
      }
    } else if (isRetained && !this.#showsKept) return null
    this.#newestAt[index] = Math.max(at, newest)
    return at
  }
}

/** Parses a message when the first tag needs it. @returns undefined for what is no JSON */
function parseOnce(text: string): () => unknown {
  let result: { value: unknown } | null = null
  return () => {
    if (!result) {
      try {
        result = { value: JSON.parse(text) }
      } catch {
        result = { value: undefined }
      }
    }
    return result.value
  }
}
