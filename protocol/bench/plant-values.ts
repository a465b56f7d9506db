import type { ReadingColumns, Series } from '../src/index.ts'

/** A number from -0.5 to 0.5 that depends only on series and second. Source: MurmurHash3, finalizer */
export function noise(series: number, second: number): number {
  let hash = Math.imul(series + 1, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b)
  hash ^= hash >>> 15
  hash = Math.imul(hash, 0xc2b2ae35)
  hash ^= hash >>> 13
  return (hash >>> 0) / 2 ** 32 - 0.5
}

/** A value of a plant at 1 Hz, the same in every run: analog values with one or two decimals, as sensors report them. */
export function plantValue(machine: number, metric: number, second: number): number {
  const series = machine * 10 + metric
  if (metric === 5) return Math.round((45 + 10 * Math.sin(second / 9_000 + series)) * 10) / 10
  if (metric === 6) return 1_200 + 100 * (Math.floor(second / 1_800 + machine) % 5)
  if (metric === 7) return Math.floor(second / (12 + (machine % 7)))
  if (metric === 8) return (second + machine * 37) % 900 < 840 ? 1 : 0
  const wave = 20 + 10 * metric + 5 * Math.sin(second / 600 + series)
  return Math.round((wave + noise(series, second) * 1.5) * 100) / 100
}

const METRICS = ['temperature', 'pressure', 'vibration', 'current', 'flow', 'level', 'speed', 'parts', 'running', 'torque']
const UNITS = ['celsius', 'bar', 'mm/s', 'ampere', 'l/min', 'percent', 'rpm', 'count', 'state', 'newton metre']

/** The tags of machines with ten metrics each, as an OPC UA server names them. */
export const plantTags = (tags: number): Series[] =>
  Array.from({ length: tags }, (_, i) => {
    const machine = `press-${String(Math.floor(i / 10) + 1).padStart(2, '0')}`
    const metric = METRICS[i % 10] as string
    return { machine, metric, unit: UNITS[i % 10] as string, rawTag: `ns=2;s=Line1.${machine}.${metric}` }
  })

/** What one poll of these tags brings: a reading of each, at one instant. */
export const plantPoll = (series: readonly Series[], second: number): ReadingColumns => ({
  series,
  seriesIndex: Uint32Array.from(series.keys()),
  timestamps: new Float64Array(series.length).fill(1_790_000_000_000 + second * 1_000),
  values: Float64Array.from(series, (_, i) => plantValue(Math.floor(i / 10), i % 10, second)),
})
