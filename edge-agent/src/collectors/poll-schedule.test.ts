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

test('instants that pass during a slow poll count as skipped, those without an answer as failed', () => {
  at = 0
  const schedule = new PollSchedule(clock, 1_000)
  const poll = (from: number, to: number, isAnswered: boolean) => {
    at = from
    schedule.begin()
    at = to
    if (isAnswered) schedule.answered()
  }
  poll(0, 100, true)
  poll(1_000, 3_400, true) // 2 and 3 pass
  expect(schedule.missed()).toEqual({ skipped: 1, failed: 0 })
  poll(4_000, 4_100, true)
  expect(schedule.missed()).toEqual({ skipped: 2, failed: 0 })
  poll(5_000, 5_200, false)
  expect(schedule.missed()).toEqual({ skipped: 2, failed: 0 })
  poll(5_400, 5_500, true) // a second attempt at the same instant
  expect(schedule.missed()).toEqual({ skipped: 2, failed: 0 })
  poll(6_000, 6_500, false)
  at = 9_500
  expect(schedule.missed()).toEqual({ skipped: 2, failed: 3 }) // 6, 7 and 8; 9 is not over
  poll(9_600, 9_700, true)
  poll(10_000, 10_100, true)
  expect(schedule.missed()).toEqual({ skipped: 2, failed: 3 })
})

test('instants of a pause count as skipped, however often they are looked at', () => {
  at = 0
  const reported: number[] = []
  const schedule = new PollSchedule(clock, 1_000, (_reason, _from, _to, count) => void reported.push(count))
  schedule.begin()
  schedule.answered()
  for (at = 500; at < 4_900; at += 700) schedule.skip()
  at = 4_900 // 1, 2 and 3 have passed, 4 is not over
  expect(schedule.missed()).toEqual({ skipped: 3, failed: 0 })
  at = 5_100
  schedule.begin()
  schedule.answered()
  at = 6_100
  schedule.begin()
  expect(schedule.missed()).toEqual({ skipped: 4, failed: 0 })
  expect(reported.reduce((sum, count) => sum + count, 0)).toBe(4)
})

test('a schedule without an interval has no instants to miss', () => {
  at = 0
  const schedule = new PollSchedule(clock, 0)
  schedule.begin()
  at = 60_000
  schedule.begin()
  expect(schedule.missed()).toEqual({ skipped: 0, failed: 0 })
})
