import type { ReadingBatch } from '@haltless/protocol'
import { noise } from '@haltless/protocol/bench/plant'

export { plantValue } from '@haltless/protocol/bench/plant'

/** Metrics of a machine: five noisy analog values, a slow analog value, a set point, a counter, a state, and one more noisy value. */
export const METRICS = Array.from({ length: 10 }, (_, i) => `metric_${i}`)
export const UNIT = 'celsius'

/** The metric whose noise takes the most bytes. */
export const NOISY_METRIC = 2

/** A double with random bits in its mantissa, the same in every run. */
export const randomDouble = (machine: number, metric: number, second: number): number => {
  const series = machine * 10 + metric
  return 1 + (noise(series, second) + 0.5 + (noise(series + 7_919, second) + 0.5) * 2 ** -32) / 2
}

export type ValueOf = (machine: number, metric: number, second: number) => number

/** One step of some machines: `machines` x `metrics` x `seconds` readings, in the order in which a batch is encoded. */
export interface Stretch {
  machines: readonly number[]
  metrics: readonly number[]
  /** the first second, for the values */
  second: number
  /** Unix ms of each second's readings */
  times: readonly number[]
  valueAt: ValueOf
}

export function batchOf({ machines, metrics, second, times, valueAt }: Stretch): ReadingBatch {
  const names = machines.flatMap((machine) =>
    metrics.map((metric) => ({ machine: `m${machine}`, metric: METRICS[metric] as string, unit: UNIT, rawTag: null })),
  )
  const length = names.length * times.length
  const batch = {
    batchId: crypto.randomUUID(),
    series: names,
    seriesIndex: new Uint32Array(length),
    timestamps: new Float64Array(length),
    values: new Float64Array(length),
  }
  let at = 0
  for (const [m, machine] of machines.entries())
    for (const [k, metric] of metrics.entries())
      for (const [i, time] of times.entries()) {
        batch.seriesIndex[at] = m * metrics.length + k
        batch.timestamps[at] = time
        batch.values[at++] = valueAt(machine, metric, second + i)
      }
  return batch
}

/** The body of `POST /ingest` for a batch. @param keyOf the idempotency key of each reading */
export function jsonOf({ series, seriesIndex, timestamps, values }: ReadingBatch, keyOf?: (i: number) => string): Buffer {
  const readings = Array.from(values, (value, i) => {
    const { machine, metric, unit } = series[seriesIndex[i] as number] as ReadingBatch['series'][number]
    const timestamp = new Date(timestamps[i] as number).toISOString()
    const reading = { machine_identifier: machine, timestamp, metric_name: metric, value, unit }
    return keyOf ? { ...reading, idempotency_key: keyOf(i) } : reading
  })
  return Buffer.from(JSON.stringify({ readings }))
}
