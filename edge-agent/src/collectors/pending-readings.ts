import type { ReadingColumns } from '@haltless/protocol'
import { ColumnsBuilder } from './columns-builder.ts'
import type { Tag } from './tag.ts'

/** Readings waiting to be stored; beyond this, our side has a fault. */
const PENDING_MAX = 100_000

/** Readings that a device reports by itself, on their way to the buffer: those that come while others are being stored go together. */
export class PendingReadings {
  readonly #tags: readonly Tag[]
  readonly #handOn: (readings: ReadingColumns) => Promise<void>
  #isHanding = false
  /** takes readings until the next {@link flush} */
  out: ColumnsBuilder

  constructor(tags: readonly Tag[], handOn: (readings: ReadingColumns) => Promise<void>) {
    this.#tags = tags
    this.#handOn = handOn
    this.out = new ColumnsBuilder(tags)
  }

  /** They come faster than they are stored. */
  get isOverflowing(): boolean {
    return this.out.count > PENDING_MAX
  }

  /** Hands on what has come. */
  flush = async (): Promise<void> => {
    if (this.#isHanding) return
    this.#isHanding = true
    while (this.out.count > 0) {
      const batch = this.out
      this.out = new ColumnsBuilder(this.#tags)
      await this.#handOn(batch.columns())
    }
    this.#isHanding = false
  }
}
