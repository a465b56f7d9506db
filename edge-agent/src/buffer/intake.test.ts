import type { Reading } from '@haltless/protocol'
import { expect, it } from 'vitest'
import type { Clock } from '../support/clock.ts'
import type { ReadingBuffer } from './buffer.ts'
import { Intake } from './intake.ts'

const reading = (value: number): Reading => ({ machine: 'm', metric: 'x', unit: 'u', rawTag: null, timestamp: 1, value })

/** A clock that a test moves, and a buffer that notes what it was given. */
function setUp() {
  let now = 1_000
  const sleepers: { until: number; wake: () => void }[] = []
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    sleep: (ms, signal) =>
      new Promise((wake) => {
        sleepers.push({ until: now + ms, wake })
        signal?.addEventListener('abort', () => wake())
      }),
  }
  const appends: number[][] = []
  const buffer = {
    append: (readings: readonly Reading[]) => void appends.push(readings.map(({ value }) => value)),
  } as ReadingBuffer
  const pass = async (ms: number) => {
    now += ms
    for (const { until, wake } of sleepers) if (until <= now) wake()
    await new Promise((resolve) => setImmediate(resolve))
  }
  let told = 0
  return { intake: new Intake(buffer, clock, () => told++), appends, pass, told: () => told }
}

it('the first reading after a pause is written at once, what follows within 50 ms shares one transaction', async () => {
  const { intake, appends, pass, told } = setUp()
  await intake.take([reading(1)])
  expect(appends).toEqual([[1]])
  const second = intake.take([reading(2)])
  const third = intake.take([reading(3), reading(4)])
  await pass(49)
  expect(appends).toEqual([[1]])
  await pass(1)
  await Promise.all([second, third])
  expect(appends).toEqual([[1], [2, 3, 4]])
  expect(told()).toBe(2)
})

it('readings that come in the same turn share one transaction', async () => {
  const { intake, appends } = setUp()
  await Promise.all([intake.take([reading(1)]), intake.take([reading(2)])])
  expect(appends).toEqual([[1, 2]])
})

it('closing writes what waits, without delay', async () => {
  const { intake, appends } = setUp()
  await intake.take([reading(1)])
  void intake.take([reading(2)])
  await intake.close()
  expect(appends).toEqual([[1], [2]])
})

it('a thousand readings are written at once, and the next flush waits again', async () => {
  const { intake, appends, pass } = setUp()
  await intake.take([reading(0)])
  const many = intake.take(Array.from({ length: 999 }, (_, i) => reading(i)))
  expect(appends).toHaveLength(1)
  await Promise.all([many, intake.take([reading(999)])])
  expect(appends.map((values) => values.length)).toEqual([1, 1_000])
  const next = intake.take([reading(1)])
  await pass(49)
  expect(appends).toHaveLength(2)
  await pass(1)
  await next
  expect(appends).toHaveLength(3)
})
