import { describe, expect, it } from 'vitest'
import { robustStatistics, roundToResolution } from './robust.ts'

describe('what is normal', () => {
  it.each<[string, number[], { median: number; sigma: number } | null]>([
    ['of nothing is unknown', [], null],
    ['of one value over and over has no spread', [5, 5, 5], null],
    // deviations from 3: 2 1 0 1 2, their median 1
    ['is the median and its median deviation', [1, 2, 3, 4, 5], { median: 3, sigma: 1.4826 }],
    ['is what it was without an outlier', [1, 2, 3, 4, 1e9], { median: 3, sigma: 1.4826 }],
    // median 2.5; deviations 1.5 0.5 0.5 1.5
    ['of an even number lies in the middle', [4, 1, 3, 2], { median: 2.5, sigma: 1.4826 }],
    // deviations 0 0 0 0 5, their mean 1
    ['where most values are the same goes by the mean deviation', [7, 7, 7, 7, 12], { median: 7, sigma: Math.sqrt(Math.PI / 2) }],
  ])('%s', (_, values, expected) => {
    const found = robustStatistics(values)
    expect(found && { median: found.median, sigma: found.sigma.toFixed(9) }).toEqual(
      expected && { ...expected, sigma: expected.sigma.toFixed(9) },
    )
  })

  it.each([
    [53.123456, 1, 53.12],
    [1234.56, 40, 1235],
    [0.0012345678, 0.0001, 0.001235],
    [999_966_816_224, 3e9, 1e12],
    [-999_966_816_224, 3e7, -999_967_000_000],
    [1.5e-18, 1e-19, 1.5e-18],
    [0, 1, 0],
    [0.004, 1, 0],
    [-0.006, 1, -0.01],
    [1e300, 1e299, 1e300],
  ])('%d with a spread of %d is written %d', (value, sigma, expected) => {
    expect(roundToResolution(value, sigma)).toBe(expected)
  })
})
