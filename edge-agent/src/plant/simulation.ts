import type { Clock } from '../support/clock.ts'
import { createPlantPhysics, type PlantMachineId, STEP_SECONDS } from './physics.ts'

/** The physics tied to a clock: a read advances it, so that nothing runs between reads. */
export interface Simulation {
  /** @returns the value now, and the Unix ms at which it was last seen to change */
  readValue(machine: PlantMachineId, metric: string): { value: number; changedAt: number }
}

/** @param speed plant seconds per second of the clock */
export function createSimulation(
  { seed, speed, bearingLife }: { seed: number; speed: number; bearingLife?: number | undefined },
  clock: Pick<Clock, 'now' | 'monotonic'>,
): Simulation {
  const physics = createPlantPhysics(seed, bearingLife === undefined ? {} : { bearingLife })
  const start = clock.monotonic()
  const seen = new Map<string, { value: number; changedAt: number }>()
  return {
    readValue(machine, metric) {
      const time = ((clock.monotonic() - start) / 1_000) * speed
      while (physics.time + STEP_SECONDS <= time) physics.step()
      const value = physics.values[machine][metric]
      if (value === undefined) throw new Error(`${machine} has no ${metric}`)
      const key = `${machine} ${metric}`
      let last = seen.get(key)
      if (last?.value !== value) {
        last = { value, changedAt: clock.now() }
        seen.set(key, last)
      }
      return last
    },
  }
}
