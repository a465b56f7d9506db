import type { ReadingColumns, Series } from '@haltless/protocol'

/** The newest reading of a tag. */
export interface NewestValue extends Series {
  collector: string
  /** Unix ms, by the clock that dates readings */
  at: number
  value: number
}

interface Table {
  series: readonly Series[]
  /** Unix ms; NaN before the first reading */
  at: Float64Array
  values: Float64Array
}

type Listener = (collector: string, readings: ReadingColumns) => void

/** The newest reading of each tag, for people who look at the agent. Collectors hand on the same series table every time, so this costs two stores a reading. */
export class NewestValues {
  readonly #tables = new Map<string, Table>()
  readonly #listeners = new Set<Listener>()

  take(collector: string, readings: ReadingColumns): void {
    const { series, seriesIndex, timestamps, values } = readings
    let table = this.#tables.get(collector)
    if (table?.series !== series) {
      table = { series, at: new Float64Array(series.length).fill(Number.NaN), values: new Float64Array(series.length) }
      this.#tables.set(collector, table)
    }
    for (let i = 0; i < values.length; i++) {
      const index = seriesIndex[i] as number
      // The negated comparison accepts the first reading, because NaN compares as false.
      if ((timestamps[i] as number) < (table.at[index] as number)) continue
      table.at[index] = timestamps[i] as number
      table.values[index] = values[i] as number
    }
    for (const listener of this.#listeners) listener(collector, readings)
  }

  /** Calls back with everything that is collected. @returns a function that ends it */
  follow(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Those of these collectors that had a reading, in the order of the settings. */
  of(collectors: Iterable<string>): NewestValue[] {
    return [...collectors].flatMap((collector) => {
      const table = this.#tables.get(collector)
      if (!table) return []
      return table.series.flatMap((series, i) => {
        const at = table.at[i] as number
        return Number.isNaN(at) ? [] : [{ ...series, collector, at, value: table.values[i] as number }]
      })
    })
  }
}
