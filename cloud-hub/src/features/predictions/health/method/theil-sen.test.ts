import { describe, expect, it } from 'vitest'
import type { Points } from './points.ts'
import { mannKendall, type RobustLine, theilSen, varianceOfS } from './theil-sen.ts'

const points = (...values: number[]): Points => ({ times: values.map((_, i) => i + 1), values })

describe('the Theil-Sen line', () => {
  it('has the median of the slopes of all pairs', () => {
    // pairs of 1 2 4 3: 1, 3/2, 2/3, 2, 1/2, -1; in order -1 1/2 2/3 1 3/2 2; the median is 5/6
    // intercepts: 1 - 5/6, 2 - 10/6, 4 - 15/6, 3 - 20/6 = 1/6, 1/3, 3/2, -1/3; the median is 1/4
    const line = theilSen(points(1, 2, 4, 3)) as RobustLine
    expect(line.slope).toBeCloseTo(5 / 6, 12)
    expect(line.intercept).toBeCloseTo(1 / 4, 12)
  })
  it('has the interval of Sen, by rank', () => {
    // n = 10: 45 slopes, variance of S 125, C = 1.959964 * 11.18 = 21.91; ranks 11.5 and 34.5 of 45, rounded to 12 and 34
    const values = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3]
    const slopes = values.flatMap((a, i) => values.slice(i + 1).map((b, j) => (b - a) / (j + 1))).sort((a, b) => a - b)
    const { low, high } = theilSen(points(...values)) as RobustLine
    expect(slopes).toHaveLength(45)
    expect(low).toBeLessThan(slopes[22] as number)
    expect(high).toBeGreaterThan(slopes[22] as number)
    expect([slopes[11], slopes[12]]).toContain(low)
    expect([slopes[32], slopes[33]]).toContain(high)
  })
  it('does not follow outliers in a quarter of the values', () => {
    const values = Array.from({ length: 20 }, (_, i) => (i % 4 === 0 ? 1_000 : 2 * i))
    expect((theilSen(points(...values)) as RobustLine).slope).toBeCloseTo(2, 0)
  })
  it('does not exist for a single instant', () => {
    expect(theilSen({ times: [1, 1], values: [1, 2] })).toBeNull()
    expect(theilSen(points(5))).toBeNull()
  })
})

describe('the Mann-Kendall test', () => {
  const flat: RobustLine = { slope: 0, intercept: 0, low: 0, high: 0 }
  it.each<[string, number[], number]>([
    // 4 * 3 * 13 / 18
    ['of four values', [1, 2, 4, 3], 26 / 3],
    // (3 * 2 * 11 - 2 * 1 * 9) / 18
    ['of three values, two of them equal', [1, 1, 2], 8 / 3],
    ['of equal values', [7, 7, 7], 0],
  ])('has the variance %s', (_, values, variance) => {
    expect(varianceOfS(values)).toBeCloseTo(variance, 12)
  })
  it('scores rising pairs less falling pairs', () => {
    // S = 5 - 1; (4 - 1) / sqrt(26 / 3); the residuals alternate, so they do not widen it
    const values = points(1, 2, 4, 3)
    const { s, z } = mannKendall(values, theilSen(values) as RobustLine)
    expect(s).toBe(4)
    expect(z).toBeCloseTo(3 / Math.sqrt(26 / 3), 12)
  })
  it('has no score for equal values, nor as many rises as falls', () => {
    expect(mannKendall(points(2, 2, 2), flat).z).toBe(0)
    expect(mannKendall(points(1, 2, 1), flat)).toEqual({ s: 0, z: 0 })
  })
  it('scores values that resemble their neighbours lower than independent ones', () => {
    const wave = points(...Array.from({ length: 40 }, (_, i) => Math.sin(i / 6) + 0.02 * i))
    const shaken = points(...Array.from({ length: 40 }, (_, i) => Math.sin(i * 2.7) + 0.02 * i))
    const score = (of: Points) => Math.abs(mannKendall(of, theilSen(of) as RobustLine).z)
    expect(score(wave)).toBeLessThan(score(shaken))
  })
})
