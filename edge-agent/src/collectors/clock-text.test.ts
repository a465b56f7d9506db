import { expect, test } from 'vitest'
import { clockProblem, clockText } from './clock-text.ts'
import type { CollectorSource } from './collector.ts'

const HOUR = 3_600_000

test.each([
  [-3 * HOUR, false, true, 'its clock is 3 h behind: the agent dates its readings'],
  [40_000, false, true, 'its clock is 40 s ahead: the agent dates its readings'],
  [-3 * HOUR, true, true, 'its clock is 3 h behind: its readings carry that time'],
  [-3 * HOUR, true, false, 'its timestamps come 3 h late: its readings carry that time'],
  [-1_999, true, true, ''],
  [-59_999, true, false, ''],
])('a clock %i ms ahead (used: %s, exact: %s) is %j', (aheadMs, isUsed, isExact, words) => {
  expect(clockText({ aheadMs, isUsed, isExact })).toBe(words)
})

const CONSEQUENCE = 'so its readings get the time at which they are read; set its clock'
test.each([
  [-3 * HOUR, false, undefined, `its clock is 3 h behind, ${CONSEQUENCE}`],
  [40_000, false, undefined, `its clock is 40 s ahead, ${CONSEQUENCE}`],
  [-20_000, true, undefined, null],
  [3_000, false, undefined, null],
  [-3 * HOUR, false, 'agent', null],
  [-3 * HOUR, true, 'source', null],
])('a clock %i ms ahead (used: %s, timestamps: %s) has the problem %j', (aheadMs, isUsed, timestamps, problem) => {
  const source = { config: { timestamps, max_clock_offset_seconds: 30 } } as unknown as CollectorSource
  expect(clockProblem(source, { aheadMs, isUsed, isExact: true })?.detail ?? null).toBe(problem)
  expect(clockProblem(source, undefined)).toBeNull()
})
