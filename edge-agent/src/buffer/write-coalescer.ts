import type { ReadingColumns } from '@haltless/protocol'
import type { Clock } from '../support/clock.ts'
import type { ReadingBuffer } from './buffer.ts'
import type { CheckpointedReadings } from './checkpoints.ts'

/** At most this often something is flushed to disk: an SD card takes some 20 ms for each. */
const FLUSH_EVERY_MS = 50
/** This many readings do not wait that long; a few polls of a fast device still share a write. */
const MANY = 1_000
const FLUSH_MANY_EVERY_MS = 10

/** An explicit reason: an abort without one creates an error with a stack each time. */
const ENOUGH = 'enough'

/**
 * Brings what many collectors read into few transactions. The first reading after a pause is written at once; those that follow within
 * 50 ms share the next transaction; a thousand readings wait for 10 ms only. `append` resolves when its readings are on disk.
 */
export class WriteCoalescer {
  readonly #buffer: ReadingBuffer
  readonly #clock: Clock
  readonly #onAppended: () => void
  #waiting: ReadingColumns[] = []
  #checkpointed: CheckpointedReadings[] = []
  #count = 0
  #flushing: Promise<boolean> | null = null
  #lastFlushAt = Number.NEGATIVE_INFINITY
  /** ends the wait of the next flush */
  #urgent = new AbortController()
  readonly #closing = new AbortController()

  constructor(buffer: ReadingBuffer, clock: Clock, onAppended: () => void) {
    this.#buffer = buffer
    this.#clock = clock
    this.#onAppended = onAppended
  }

  /** @returns false when nothing could be written: the readings are lost and counted */
  append(readings: ReadingColumns): Promise<boolean> {
    this.#waiting.push(readings)
    return this.#flushWith(readings.values.length)
  }

  /** @returns false when nothing could be written: the readings must be read again */
  appendCheckpointed(readings: CheckpointedReadings): Promise<boolean> {
    this.#checkpointed.push(readings)
    return this.#flushWith(readings.readings.values.length)
  }

  /** Writes soon what the buffer was told to record. @returns as {@link append} */
  flushRecords(): Promise<boolean> {
    return this.#flushWith(0)
  }

  #flushWith(count: number): Promise<boolean> {
    this.#count += count
    if (this.#count >= MANY) this.#urgent.abort(ENOUGH)
    this.#flushing ??= this.#flushSoon()
    return this.#flushing
  }

  /** Writes what is waiting, now and from now on without delay. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#urgent.abort()
    await this.#flushing
  }

  async #flushSoon(): Promise<boolean> {
    await this.#waitSinceFlush(FLUSH_EVERY_MS, this.#urgent.signal)
    await this.#waitSinceFlush(FLUSH_MANY_EVERY_MS, this.#closing.signal)
    // Writing holds up the process: who polls on has its next request on the way by then.
    await new Promise(setImmediate)
    const [readings, checkpointed] = [this.#waiting, this.#checkpointed]
    this.#waiting = []
    this.#checkpointed = []
    this.#count = 0
    this.#flushing = null
    if (!this.#closing.signal.aborted) this.#urgent = new AbortController()
    this.#lastFlushAt = this.#clock.monotonic()
    const isWritten = this.#buffer.append(readings, checkpointed)
    this.#onAppended()
    return isWritten
  }

  async #waitSinceFlush(ms: number, signal: AbortSignal): Promise<void> {
    const waitMs = this.#lastFlushAt + ms - this.#clock.monotonic()
    if (waitMs > 0) await this.#clock.sleep(waitMs, signal)
  }
}
