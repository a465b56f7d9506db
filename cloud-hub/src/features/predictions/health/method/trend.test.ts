import { describe, expect, it } from 'vitest'
import { forecastOf } from './forecast.ts'
import { noiseOf, type Points } from './points.ts'
import { afterLastStep } from './steps.ts'
import { trendsOf } from './trend.ts'

/** Noise that alternates, with a mean of 0: reproducible, and without a trend of its own. */
const shake = (i: number) => [0.3, -0.2, 0.1, -0.3, 0.2, -0.1][(i * 7) % 6] as number
const days = (count: number, value: (day: number) => number): Points => ({
  times: Array.from({ length: count }, (_, i) => i),
  values: Array.from({ length: count }, (_, i) => value(i) + shake(i)),
})

describe('a trend', () => {
  it('is not found in noise, in equal values, nor in fewer than 7 points', () => {
    expect(trendsOf(days(100, () => 5))).toEqual([])
    expect(trendsOf({ times: [1, 2, 3, 4, 5, 6, 7, 8], values: Array(8).fill(4) })).toEqual([])
    expect(trendsOf(days(6, (day) => 3 * day))).toEqual([])
  })
  it('forecasts a straight line to its limit', () => {
    // 10 + 0.5 a day: at day 40 it is 30, and reaches 45 in 30 days
    const forecast = forecastOf(trendsOf(days(41, (day) => 10 + 0.5 * day)), 40, 45, true)
    expect(forecast?.days).toBeGreaterThan(28)
    expect(forecast?.days).toBeLessThan(32)
    expect(forecast?.low).toBeLessThanOrEqual(forecast?.days as number)
    expect(forecast?.high).toBeGreaterThanOrEqual(forecast?.days as number)
  })
  it('forecasts falling values to a low limit, and nothing away from a limit', () => {
    const trends = trendsOf(days(41, (day) => 60 - 0.5 * day))
    expect(forecastOf(trends, 40, 30, false)?.days).toBeCloseTo(20, -1)
    expect(forecastOf(trends, 40, 70, true)).toBeNull()
  })
  it('forecasts values that grow exponentially earlier than their line does', () => {
    // 10 + e^(0.1 day): at day 40 it is 64.6, and reaches 158.4 at day 50
    const forecast = forecastOf(trendsOf(days(41, (day) => 10 + Math.exp(0.1 * day))), 40, 158.4, true)
    expect(forecast?.days).toBeGreaterThan(7)
    expect(forecast?.days).toBeLessThan(16)
  })
  it('that has reached the limit forecasts 0 days', () => {
    expect(forecastOf(trendsOf(days(41, (day) => 10 + 0.5 * day)), 40, 25, true)?.days).toBe(0)
  })
  it('carries no forecast farther than three times its own length', () => {
    const trends = trendsOf(days(20, (day) => 10 + 0.5 * day))
    expect(forecastOf(trends, 19, 19.5 + 0.5 * 45, true)).not.toBeNull()
    expect(forecastOf(trends, 19, 19.5 + 0.5 * 70, true)).toBeNull()
  })
})

describe('a step', () => {
  it('ends the trend before it, and is none itself', () => {
    const points = days(80, (day) => (day < 40 ? 5 : 9))
    expect(afterLastStep(points)).toBe(40)
    expect(trendsOf(points)).toEqual([])
  })
  it('is not seen in a line, in an exponential, nor in idle weekends', () => {
    expect(afterLastStep(days(60, (day) => 0.5 * day))).toBe(0)
    expect(afterLastStep(days(60, (day) => Math.exp(0.1 * day)))).toBe(0)
    expect(afterLastStep(days(60, (day) => (day % 7 >= 5 ? 0 : 10)))).toBe(0)
  })
})

describe('the noise of a series', () => {
  it('follows from the differences of neighbours', () => {
    // differences 1 2 3 2 1: median 2; 2 * 1.4826 / sqrt(2)
    expect(noiseOf([0, 1, 3, 0, 2, 1])).toBeCloseTo((2 * 1.4826) / Math.SQRT2, 12)
    expect(noiseOf([4, 4, 4])).toBe(0)
    expect(noiseOf([4])).toBe(0)
  })
})
