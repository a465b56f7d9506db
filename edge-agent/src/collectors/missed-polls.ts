import type { MissedPollReason } from '@haltless/protocol'
import type { Clock } from '../support/clock.ts'
import type { Tag } from './tag.ts'

/** Polls of a collector, or of one of its tags, that brought nothing. */
export interface MissedPollSpan {
  machine: string
  /** null: all tags that the collector polls of the machine */
  metric: string | null
  unit: string
  reason: MissedPollReason
  /** instants of the first and the last of them, Unix ms */
  fromAt: number
  toAt: number
  /** how many, at least 1 */
  count: number
}

/** A span of a collector is recorded this long after its first missed poll, so that a day without a device takes 144 records. */
const COLLECTOR_SPAN_MS = 600_000
/** A collector may have thousands of tags without a value. */
const TAG_SPAN_MS = 3_600_000

/** Collects missed polls into spans, one per tag and reason, and hands each on once it is old enough. */
export class MissedPolls {
  readonly #tags: readonly Tag[]
  readonly #clock: Clock
  readonly #onSpans: (spans: MissedPollSpan[]) => void
  readonly #spans = new Map<string, { span: Omit<MissedPollSpan, 'machine'>; machines: string[]; dueAt: number }>()
  /** the earliest `dueAt`, monotonic ms */
  #dueAt = Number.POSITIVE_INFINITY

  constructor(tags: readonly Tag[], clock: Clock, onSpans: (spans: MissedPollSpan[]) => void) {
    this.#tags = tags
    this.#clock = clock
    this.#onSpans = onSpans
  }

  /** @param tags the index of a tag; machines, for all of their tags; null for all tags of the collector */
  note(tags: number | readonly string[] | null, reason: MissedPollReason, fromAt: number, toAt: number, count: number): void {
    const key = JSON.stringify([tags, reason])
    const known = this.#spans.get(key)
    if (known) {
      const { span } = known
      span.fromAt = Math.min(span.fromAt, fromAt)
      span.toAt = Math.max(span.toAt, toAt)
      span.count += count
      return
    }
    const tag = typeof tags === 'number' ? this.#tags[tags] : undefined
    const dueAt = this.#clock.monotonic() + (tag ? TAG_SPAN_MS : COLLECTOR_SPAN_MS)
    const span = { metric: tag?.metric ?? null, unit: tag?.unit ?? '', reason, fromAt, toAt, count }
    const machines = tag ? [tag.machine] : typeof tags === 'object' && tags ? [...tags] : this.#machines()
    this.#spans.set(key, { span, machines, dueAt })
    this.#dueAt = Math.min(this.#dueAt, dueAt)
  }

  #machines(): string[] {
    return [...new Set(this.#tags.map(({ machine }) => machine))]
  }

  /** Hands on the spans that are old enough, or all. */
  flush(which: 'due' | 'all'): void {
    const now = which === 'all' ? Number.POSITIVE_INFINITY : this.#clock.monotonic()
    if (this.#spans.size === 0 || now < this.#dueAt) return
    const due: MissedPollSpan[] = []
    this.#dueAt = Number.POSITIVE_INFINITY
    for (const [key, { span, machines, dueAt }] of this.#spans) {
      if (dueAt <= now) {
        this.#spans.delete(key)
        for (const machine of machines) due.push({ ...span, machine })
      } else this.#dueAt = Math.min(this.#dueAt, dueAt)
    }
    this.#onSpans(due)
  }
}
