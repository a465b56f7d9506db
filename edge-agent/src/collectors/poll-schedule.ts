import type { Clock } from '../support/clock.ts'

/**
 * Poll instants at a fixed distance from the first. Instants that have passed are skipped, never made up for: a device slower than its
 * interval is polled less often, and no polls queue up.
 */
export class PollSchedule {
  readonly #clock: Clock
  readonly #intervalMs: number
  readonly #origin: number

  constructor(clock: Clock, intervalMs: number) {
    this.#clock = clock
    this.#intervalMs = intervalMs
    this.#origin = clock.monotonic()
  }

  /** Milliseconds from now to the next instant, 0 for an interval of 0. */
  msToNext(): number {
    if (this.#intervalMs <= 0) return 0
    const elapsed = this.#clock.monotonic() - this.#origin
    // An instant less than a millisecond away counts as this one: timers may fire that much early
    return (Math.floor((elapsed + 1) / this.#intervalMs) + 1) * this.#intervalMs - elapsed
  }
}
