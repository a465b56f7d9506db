import type { ReadingColumns } from '@haltless/protocol'
import { ColumnsBuilder } from './columns-builder.ts'
import type { Tag } from './tag.ts'

/** Readings waiting to be stored; beyond this, our side has a fault. */
const PENDING_MAX = 100_000

/** Readings that a device reports by itself, on their way to the buffer: those that come while others are being stored go together. */
export class PendingReadings {
  readonly #tags: readonly Tag[]
  readonly #handOn: (readings: ReadingColumns) => Promise<unknown>
  #isHanding = false
  /** to call once the readings in {@link out} are stored */
  #callbacks: (() => void)[] = []
  /** takes readings until the next {@link flush} */
  out: ColumnsBuilder

  /** @param handOn resolves to false for readings that could not be stored and will come again */
  constructor(tags: readonly Tag[], handOn: (readings: ReadingColumns) => Promise<unknown>) {
    this.#tags = tags
    this.#handOn = handOn
    this.out = new ColumnsBuilder(tags)
  }

  /** They come faster than they are stored. */
  get isOverflowing(): boolean {
    return this.out.count > PENDING_MAX
  }

  /** Calls back once all readings that have been added are handed on, in the order of these calls; never for readings that will come again. */
  onceHandedOn(callback: () => void): void {
    if (this.out.count === 0 && !this.#isHanding) callback()
    else this.#callbacks.push(callback)
  }

  /** Hands on what has come. */
  flush = async (): Promise<void> => {
    if (this.#isHanding) return
    this.#isHanding = true
    while (this.out.count > 0 || this.#callbacks.length > 0) {
      const [batch, callbacks] = [this.out, this.#callbacks]
      this.out = new ColumnsBuilder(this.#tags)
      this.#callbacks = []
      const isStored = batch.count === 0 || (await this.#handOn(batch.columns())) !== false
      if (isStored) for (const callback of callbacks) callback()
    }
    this.#isHanding = false
  }
}
