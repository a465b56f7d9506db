import type { Reading, Series } from './reading.ts'
import { READING_LIMITS } from './reading.ts'

/**
 * Readings in columns. Reading `i` is (`series[seriesIndex[i]]`, `timestamps[i]`, `values[i]`); `i` is the index that a receipt names.
 * Every column has the same length, 1 to {@link READING_LIMITS.readingsPerRequest} where it crosses the wire.
 */
export interface ReadingColumns {
  readonly series: readonly Series[]
  readonly seriesIndex: Uint32Array
  /** Unix milliseconds, whole numbers */
  readonly timestamps: Float64Array
  /** finite */
  readonly values: Float64Array
}

/** A batch as it crosses MQTT. The id correlates the receipt and is new for every attempt's content, not for every attempt. */
export interface ReadingBatch extends ReadingColumns {
  /** UUID */
  readonly batchId: string
}

/**
 * Gathers readings into columns, series-major (all readings of the first series, then of the second, ...), each series in the order given:
 * the order in which a batch is encoded and a receipt counts.
 */
export function toColumns(readings: readonly Reading[]): ReadingColumns {
  const table = new SeriesTable()
  const seriesIndex = Uint32Array.from(readings, (reading) => table.indexOf(reading, namesOf))
  const timestamps = Float64Array.from(readings, ({ timestamp }) => timestamp)
  const values = Float64Array.from(readings, ({ value }) => value)
  return bySeries({ series: table.series, seriesIndex, timestamps, values })
}

const namesOf = ({ machine, metric, unit, rawTag }: Series): Series => ({ machine, metric, unit, rawTag })

/**
 * Several columns as one, series-major, each series in the order given. Names only the series that have readings, by the first object that has the
 * names.
 */
export function mergeColumns(parts: readonly ReadingColumns[]): ReadingColumns {
  const count = parts.reduce((sum, { values }) => sum + values.length, 0)
  const table = new SeriesTable()
  const seriesIndex = new Uint32Array(count)
  const timestamps = new Float64Array(count)
  const values = new Float64Array(count)
  let at = 0
  for (const part of parts) {
    timestamps.set(part.timestamps, at)
    values.set(part.values, at)
    const known = new Int32Array(part.series.length).fill(-1)
    for (const index of part.seriesIndex) {
      if (known[index] === -1) known[index] = table.indexOf(part.series[index] as Series)
      seriesIndex[at++] = known[index] as number
    }
  }
  return bySeries({ series: table.series, seriesIndex, timestamps, values })
}

/** The series met so far, numbered in that order. By machine, then metric, then by hand: a joined key would cost more than all the rest. */
class SeriesTable {
  readonly series: Series[] = []
  readonly #byMachine = new Map<string, Map<string, number[]>>()

  /** @param toSeries makes what the table keeps */
  indexOf(given: Series, toSeries = (series: Series) => series): number {
    const { machine, metric, unit, rawTag } = given
    let byMetric = this.#byMachine.get(machine)
    if (!byMetric) {
      byMetric = new Map()
      this.#byMachine.set(machine, byMetric)
    }
    let alike = byMetric.get(metric)
    if (!alike) {
      alike = []
      byMetric.set(metric, alike)
    }
    for (const index of alike) {
      const known = this.series[index] as Series
      if (known.unit === unit && known.rawTag === rawTag) return index
    }
    alike.push(this.series.length)
    return this.series.push(toSeries(given)) - 1
  }
}

/** Brings the readings of each series together, by counting how many each has. */
function bySeries({ series, seriesIndex, timestamps, values }: ReadingColumns): ReadingColumns {
  const count = values.length
  const next = new Uint32Array(series.length + 1)
  for (const index of seriesIndex) next[index + 1] = (next[index + 1] as number) + 1
  for (let i = 1; i <= series.length; i++) next[i] = (next[i] as number) + (next[i - 1] as number)
  const sorted = {
    series,
    seriesIndex: new Uint32Array(count),
    timestamps: new Float64Array(count),
    values: new Float64Array(count),
  }
  for (let i = 0; i < count; i++) {
    const index = seriesIndex[i] as number
    const at = next[index] as number
    next[index] = at + 1
    sorted.seriesIndex[at] = index
    sorted.timestamps[at] = timestamps[i] as number
    sorted.values[at] = values[i] as number
  }
  return sorted
}

/** The readings from `start` to before `end`, of the same series table. */
export const sliceColumns = (
  { series, seriesIndex, timestamps, values }: ReadingColumns,
  start: number,
  end: number,
): ReadingColumns => ({
  series,
  seriesIndex: seriesIndex.subarray(start, end),
  timestamps: timestamps.subarray(start, end),
  values: values.subarray(start, end),
})

/** Columns back to readings, in batch order. */
export function toReadings({ series, seriesIndex, timestamps, values }: ReadingColumns): Reading[] {
  return Array.from(seriesIndex, (s, i) => {
    const { machine, metric, unit, rawTag } = series[s] as Series
    return { machine, metric, unit, rawTag, timestamp: timestamps[i] as number, value: values[i] as number }
  })
}
