import type { Reading } from '@haltless/protocol'
import type { Clock } from '../support/clock.ts'
import type { ReadingBuffer } from './buffer.ts'

/** At most this often something is flushed to disk: an SD card takes some 20 ms for each. */
const FLUSH_EVERY_MS = 50
/** A batch is full: waiting for more would gain nothing. */
const FLUSH_AT_ONCE = 1_000

/**
 * Brings what many collectors read into few transactions. The first reading after a pause is written at once; those that follow within
 * 50 ms share the next transaction, unless a thousand are there before. `take` resolves when its readings are on disk.
 */
export class Intake {
  readonly #buffer: ReadingBuffer
  readonly #clock: Clock
  readonly #onAppended: () => void
  #waiting: Reading[] = []
  #flushing: Promise<void> | null = null
  #lastFlushAt = Number.NEGATIVE_INFINITY
  #isClosing = false
  /** ends the wait of the flush that is being gathered */
  #hurry = new AbortController()

  constructor(buffer: ReadingBuffer, clock: Clock, onAppended: () => void) {
    this.#buffer = buffer
    this.#clock = clock
    this.#onAppended = onAppended
  }

  take(readings: readonly Reading[]): Promise<void> {
    for (const reading of readings) this.#waiting.push(reading)
    if (this.#waiting.length >= FLUSH_AT_ONCE) this.#hurry.abort()
    this.#flushing ??= this.#flushSoon()
    return this.#flushing
  }

  /** Writes what is waiting, now and from now on without delay. */
  async close(): Promise<void> {
    this.#isClosing = true
    this.#hurry.abort()
    await this.#flushing
  }

  async #flushSoon(): Promise<void> {
    const wait = this.#lastFlushAt + FLUSH_EVERY_MS - this.#clock.monotonic()
    // Also without a wait not before this function has returned, so that `#flushing` is set when it is cleared.
    await (wait > 0 ? this.#clock.sleep(wait, this.#hurry.signal) : Promise.resolve())
    const readings = this.#waiting
    this.#waiting = []
    this.#flushing = null
    if (!this.#isClosing) this.#hurry = new AbortController()
    this.#lastFlushAt = this.#clock.monotonic()
    this.#buffer.append(readings)
    this.#onAppended()
  }
}
