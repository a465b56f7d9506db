import { describe, expect, it } from 'vitest'
import { type HourlyMean, meanSince, trendPointsOf, updateMedians } from './condense.ts'

const [HOUR, DAY] = [3_600_000, 86_400_000]
const hours = (day: number, ...means: number[]): HourlyMean[] =>
  means.map((mean, i) => ({ at: day * DAY + i * HOUR, n: 60, mean }))

describe('daily medians', () => {
  it('are those of the hourly means, null for a day without readings', () => {
    expect(updateMedians(null, [...hours(10, 1, 2, 9), ...hours(12, 4, 6)], 5, 13)).toEqual({
      firstDay: 10,
      medians: [2, null, 5],
    })
  })
  it('keep the days before those that were read again', () => {
    const known = { firstDay: 10, medians: [1, 2, 3] }
    expect(updateMedians(known, [...hours(12, 30), ...hours(13, 40)], 12, 14)).toEqual({ firstDay: 10, medians: [1, 2, 30, 40] })
  })
  it('reach back 120 days', () => {
    const known = { firstDay: 0, medians: Array.from({ length: 120 }, (_, day) => day) }
    const { firstDay, medians } = updateMedians(known, hours(120, 7), 119, 121)
    expect([firstDay, medians.length, medians[0], medians.at(-1)]).toEqual([1, 120, 1, 7])
  })
  it('are none without readings', () => {
    expect(updateMedians(null, [], 5, 13)).toEqual({ firstDay: 13, medians: [] })
  })
})

describe('the points of a trend', () => {
  const days = (count: number) => ({ firstDay: 100 - count, medians: Array.from({ length: count }, (_, i) => i) })
  it('are days from 14 of them on, and parts of a day before', () => {
    expect(trendPointsOf(days(14), hours(99, 1, 2, 3, 4, 5), 100).values).toHaveLength(14)
    // four hours with a median of 2.5; the fifth is alone in its part
    expect(trendPointsOf(days(13), hours(99, 1, 2, 3, 4, 5), 100)).toEqual({ times: [99 + 2 / 24], values: [2.5] })
  })
  it('include today from 12 hours with values on', () => {
    const today = (count: number) => trendPointsOf(days(14), hours(100, ...Array.from({ length: count }, () => 50)), 100).values
    expect(today(11)).toHaveLength(14)
    expect(today(12)).toHaveLength(15)
  })
})

describe('the mean since an instant', () => {
  it('weighs hours by their readings, and is null without any', () => {
    const some = [
      { at: 0, n: 100, mean: 100 },
      { at: HOUR, n: 1, mean: 4 },
      { at: 2 * HOUR, n: 3, mean: 8 },
    ]
    expect(meanSince(some, HOUR)).toBe(7)
    expect(meanSince(some, 3 * HOUR)).toBeNull()
  })
})
