import type { ReadingColumns, Series } from '@haltless/protocol'

/** Builds the columns of a poll: a poll of thousands of values creates no object per value. */
export class ColumnsBuilder {
  readonly #series: readonly Series[]
  #seriesIndex: Uint32Array
  #timestamps: Float64Array
  #values: Float64Array
  #count = 0

  /** @param series the tags of a collector, always the same array: what stores them knows it again */
  constructor(series: readonly Series[]) {
    this.#series = series
    this.#seriesIndex = new Uint32Array(series.length)
    this.#timestamps = new Float64Array(series.length)
    this.#values = new Float64Array(series.length)
  }

  get count(): number {
    return this.#count
  }

  /** @param index place in the series table @param timestamp Unix ms @param value finite */
  add(index: number, timestamp: number, value: number): void {
    if (this.#count === this.#values.length) this.#grow()
    this.#seriesIndex[this.#count] = index
    this.#timestamps[this.#count] = timestamp
    this.#values[this.#count++] = value
  }

  /** The columns built so far. The builder must not be used afterwards. */
  columns(): ReadingColumns {
    return {
      series: this.#series,
      seriesIndex: this.#seriesIndex.subarray(0, this.#count),
      timestamps: this.#timestamps.subarray(0, this.#count),
      values: this.#values.subarray(0, this.#count),
    }
  }

  /** A subscription may tell of a node several times. */
  #grow(): void {
    const length = 2 * this.#count + 16
    const [seriesIndex, timestamps, values] = [this.#seriesIndex, this.#timestamps, this.#values]
    this.#seriesIndex = new Uint32Array(length)
    this.#timestamps = new Float64Array(length)
    this.#values = new Float64Array(length)
    this.#seriesIndex.set(seriesIndex)
    this.#timestamps.set(timestamps)
    this.#values.set(values)
  }
}
