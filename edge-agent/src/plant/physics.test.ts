import { describe, expect, test } from 'vitest'
import { plantMachines } from './machines.ts'
import { createPlantPhysics, type PlantValues, STEP_SECONDS } from './physics.ts'

const SEEDS = [1, 2, 7, 42, 2_026]

/** Every step from 0 to `seconds`. */
function run(seed: number, seconds: number): { time: number; values: PlantValues }[] {
  const plant = createPlantPhysics(seed)
  const steps = [{ time: 0, values: plant.values }]
  while (plant.time < seconds) {
    plant.step()
    steps.push({ time: plant.time, values: plant.values })
  }
  return steps
}

test('the same seed gives the same plant, another seed another one', () => {
  const [a, b, c] = [run(3, 60), run(3, 60), run(4, 60)]
  expect(a).toEqual(b)
  expect(a.at(-1)).not.toEqual(c.at(-1))
  expect(a).toHaveLength(60 / STEP_SECONDS + 1)
})

describe.each(SEEDS)('with seed %i', (seed) => {
  const steps = run(seed, 1_200)
  const at = (time: number) => steps[Math.round(time / STEP_SECONDS)]!.values

  test('the bearing crosses warning, then critical, within two minutes, in vibration and in heat, and recovers', () => {
    const rules = plantMachines.find(({ id }) => id === 'pump-01')!.rules
    for (const metric of ['vibration', 'bearing_temperature']) {
      const { warning, critical } = rules.find((rule) => rule.metric === metric)!
      const first = (limit: number) => steps.find(({ values }) => values['pump-01'][metric]! > limit)!.time
      expect(first(warning)).toBeGreaterThan(20)
      expect(first(critical)).toBeGreaterThan(first(warning) + 2)
      expect(first(critical)).toBeLessThan(120)
      for (const time of [5, 400, 1_200]) expect(at(time)['pump-01'][metric]).toBeLessThan(warning)
    }
  })

  test('no other suggested rule fires', () => {
    for (const { id, rules } of plantMachines.filter((machine) => machine.id !== 'pump-01')) {
      for (const { metric, warning, critical } of rules) {
        const beyond = steps.filter(({ values }) =>
          critical > warning ? values[id][metric]! > warning : values[id][metric]! < warning,
        )
        expect(beyond, `${id} ${metric}`).toEqual([])
      }
    }
  })

  test('every value stays inside the range of its tag, and every metric has a tag', () => {
    for (const { id, tags } of plantMachines) {
      expect(Object.keys(steps[0]!.values[id]).sort()).toEqual(tags.map((tag) => tag.metric).sort())
      for (const { metric, range } of tags) {
        const seen = steps.map(({ values }) => values[id][metric]!)
        expect(Math.min(...seen), `${id} ${metric}`).toBeGreaterThanOrEqual(range[0])
        expect(Math.max(...seen), `${id} ${metric}`).toBeLessThanOrEqual(range[1])
      }
    }
  })

  test('counters never fall, good never passes total, and the pace is near the ideal', () => {
    for (const id of ['press-01', 'packaging-01'] as const) {
      for (const counter of ['total_count', 'good_count']) {
        let last = 0
        for (const { values } of steps) {
          expect(values[id][counter]).toBeGreaterThanOrEqual(last)
          last = values[id][counter]!
        }
      }
      const { total_count: total, good_count: good, ideal_cycle_seconds: ideal } = at(1_200)[id] as Record<string, number>
      expect(good).toBeLessThanOrEqual(total!)
      expect(good).toBeGreaterThan(total! * 0.85)
      expect(total! * ideal!).toBeGreaterThan(300)
      expect(total! * ideal!).toBeLessThan(1_200)
    }
  })

  test('machines stop and start again', () => {
    for (const id of ['press-01', 'pump-01', 'packaging-01'] as const) {
      const states = steps.map(({ values }) => values[id].running)
      const changes = states.filter((state, index) => index > 0 && state !== states[index - 1])
      expect(changes.length).toBeGreaterThanOrEqual(2)
    }
    expect(new Set(steps.map(({ values }) => values['compressor-01'].loaded)).size).toBe(2)
    expect(new Set(steps.map(({ values }) => values['oven-01'].door_open)).size).toBe(2)
  })
})
