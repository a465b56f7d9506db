import { expect, test } from 'vitest'
import { systemClock } from '../support/clock.ts'
import { PollSchedule } from './poll-schedule.ts'

let at = 0
const clock = { ...systemClock, monotonic: () => at }

test('instants keep their distance from the first, whatever a poll takes', () => {
  at = 5_000
  const schedule = new PollSchedule(clock, 1_000)
  at = 5_020
  expect(schedule.msToNext()).toBe(980)
  at = 6_300
  expect(schedule.msToNext()).toBe(700)
})

test('missed instants are skipped', () => {
  at = 0
  const schedule = new PollSchedule(clock, 1_000)
  at = 3_400
  expect(schedule.msToNext()).toBe(600)
})

test('a timer that fires a little early does not poll twice', () => {
  at = 0
  const schedule = new PollSchedule(clock, 1_000)
  at = 999.4
  expect(schedule.msToNext()).toBeCloseTo(1_000.6)
})
