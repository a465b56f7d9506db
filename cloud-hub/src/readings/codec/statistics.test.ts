import { describe, expect, it } from 'vitest'
import { CorruptReadings } from './corrupt.ts'
import { combineStatistics, decodeStatistics, encodeStatistics, type Statistics, statisticsOf } from './statistics.ts'

const MINUTE_MS = 60_000
const MAX = Number.MAX_VALUE

function statistics(values: readonly number[], from = 0): Statistics {
  const times = Float64Array.from(values, (_, i) => from + i)
  const [one, ...others] = statisticsOf(times, Float64Array.from(values), 0, values.length, MINUTE_MS)
  expect(others).toEqual([])
  return one!
}

function naive(values: readonly number[]) {
  const mean = values.reduce((sum, x) => sum + x, 0) / values.length
  return { mean, m2: values.reduce((sum, x) => sum + (x - mean) ** 2, 0) }
}

const SERIES: readonly number[][] = [
  [4],
  [1, 2, 3, 4],
  Array.from({ length: 3_000 }, (_, i) => 50 + Math.sin(i) + (i % 7)),
  // an outlier first, and an offset far above the deviations
  [1e9, ...Array.from({ length: 500 }, (_, i) => (i % 10) / 10)],
  Array.from({ length: 500 }, (_, i) => 1e6 + (i % 10) / 1_024),
]

describe('statistics of readings', () => {
  it.each(SERIES)('equal the naive ones, whole or in parts', (...values) => {
    const { mean, m2 } = naive(values)
    const whole = statistics(values)
    expect(whole).toMatchObject({
      at: 0,
      n: values.length,
      low: Math.min(...values),
      high: Math.max(...values),
      lastAt: values.length - 1,
      last: values.at(-1),
    })
    for (let cut = 1; cut < Math.min(values.length, 200); cut += 13) {
      const [a, b] = [statistics(values.slice(0, cut)), statistics(values.slice(cut), cut)]
      for (const both of [combineStatistics(a, b), combineStatistics(b, a)]) {
        expect(both).toEqual({ ...whole, mean: both.mean, m2: both.m2 })
        for (const { mean: m, m2: d } of [whole, both]) {
          expect(Math.abs(m - mean)).toBeLessThanOrEqual(1e-14 * Math.abs(mean))
          expect(Math.abs(d! - m2)).toBeLessThanOrEqual(1e-9 * m2)
        }
      }
    }
  })

  it('belong to buckets of the UTC grid, also before 1970', () => {
    const times = Float64Array.of(-60_001, -60_000, -1, 0, 59_999, 180_000)
    const found = statisticsOf(times, Float64Array.of(1, 2, 3, 4, 5, 6), 0, 6, MINUTE_MS)
    expect(found.map(({ at, n, last }) => [at, n, last])).toEqual([
      [-120_000, 1, 1],
      [-60_000, 2, 3],
      [0, 2, 5],
      [180_000, 1, 6],
    ])
  })

  it.each([
    [[0.1, 0.1, 0.1], 0.1, 0],
    [[MAX, MAX, MAX], MAX, 0],
    [[MAX, -MAX], 0, null],
    [[-MAX, MAX, MAX, -MAX], 0, null],
    [[1e200, 3e200], 2e200, null],
    [[5e-324, 5e-324], 5e-324, 0],
    [[MAX, 0, 0, 0], MAX / 4, null],
  ])('of %j never overflow', (values, mean, m2) => {
    const parts = values.map((value, i) => statistics([value], i))
    for (const all of [statistics(values), parts.reduce(combineStatistics)]) {
      expect(all.m2).toBe(m2)
      expect(Math.abs(all.mean - mean)).toBeLessThanOrEqual(Math.max(...values.map(Math.abs)) * 1e-15)
    }
  })

  it.each([0, 1, 30, 1_440])('of %d buckets come back bit by bit', (count) => {
    const all = Array.from(
      { length: count },
      (_, i): Statistics => ({
        ...statistics([i / 10, -0, Math.sqrt(i)]),
        at: (1_000 + i) * MINUTE_MS,
        m2: i % 5 ? i / 3 : null,
      }),
    ).map((one) => ({ ...one, lastAt: one.at + 59_999 }))
    expect(decodeStatistics(encodeStatistics(all, MINUTE_MS), MINUTE_MS)).toEqual(all)
  })
})

it.each([
  ['no readings', { n: 0 }],
  ['a part of a reading', { n: 1.5 }],
  ['a lowest value above the mean', { low: 6 }],
  ['a lowest value above the last', { low: 4.5, last: 4 }],
  ['a highest value below the mean', { high: 4 }],
  ['a highest value below the last', { high: 6, last: 7 }],
  ['a last reading before the bucket', { lastAt: -1 }],
  ['a last reading after the bucket', { lastAt: 60_000 }],
  ['negative deviations', { m2: -2 }],
])('statistics with %s are refused as damaged', (_what, change) => {
  const right: Statistics = { at: 0, n: 3, mean: 5, m2: 2, low: 4, high: 6, lastAt: 59_999, last: 5 }
  expect(decodeStatistics(encodeStatistics([right], 60_000), 60_000)).toEqual([right])
  expect(() => decodeStatistics(encodeStatistics([{ ...right, ...change }], 60_000), 60_000)).toThrow(CorruptReadings)
})
