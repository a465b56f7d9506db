import { describe, expect, it } from 'vitest'
import { evaluateSpan, sigmaOf } from './excursions.ts'

const baseline = { mean: 50, stdDev: 2 }
const judge = (...readings: (readonly [at: number, value: number])[]) => {
  const columns = {
    timestamps: Float64Array.from(readings, ([at]) => at),
    values: Float64Array.from(readings, ([, value]) => value),
  }
  return evaluateSpan(columns, { from: 0, to: readings.length }, baseline)
}

describe('excursions beyond a baseline', () => {
  it('are none within three sigma, the edge included', () => {
    expect(judge([1, 56], [2, 44], [3, 50])).toEqual({ excursions: [], firstCalmAt: 1, isAnomalous: false })
  })
  it('last from the first reading beyond to the first back within', () => {
    expect(judge([1, 50], [2, 57], [3, 30], [4, 55], [5, 43])).toEqual({
      excursions: [
        { startedAt: 2, value: 57, sigma: 3.5, lastAt: 3, endedAt: 4, calmAt: 1 },
        { startedAt: 5, value: 43, sigma: -3.5, lastAt: 5, endedAt: null, calmAt: 4 },
      ],
      firstCalmAt: 1,
      isAnomalous: true,
    })
  })
  it('may have begun before the first reading', () => {
    expect(judge([1, 60], [2, 50]).excursions).toMatchObject([{ startedAt: 1, calmAt: null, endedAt: 2 }])
  })
  it('go by the first of several readings of one instant', () => {
    expect(judge([1, 50], [1, 90], [2, 90], [2, 50])).toMatchObject({ excursions: [{ startedAt: 2 }], isAnomalous: true })
  })
  it('of a series that never varied are whatever differs by more than rounding, finitely far away', () => {
    const flat = { mean: 50, stdDev: 0 }
    const of = (value: number) =>
      evaluateSpan({ timestamps: Float64Array.of(1), values: Float64Array.of(value) }, { from: 0, to: 1 }, flat)
    expect(of(50.000_000_01).isAnomalous).toBe(false)
    expect(of(49.9).excursions).toMatchObject([{ sigma: -1e6 }])
    expect(sigmaOf(50, flat)).toBe(0)
    expect(sigmaOf(Number.MAX_VALUE, { mean: -Number.MAX_VALUE, stdDev: 1 })).toBe(1e6)
  })
})
