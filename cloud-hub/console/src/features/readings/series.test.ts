import { describe, expect, it } from 'vitest'
import { continued, type Series, withGaps, withNewest } from './series.ts'

const seriesOf = (times: number[], metric = 'noise'): Series => ({
  metric,
  unit: 'decibel',
  times,
  values: times.map((at) => at * 10),
})

describe('a window of readings that moves', () => {
  it('takes what was loaded again in place of what it had, and drops what is too old', () => {
    const [one] = continued([seriesOf([1, 2, 3, 4])], { from: 3, series: [seriesOf([3, 3.5, 5])] }, 2)
    expect(one).toEqual(seriesOf([2, 3, 3.5, 5]))
  })

  it('keeps a series without new readings, drops one that has left it, and takes a new one', () => {
    const known = [seriesOf([1, 9], 'b'), seriesOf([1, 2], 'old')]
    const found = continued(known, { from: 8.5, series: [seriesOf([9], 'b'), seriesOf([10], 'a')] }, 5)
    expect(found).toEqual([seriesOf([10], 'a'), seriesOf([9], 'b')])
  })

  it('appends a reading that is newer than all others, and never grows beyond its span', () => {
    const series = seriesOf([1, 2])
    expect(withNewest(series, 2, 7, 60)).toBe(series)
    let one = series
    for (let at = 3; at <= 10_000; at++) one = withNewest(one, at, at * 10, 60)
    expect(one.times.length).toBe(61)
    expect([one.times[0], one.times.at(-1), one.values.at(-1)]).toEqual([9_940, 10_000, 100_000])
  })
})

describe('gaps', () => {
  it('are where readings are five times as far apart as usual, or a bucket is missing', () => {
    expect(withGaps(seriesOf([1, 2, 3, 8, 9]), 0).values).toEqual([10, 20, 30, 80, 90])
    expect(withGaps(seriesOf([1, 2, 3, 8.1, 9]), 0).values).toEqual([10, 20, 30, null, 81, 90])
    expect(withGaps(seriesOf([60, 120, 240]), 60_000).values).toEqual([600, 1_200, null, 2_400])
  })

  it('are not searched for in a single reading, and leave a series without gaps as it is', () => {
    for (const series of [seriesOf([1]), seriesOf([]), seriesOf([1, 2, 3])]) expect(withGaps(series, 0)).toBe(series)
  })
})
