import type { MissedPollCounts } from '@haltless/protocol'
import type { Clock } from '../support/clock.ts'

/**
 * Poll instants at a fixed distance from the first. Instants that have passed are skipped, never made up for: a device slower than its
 * interval is polled less often, and no polls queue up. It counts those that brought nothing.
 */
export class PollSchedule {
  readonly #clock: Clock
  readonly #intervalMs: number
  readonly #origin: number
  readonly #onMissed: (reason: keyof MissedPollCounts, fromAt: number, toAt: number, count: number) => void
  #missed: MissedPollCounts = { skipped: 0, failed: 0 }
  /** the newest instant at which a poll was tried */
  #instant = -1
  #isAnswered = true

  /** @param onMissed gets the instants that were missed since the poll before, Unix ms */
  constructor(
    clock: Clock,
    intervalMs: number,
    onMissed: (reason: keyof MissedPollCounts, fromAt: number, toAt: number, count: number) => void = () => {},
  ) {
    this.#onMissed = onMissed
    this.#clock = clock
    this.#intervalMs = intervalMs
    this.#origin = clock.monotonic()
  }

  /** A poll begins. The same instant may have several attempts; it failed when none of them is answered. */
  begin(): void {
    const instant = this.#now()
    if (instant <= this.#instant) return
    this.#report()
    this.#instant = instant
    this.#isAnswered = false
  }

  /** No poll is tried now: the instants before this one count as skipped. Call it after {@link answered}. */
  skip(): void {
    this.#report()
    this.#instant = Math.max(this.#instant, this.#now() - 1)
  }

  /** Polling ends. */
  end(): void {
    this.#report()
    this.#instant = this.#now()
  }

  /** Reports the instants between the poll that began last and the present. */
  #report(): void {
    const { skipped, failed } = this.missed()
    const count = skipped + failed - this.#missed.skipped - this.#missed.failed
    if (count > 0) {
      const toAt = this.#clock.now() - this.#intervalMs
      this.#onMissed(failed > this.#missed.failed ? 'failed' : 'skipped', toAt - (count - 1) * this.#intervalMs, toAt, count)
    }
    this.#missed = { skipped, failed }
  }

  /** The poll that began last was answered. */
  answered(): void {
    this.#isAnswered = true
  }

  /** Those that have passed so far. */
  missed(): MissedPollCounts {
    const { skipped, failed } = this.#missed
    const passed = Math.max(0, this.#now() - this.#instant)
    // The instant of the present is not over.
    if (this.#isAnswered) return { skipped: skipped + Math.max(0, passed - 1), failed }
    return { skipped, failed: failed + passed }
  }

  /** The instant that the present belongs to; with an interval of 0 there is only one. */
  #now(): number {
    // An instant less than a millisecond away counts as this one: timers may fire that much early
    return this.#intervalMs <= 0 ? 0 : Math.floor((this.#clock.monotonic() - this.#origin + 1) / this.#intervalMs)
  }

  /** Milliseconds from now to the next instant, 0 for an interval of 0. */
  msToNext(): number {
    if (this.#intervalMs <= 0) return 0
    return (this.#now() + 1) * this.#intervalMs - (this.#clock.monotonic() - this.#origin)
  }
}
