export interface BackoffOptions {
  /** the longest first wait, ms */
  firstMs: number
  /** the longest wait of all, ms */
  maxMs: number
  /** 0 <= random() < 1 */
  random?: () => number
}

/**
 * Waits that double from `firstMs` to `maxMs`. Random jitter shortens each by up to a half, so that clients of the same server do
 * not return in step.
 */
export class Backoff {
  readonly #firstMs: number
  readonly #maxMs: number
  readonly #random: () => number
  #failures = 0

  constructor({ firstMs, maxMs, random = Math.random }: BackoffOptions) {
    this.#firstMs = firstMs
    this.#maxMs = maxMs
    this.#random = random
  }

  /** Failures since the last success. */
  get failures(): number {
    return this.#failures
  }

  /** Counts one more failure. @returns how long to wait before the next attempt, ms */
  next(): number {
    // 2 ** 30 is beyond every maxMs in use, and keeps the product finite
    const longest = Math.min(this.#maxMs, this.#firstMs * 2 ** Math.min(this.#failures++, 30))
    return longest * (0.5 + this.#random() / 2)
  }

  /** A success: the next failure waits `firstMs` again. */
  reset(): void {
    this.#failures = 0
  }
}
