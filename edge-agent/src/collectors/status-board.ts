import { type Fault, fault } from '@haltless/protocol'
import type { Clock } from '../support/clock.ts'
import type { BadTag, CollectorDeps, CollectorState, CollectorStatus, Logger, SourceClockStatus } from './collector.ts'
import { badTagFault } from './messages.ts'
import { type MissedPollSpan, MissedPolls } from './missed-polls.ts'
import { PollSchedule } from './poll-schedule.ts'
import type { Tag } from './tag.ts'

type StatusBoardDeps = Pick<CollectorDeps, 'logger' | 'clock' | 'onMissedPolls'>

interface BoardOptions {
  /** as in {@link CollectorStatus} */
  isEventDriven?: boolean
  /** null: nothing is known of it yet */
  sourceClock?: () => SourceClockStatus | null
  /** what people should know while every tag can be read; null: nothing */
  note?: () => Fault | null
}

/** Keeps a collector's status, and logs each change of it once. */
export class StatusBoard {
  readonly #tags: readonly Tag[]
  readonly #logger: Logger
  /** by tag index */
  readonly #bad = new Map<number, { fault: Fault; missedPolls: number }>()
  readonly #missed: MissedPolls
  readonly #clock: Clock
  readonly #options: BoardOptions
  #schedule: PollSchedule | null = null
  /** how often it polls, ms; 0: it does not */
  #intervalMs = 0
  /** it gave no answer since {@link reached} */
  #wasAway = false
  #state: CollectorState = 'starting'
  #fault: Fault | null = null
  #lastAnswerAt: number | null = null
  #lastReadAt: number | null = null
  #readingsTotal = 0
  #badValuesTotal = 0
  #lostMessages = 0

  constructor(tags: readonly Tag[], { logger, clock, onMissedPolls = () => {} }: StatusBoardDeps, options: BoardOptions = {}) {
    this.#options = options
    this.#tags = tags
    this.#logger = logger
    this.#clock = clock
    this.#missed = new MissedPolls(tags, clock, onMissedPolls)
  }

  get state(): CollectorState {
    return this.#state
  }

