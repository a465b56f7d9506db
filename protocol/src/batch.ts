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
  const bySeries = new Map<string, { series: Series; rows: Reading[] }>()
  for (const reading of readings) {
    const { machine, metric, unit, rawTag } = reading
    const key = JSON.stringify([machine, metric, unit, rawTag])
    const found = bySeries.get(key)
    if (found) found.rows.push(reading)
    else bySeries.set(key, { series: { machine, metric, unit, rawTag }, rows: [reading] })
  }
  const seriesIndex = new Uint32Array(readings.length)
  const timestamps = new Float64Array(readings.length)
  const values = new Float64Array(readings.length)
  const series: Series[] = []
  let at = 0
  for (const group of bySeries.values()) {
    for (const row of group.rows) {
      seriesIndex[at] = series.length
      timestamps[at] = row.timestamp
      values[at++] = row.value
    }
    series.push(group.series)
  }
  return { series, seriesIndex, timestamps, values }
}

/** Columns back to readings, in batch order. */
export function toReadings(columns: ReadingColumns): Reading[] {
  return Array.from(columns.seriesIndex, (s, i) => ({
    ...(columns.series[s] as Series),
    timestamp: columns.timestamps[i] as number,
    value: columns.values[i] as number,
  }))
}
