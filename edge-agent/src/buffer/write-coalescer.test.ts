import { type Reading, type ReadingColumns, toColumns } from '@haltless/protocol'
import { expect, it } from 'vitest'
import type { Clock } from '../support/clock.ts'
import type { ReadingBuffer } from './buffer.ts'
import { WriteCoalescer } from './write-coalescer.ts'

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
        if (signal?.aborted) return wake()
        sleepers.push({ until: now + ms, wake })
        signal?.addEventListener('abort', () => wake())
      }),
  }
  const appends: number[][] = []
  const buffer = {
    append: (polls: readonly ReadingColumns[]) => appends.push(polls.flatMap(({ values }) => [...values])) > 0,
  } as ReadingBuffer
  const pass = async (ms: number) => {
    now += ms
    for (const { until, wake } of sleepers) if (until <= now) wake()
    // What wakes up writes in the next turn
    for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  let appended = 0
  const coalescer = new WriteCoalescer(buffer, clock, () => appended++)
  return {
    coalescer,
    append: (readings: Reading[]) => coalescer.append(toColumns(readings)),
    appends,
    pass,
    appended: () => appended,
  }
}

it('the first reading after a pause is written at once, what follows within 50 ms shares one transaction', async () => {
  const { append, appends, pass, appended } = setUp()
  await append([reading(1)])
  expect(appends).toEqual([[1]])
  const second = append([reading(2)])
  const third = append([reading(3), reading(4)])
  await pass(49)
  expect(appends).toEqual([[1]])
  await pass(1)
  await Promise.all([second, third])
  expect(appends).toEqual([[1], [2, 3, 4]])
  expect(appended()).toBe(2)
})

it('readings that come in the same turn share one transaction', async () => {
  const { append, appends } = setUp()
  await Promise.all([append([reading(1)]), append([reading(2)])])
  expect(appends).toEqual([[1, 2]])
})

it('closing writes what waits, without delay', async () => {
  const { coalescer, append, appends } = setUp()
  await append([reading(1)])
  void append([reading(2)])
  await coalescer.close()
  expect(appends).toEqual([[1], [2]])
})

it('a thousand readings wait for 10 ms only, and the next flush waits again', async () => {
  const { append, appends, pass } = setUp()
  await append([reading(0)])
  const many = append(Array.from({ length: 999 }, (_, i) => reading(i)))
  await pass(10)
  expect(appends).toHaveLength(1)
  const last = append([reading(999)])
  await pass(0)
  await Promise.all([many, last])
  expect(appends.map((values) => values.length)).toEqual([1, 1_000])
  const more = append(Array.from({ length: 2_000 }, (_, i) => reading(i)))
  await pass(9)
  expect(appends).toHaveLength(2)
  await pass(1)
  await more
  const next = append([reading(1)])
  await pass(49)
  expect(appends).toHaveLength(3)
  await pass(1)
  await next
  expect(appends).toHaveLength(4)
})
