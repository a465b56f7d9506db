const HOUR_MS = 3_600_000
/** The weight of a growth falls to 1/e in this time. */
const MEMORY_MS = HOUR_MS / 4
const EVERY_MS = 10_000

/** When the buffer will be full, from how it grew in the last quarter of an hour. */
export class BufferForecast {
  #last: { at: number; bytes: number } | null = null
  #bytesPerHour: number | null = null

  /** Every ten seconds; in between the size is not asked for. @param at monotonic ms */
  noteSometimes(usedBytes: () => number, at: number): void {
    if (!this.#last || at - this.#last.at >= EVERY_MS) this.#note(usedBytes(), at)
  }

  #note(bytes: number, at: number): void {
    const last = this.#last
    this.#last = { at, bytes }
    if (!last) return
    const growth = ((bytes - last.bytes) / (at - last.at)) * HOUR_MS
    const weight = Math.exp(-(at - last.at) / MEMORY_MS)
    this.#bytesPerHour = this.#bytesPerHour === null ? growth : this.#bytesPerHour * weight + growth * (1 - weight)
  }

  /** Hours until it is full; 0 when it is, null while it does not grow. */
  hoursUntilFull(bytes: number, capacityBytes: number): number | null {
    if (bytes >= capacityBytes) return 0
    const growth = this.#bytesPerHour
    return growth === null || growth <= 0 ? null : (capacityBytes - bytes) / growth
  }
}
