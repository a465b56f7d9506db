import { describe, expect, it } from 'vitest'
import { combineStatistics } from './statistics.ts'

describe('combineStatistics', () => {
  it.each([
    [
      { n: 1, mean: 2 },
      { n: 3, mean: 6 },
      { n: 4, mean: 5 },
    ],
    [
      { n: 2, mean: Number.MAX_VALUE },
      { n: 2, mean: Number.MAX_VALUE },
      { n: 4, mean: Number.MAX_VALUE },
    ],
    [
      { n: 1, mean: -1e300 },
      { n: 1, mean: 1e300 },
      { n: 2, mean: 0 },
    ],
  ])('weighs %o and %o', (a, b, both) => {
    expect(combineStatistics(a, b)).toEqual(both)
  })
})
