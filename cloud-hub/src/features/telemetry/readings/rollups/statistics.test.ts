import { describe, expect, it } from 'vitest'
import { joined } from './statistics.ts'

describe('joined', () => {
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
    expect(joined(a, b)).toEqual(both)
  })
})
