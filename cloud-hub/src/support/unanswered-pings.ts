const MAX_UNANSWERED = 12

/**
 * Counts the pings in a row that an event loop left unanswered. A ping that is late itself begins the count anew: the whole process was
 * stopped, or the machine was suspended, and the event loop could not answer.
 */
export class UnansweredPings {
  readonly #pingMs: number
  #lastAt: number
  /** nothing was pinged yet */
  #isAnswered = true
  count = 0

  /** @param now a monotonic clock, in ms */
  constructor(pingMs: number, now: number) {
    this.#pingMs = pingMs
    this.#lastAt = now
  }

  answer(): void {
    this.#isAnswered = true
  }

  /** Counts the last ping before the next one. @returns whether the event loop stands still: at the twelfth ping, the 24th, and so on */
  next(now: number): boolean {
    const isLate = now - this.#lastAt > 2 * this.#pingMs
    this.count = this.#isAnswered || isLate ? 0 : this.count + 1
    this.#lastAt = now
    this.#isAnswered = false
    return this.count > 0 && this.count % MAX_UNANSWERED === 0
  }
}
