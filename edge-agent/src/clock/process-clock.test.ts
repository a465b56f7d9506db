import { expect, it } from 'vitest'
import { ProcessClock, readBootId } from './process-clock.ts'

it('the id of a boot is that of the system, or one of this process, so that its own readings can be corrected', () => {
  expect(readBootId()).toBe(readBootId())
  const [one, another] = [readBootId('/nowhere/boot_id'), readBootId('/nowhere/boot_id')]
  expect(one).not.toBe('')
  expect(one).not.toBe(another)
})

it('a process that had to wait while it compared the clocks dates readings by the right time nevertheless', () => {
  const waits = [8, 9, 0, 30, 7]
  let elapsed = 1_000
  const wall = { now: () => 5_000_000 + elapsed, monotonic: () => elapsed, sleep: async () => {} }
  const clock = new ProcessClock(wall, {
    bootId: 'boot',
    elapsedMs: () => {
      elapsed += waits.shift() ?? 0
      return elapsed
    },
  })
  expect(clock.anchorMs).toBe(5_000_000)
  expect(clock.now()).toBe(wall.now())
})
