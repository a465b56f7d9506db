import type { MissedPollReason } from '@haltless/protocol'
import type { Clock } from '../support/clock.ts'
import type { Tag } from './tag.ts'

/** Polls of a collector, or of one of its tags, that brought nothing. */
export interface MissedPollSpan {
  /** which polls of the collector: spans of one machine, metric and reason may overlap */
  key: string
  machine: string
  /** null: all tags that the collector polls of the machine */
  metric: string | null
  unit: string
  reason: MissedPollReason
  /** instants of the first and the last of them, Unix ms */
  fromAt: number
  toAt: number
  /** how many so far; 0: the next instant is the first that can be missed */
  count: number
  /** false: it may grow, and a later report of the same key and machine replaces this one */
  isOver: boolean
  /** how often a poll goes on to miss at present, ms; 0: none does, or nobody knows */
  stepMs: number
}

/** A span of a collector is over this long after its first missed poll, so that a day without a device takes 144 records. */
const COLLECTOR_SPAN_MS = 600_000
/** A collector may have thousands of tags without a value. */
const TAG_SPAN_MS = 3_600_000
/** What cannot be derived after a crash is reported so often in the time of a span at most. */
const REPORTS_PER_SPAN = 10

/** The polls of one or of all tags, for one reason. */
interface Growing {
  tags: number | readonly string[] | null
  machines: readonly string[]
  span: Omit<MissedPollSpan, 'key' | 'machine' | 'isOver'>
  /** monotonic ms */
  overAt: number
  pauseMs: number
  /** what was reported last, and when (monotonic ms); null: nothing */
  reported: { count: number; stepMs: number; at: number } | null
}

/** When a span is to be reported next, monotonic ms. */
function dueAtOf({ span, overAt, pauseMs, reported }: Growing): number {
  // Its beginning and its end are reported at once, so that a crash neither hides nor invents missed polls.
  if (reported === null || (span.stepMs === 0 && reported.stepMs > 0)) return Number.NEGATIVE_INFINITY
  const isDerived = span.stepMs === reported.stepMs && (span.stepMs > 0 || span.count === reported.count)
  return isDerived ? overAt : Math.min(overAt, reported.at + pauseMs)
}

/**
 * Collects missed polls into spans, one per tag and reason. A span is reported when it begins, when polls bring readings again, and
 * when it is over; between these its growth follows from `stepMs`.
 */
export class MissedPolls {
  readonly #tags: readonly Tag[]
  readonly #clock: Clock
  readonly #onSpans: (spans: MissedPollSpan[]) => void
  readonly #spans = new Map<string, Growing>()
  /** the earliest time at which a span is to be reported, monotonic ms */
  #dueAt = Number.POSITIVE_INFINITY

  constructor(tags: readonly Tag[], clock: Clock, onSpans: (spans: MissedPollSpan[]) => void) {
    this.#tags = tags
    this.#clock = clock
    this.#onSpans = onSpans
  }

  /**
   * @param tags the index of a tag; machines, for all of their tags; null for all tags of the collector
   * @param stepMs as in {@link MissedPollSpan}
   */
  note(
    tags: number | readonly string[] | null,
    reason: MissedPollReason,
    { fromAt, toAt, count, stepMs = 0 }: { fromAt: number; toAt: number; count: number; stepMs?: number },
  ): void {
    const key = keyOf(tags, reason)
    const known = this.#spans.get(key)
    if (known) {
      const { span } = known
      span.fromAt = Math.min(span.fromAt, fromAt)
      span.toAt = Math.max(span.toAt, toAt)
      span.count += count
      this.#setStep(known, stepMs)
      return
    }
    const tag = typeof tags === 'number' ? this.#tags[tags] : undefined
    const spanMs = tag ? TAG_SPAN_MS : COLLECTOR_SPAN_MS
    this.#spans.set(key, {
      tags,
      machines: tag ? [tag.machine] : typeof tags === 'object' && tags ? [...tags] : this.#machines(),
      span: { metric: tag?.metric ?? null, unit: tag?.unit ?? '', reason, fromAt, toAt, count, stepMs },
      overAt: this.#clock.monotonic() + spanMs,
      pauseMs: spanMs / REPORTS_PER_SPAN,
      reported: null,
    })
    this.#dueAt = Number.NEGATIVE_INFINITY
  }

  /** Polls of a tag, of all single tags, or of the collector as a whole miss nothing at present. */
  ended(what: number | 'tags' | 'collector'): void {
    // The usual case at each poll.
    if (this.#spans.size === 0) return
    if (what === 'tags') {
      for (const growing of this.#spans.values()) if (typeof growing.tags === 'number') this.#end(growing)
      return
    }
    this.#end(this.#spans.get(what === 'collector' ? keyOf(null, 'no_answer') : keyOf(what, 'no_value')))
  }

  #end(growing: Growing | undefined): void {
    if (growing && growing.span.stepMs > 0) this.#setStep(growing, 0)
  }

  #setStep(growing: Growing, stepMs: number): void {
    growing.span.stepMs = stepMs
    this.#dueAt = Math.min(this.#dueAt, dueAtOf(growing))
  }

  #machines(): string[] {
    return [...new Set(this.#tags.map(({ machine }) => machine))]
  }

  /** Reports the spans that are due, or all, which are over then. */
  flush(which: 'due' | 'all'): void {
    const reports = this.#take(which)
    if (reports.length > 0) this.#onSpans(reports)
  }

  /** Returns the spans that changed since their last report, for the caller to record. They count as reported. */
  takeChanged(): MissedPollSpan[] {
    return this.#take('changed')
  }

  #take(which: 'due' | 'changed' | 'all'): MissedPollSpan[] {
    const now = this.#clock.monotonic()
    if (this.#spans.size === 0 || (which === 'due' && now < this.#dueAt)) return []
    const reports: MissedPollSpan[] = []
    this.#dueAt = Number.POSITIVE_INFINITY
    for (const [key, growing] of this.#spans) {
      const { span, machines, overAt, reported } = growing
      const isOver = which === 'all' || overAt <= now
      const isChanged = reported === null || reported.count !== span.count || reported.stepMs !== span.stepMs
      if (isOver || dueAtOf(growing) <= now || (which === 'changed' && isChanged)) {
        for (const machine of machines) reports.push({ ...span, key, machine, isOver, ...(isOver && { stepMs: 0 }) })
        growing.reported = { count: span.count, stepMs: span.stepMs, at: now }
      }
      if (isOver) this.#spans.delete(key)
      else this.#dueAt = Math.min(this.#dueAt, dueAtOf(growing))
    }
    return reports
  }
}

const keyOf = (tags: Growing['tags'], reason: MissedPollReason): string => JSON.stringify([tags, reason])

/** How many polls have missed since the last one of a span, until an instant (Unix ms). */
export const missedSince = ({ toAt, stepMs }: Pick<MissedPollSpan, 'toAt' | 'stepMs'>, until: number): number =>
  stepMs > 0 ? Math.max(0, Math.floor((until - toAt) / stepMs)) : 0
