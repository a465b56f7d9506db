import type { ReadingColumns, Series } from '@haltless/protocol'
import { plantMachines } from './machines.ts'
import { createPlantPhysics } from './physics.ts'

/** seconds per step of the past: the longest that the physics allows */
const STEP_SECONDS = 2
const MINUTE_MS = 60_000

/** Half an hour or so of readings, of all machines. */
export interface PastPortion {
  /** Unix ms of its end */
  until: number
  columns: ReadingColumns
}

/**
 * What the plant would have sent: every value once a minute, and states also when they change. It begins with new counters, as every
 * start of the plant does.
 * @param from Unix ms
 * @param until Unix ms, exclusive
 */
export function* plantPast(
  seed: number,
  { from, until, portionMs }: { from: number; until: number; portionMs: number },
): Generator<PastPortion> {
  const physics = createPlantPhysics(seed, { step: STEP_SECONDS })
  const tags = plantMachines.flatMap((machine) => machine.tags.map(({ metric, unit }) => ({ machine: machine.id, metric, unit })))
  const series: Series[] = tags.map((tag) => ({ ...tag, rawTag: null }))
  const places = [...tags.keys()]
  const states = places.filter((place) => tags[place]?.unit === 'bool')
  const known = new Float64Array(tags.length).fill(-1)
  for (let start = from; start < until; start += portionMs) {
    const end = Math.min(until, start + portionMs)
    const [seriesIndex, timestamps, values]: [number[], number[], number[]] = [[], [], []]
    for (let at = from + physics.time * 1_000; at < end; physics.step(), at = from + physics.time * 1_000) {
      const isMinute = (at - from) % MINUTE_MS === 0
      const { values: measured } = physics
      for (const place of isMinute ? places : states) {
        const { machine, metric } = tags[place] as (typeof tags)[number]
        const value = measured[machine][metric] as number
        if (!isMinute && known[place] === value) continue
        known[place] = value
        seriesIndex.push(place)
        timestamps.push(at)
        values.push(Math.round(value * 100) / 100)
      }
    }
    const columns = {
      series,
      seriesIndex: Uint32Array.from(seriesIndex),
      timestamps: Float64Array.from(timestamps),
      values: Float64Array.from(values),
    }
    yield { until: end, columns }
  }
}
