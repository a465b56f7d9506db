/**
 * How fast the backlog may go: a bucket that fills with `perSecond` readings and holds one second's worth. It may be overdrawn by one
 * batch, so that a slow rate still sends whole batches.
 */
export class RateLimiter {
  readonly #perSecond: number
  #left: number
  #at: number

  /** @param now monotonic ms */
  constructor(perSecond: number, now: number) {
    this.#perSecond = perSecond
    this.#left = perSecond
    this.#at = now
  }

  /** @returns how long until something may be sent, ms; 0 when at once */
  waitMs(now: number): number {
    this.#left = Math.min(this.#perSecond, this.#left + ((now - this.#at) / 1_000) * this.#perSecond)
    this.#at = now
    return this.#left > 0 ? 0 : ((1 - this.#left) / this.#perSecond) * 1_000
  }

  take(readings: number): void {
    this.#left -= readings
  }
}
