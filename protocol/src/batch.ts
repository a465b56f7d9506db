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
  const groups = groupBySeries(readings)
  const seriesIndex = new Uint32Array(readings.length)
  const timestamps = new Float64Array(readings.length)
  const values = new Float64Array(readings.length)
  const series: Series[] = []
  let at = 0
  for (const group of groups) {
    for (const row of group.rows) {
      seriesIndex[at] = series.length
      timestamps[at] = row.timestamp
      values[at++] = row.value
    }
    series.push(group.series)
  }
  return { series, seriesIndex, timestamps, values }
}

interface Group {
  series: Series
  rows: Reading[]
}

/** In the order of each series' first reading. By machine, then metric, then by hand: a joined key would cost more than all the rest. */
function groupBySeries(readings: readonly Reading[]): Group[] {
  const groups: Group[] = []
  const byMachine = new Map<string, Map<string, Group[]>>()
  for (const reading of readings) {
    const { machine, metric, unit, rawTag } = reading
    let byMetric = byMachine.get(machine)
    if (!byMetric) {
      byMetric = new Map()
      byMachine.set(machine, byMetric)
    }
    let alike = byMetric.get(metric)
    if (!alike) {
      alike = []
      byMetric.set(metric, alike)
    }
    let group = alike.find(({ series }) => series.unit === unit && series.rawTag === rawTag)
    if (!group) {
      group = { series: { machine, metric, unit, rawTag }, rows: [] }
      alike.push(group)
      groups.push(group)
    }
    group.rows.push(reading)
  }
  return groups
}

/** Columns back to readings, in batch order. */
export function toReadings(columns: ReadingColumns): Reading[] {
  return Array.from(columns.seriesIndex, (s, i) => ({
    ...(columns.series[s] as Series),
    timestamp: columns.timestamps[i] as number,
    value: columns.values[i] as number,
  }))
}