  /** @param found why; null: there is nothing to say */
  set(state: CollectorState, found: Fault | null = null): void {
    const detail = found?.detail ?? ''
    if (this.#state === 'stopped' || (state === this.#state && detail === (this.#fault?.detail ?? ''))) return
    const changed = state !== this.#state
    this.#state = state
    this.#fault = found
    if (!changed) this.#logger.debug({ state, detail }, 'collector status')
    else if (state === 'reconnecting' || state === 'failing' || state === 'paused')
      this.#logger.warn({ state, detail }, 'collector status')
    else this.#logger.info({ state, detail }, 'collector status')
  }

  /** After a poll that reached the device: running, or failing when not one tag can be read. @param at Unix ms */
  reached(at: number): void {
    // a device that is slower than its interval is asked less often
    const distanceMs = this.#wasAway || this.#lastAnswerAt === null ? 0 : at - this.#lastAnswerAt
    const stepMs = this.#intervalMs * Math.max(1, this.#intervalMs > 0 ? Math.round(distanceMs / this.#intervalMs) : 1)
    this.#wasAway = false
    for (const [index, tag] of this.#bad) {
      tag.missedPolls++
      this.#missed.note(index, 'no_value', { fromAt: at, toAt: at, count: 1, stepMs })
    }
    this.alive(at)
  }

  /** {@link reached}, where nothing was asked of the tags: those without a value missed nothing. */
  alive(at: number): void {
    this.#lastAnswerAt = at
    this.#missed.ended('collector')
    this.#missed.flush('due')
    if (this.#bad.size > 0 && this.#bad.size === this.#tags.length) {
      const [first] = this.#bad.values()
      if (first) this.set('failing', fault('no_readable_tag', { reason: first.fault }))
    } else this.set('running', badTagFault(this.#bad.size, this.#tags.length) ?? this.#options.note?.())
  }

  /** A tag gave a good value. */
  good(index: number): void {
    if (this.#bad.size !== 0 && this.#bad.delete(index)) {
      this.#missed.ended(index)
      this.#logger.info({ tag: this.#tags[index]?.rawTag }, 'tag can be read again')
    }
  }

  /** A tag gave no good value. The value, if there was one, goes nowhere. */
  bad(index: number, found: Fault): void {
    this.#badValuesTotal++
    const known = this.#bad.get(index)
    if (known?.fault.detail === found.detail) return
    this.#bad.set(index, { fault: found, missedPolls: known?.missedPolls ?? 0 })
    this.#logger.warn({ tag: this.#tags[index]?.rawTag, reason: found.detail }, 'tag cannot be read')
  }

  isBad(index: number): boolean {
    return this.#bad.has(index)
  }

  /** Values of a tag were there and are no good ones: recorded as a gap. Where the tag stays bad, call {@link bad} before. */
  missed(index: number, count = 1): void {
    const known = this.#bad.get(index)
    if (known) known.missedPolls += count
    const at = this.#clock.now()
    this.#missed.note(index, 'no_value', { fromAt: at, toAt: at, count })
  }

  /** Messages or lines about tags of these machines were lost on their way here, between two instants (Unix ms): recorded as a gap. */
  lost(machines: readonly string[], fromAt: number, toAt: number, count: number): void {
    this.#lostMessages += count
    this.#missed.note(machines, 'no_answer', { fromAt, toAt, count })
  }

  /** The poll instants of the collector, the same at every call; those that bring nothing are counted and recorded. */
  schedule(intervalMs: number): PollSchedule {
    this.#intervalMs = intervalMs
    this.#schedule ??= new PollSchedule(this.#clock, intervalMs, (kind, fromAt, toAt, count) => {
      if (kind === 'failed') {
        this.#wasAway = true
        // The poll failed as a whole, so no single tag was asked for.
        this.#missed.ended('tags')
        this.#missed.note(null, 'no_answer', { fromAt, toAt, count, stepMs: intervalMs })
      } else this.#missed.note(null, 'skipped', { fromAt, toAt, count })
      this.#missed.flush('due')
    })
    return this.#schedule
  }

  /** Polling ends until the collector polls again. */
  pause(): void {
    this.#schedule?.answered()
    this.#missed.ended('collector')
    this.#missed.ended('tags')
    this.#missed.flush('due')
    this.set('paused', fault('buffer_full'))
  }

  /** Counts the poll instants of a pause that have passed. */
  skipPolls(): void {
    this.#schedule?.skip()
    this.#missed.flush('due')
  }

  /** What was missed since it was recorded last, for the transaction that stores the next progress. */
  takeMissed(): MissedPollSpan[] {
    return this.#missed.takeChanged()
  }

  /** Hands on all missed polls that are not recorded yet: the collector stops. */
  flushMissedPolls(): void {
    this.#schedule?.end()
    this.#missed.flush('all')
  }

  /** Readings were handed on. */
  stored(count: number, at: number): void {
    this.#readingsTotal += count
    this.#lastReadAt = at
  }

  badTags(): BadTag[] {
    return Array.from(this.#bad, ([index, { fault: found, missedPolls }]) => {
      const tag = this.#tags[index] as Tag
      return { rawTag: tag.rawTag, metric: tag.metric, reason: found.detail, fault: found, missedPolls }
    })
  }

  snapshot(): CollectorStatus {
    const missed = this.#schedule?.missed() ?? { skipped: 0, failed: 0 }
    const { isEventDriven, sourceClock } = this.#options
    const clock = sourceClock?.()
    return {
      state: this.#state,
      detail: this.#fault?.detail ?? '',
      fault: this.#fault,
      lastAnswerAt: this.#lastAnswerAt,
      lastReadAt: this.#lastReadAt,
      readingsTotal: this.#readingsTotal,
      badValuesTotal: this.#badValuesTotal,
      badTags: this.badTags(),
      ...(isEventDriven && { isEventDriven: true as const }),
      ...(clock && { sourceClock: clock }),
      missedPolls: { skipped: missed.skipped, failed: missed.failed + this.#lostMessages },
    }
  }
}
