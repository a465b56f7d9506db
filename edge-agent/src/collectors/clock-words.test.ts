import { expect, test } from 'vitest'
import { clockWords } from './clock-words.ts'

const HOUR = 3_600_000

test.each([
  [-3 * HOUR, false, true, 'its clock is 3 h behind: the agent dates its readings'],
  [40_000, false, true, 'its clock is 40 s ahead: the agent dates its readings'],
  [-3 * HOUR, true, true, 'its clock is 3 h behind: its readings carry that time'],
  [-3 * HOUR, true, false, 'its timestamps come 3 h late: its readings carry that time'],
  [-1_999, true, true, ''],
  [-59_999, true, false, ''],
])('a clock %i ms ahead (used: %s, exact: %s) is %j', (aheadMs, isUsed, isExact, words) => {
  expect(clockWords({ aheadMs, isUsed, isExact })).toBe(words)
})
