import type { BadTag, CollectorState, CollectorStatus, Logger } from './collector.ts'
import { badTagSummary } from './messages.ts'
import type { Tag } from './tag.ts'

/** Keeps a collector's status, and logs each change of it once. */
export class StatusBoard {
  readonly #tags: readonly Tag[]
  readonly #logger: Logger
  /** tag index to reason */
  readonly #bad = new Map<number, string>()
  #state: CollectorState = 'starting'
  #detail = ''
  #lastAnswerAt: number | null = null
  #lastReadAt: number | null = null
  #readingsTotal = 0
  #badValuesTotal = 0

  constructor(tags: readonly Tag[], logger: Logger) {
    this.#tags = tags
    this.#logger = logger
  }

  get state(): CollectorState {
    return this.#state
  }

  set(state: CollectorState, detail = ''): void {
    if (this.#state === 'stopped' || (state === this.#state && detail === this.#detail)) return
    const changed = state !== this.#state
    this.#state = state
    this.#detail = detail
    if (!changed) this.#logger.debug({ state, detail }, 'collector status')
    else if (state === 'reconnecting' || state === 'failing') this.#logger.warn({ state, detail }, 'collector status')
    else this.#logger.info({ state, detail }, 'collector status')
  }

  /** After a poll that reached the device: running, or failing when not one tag can be read. @param at Unix ms */
  reached(at: number): void {
    this.#lastAnswerAt = at
    if (this.#bad.size > 0 && this.#bad.size === this.#tags.length) {
      const [first] = this.#bad.values()
      this.set('failing', `no tag can be read: ${first}`)
    } else this.set('running', badTagSummary(this.#bad.size, this.#tags.length))
  }

  /** A tag gave a good value. */
  good(index: number): void {
    if (this.#bad.size !== 0 && this.#bad.delete(index)) {
      this.#logger.info({ tag: this.#tags[index]?.rawTag }, 'tag can be read again')
    }
  }

  /** A tag gave no good value. The value, if there was one, goes nowhere. */
  bad(index: number, reason: string): void {
    this.#badValuesTotal++
    if (this.#bad.get(index) === reason) return
    this.#bad.set(index, reason)
    this.#logger.warn({ tag: this.#tags[index]?.rawTag, reason }, 'tag cannot be read')
  }

  /** Readings were handed on. */
  stored(count: number, at: number): void {
    this.#readingsTotal += count
    this.#lastReadAt = at
  }

  badTags(): BadTag[] {
    return Array.from(this.#bad, ([index, reason]) => {
      const tag = this.#tags[index] as Tag
      return { rawTag: tag.rawTag, metric: tag.metric, reason }
    })
  }

  snapshot(): CollectorStatus {
    return {
      state: this.#state,
      detail: this.#detail,
      lastAnswerAt: this.#lastAnswerAt,
      lastReadAt: this.#lastReadAt,
      readingsTotal: this.#readingsTotal,
      badValuesTotal: this.#badValuesTotal,
      badTags: this.badTags(),
    }
  }
}
