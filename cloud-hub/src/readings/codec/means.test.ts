import { describe, expect, it } from 'vitest'
import { CorruptReadings } from './corrupt.ts'
import { addToMean, decodeMeans, type Mean, meansOf } from './means.ts'
import { encodeStatistics, statisticsOf } from './statistics.ts'

const MINUTE_MS = 60_000
const MAX = Number.MAX_VALUE

function meansOfValues(values: readonly number[], stepMs = 1_000): Mean[] {
  const found: Mean[] = []
  const times = Float64Array.from(values, (_, i) => i * stepMs - 90_500)
  meansOf(times, Float64Array.from(values), 0, values.length, MINUTE_MS, (at, n, mean) => found.push({ at, n, mean }))
  return found
}

const wave = Array.from({ length: 500 }, (_, i) => Math.round((50 + 10 * Math.sin(i / 9)) * 100) / 100)

describe('means of buckets', () => {
  it('equal those of the full statistics, from readings and from encoded statistics', () => {
    const times = Float64Array.from(wave, (_, i) => i * 1_000 - 90_500)
    const full = statisticsOf(times, Float64Array.from(wave), 0, wave.length, MINUTE_MS)
    const decoded: Mean[] = []
    decodeMeans(encodeStatistics(full, MINUTE_MS), MINUTE_MS, (at, n, mean) => decoded.push({ at, n, mean }))
    expect(decoded).toEqual(full.map(({ at, n, mean }) => ({ at, n, mean })))
    const found = meansOfValues(wave)
    expect(found.map(({ at, n }) => [at, n])).toEqual(full.map(({ at, n }) => [at, n]))
    for (const [i, { mean }] of found.entries()) expect(Math.abs(mean - full[i]!.mean)).toBeLessThan(1e-13)
  })

  it.each([
    [[0.1, 0.1, 0.1], 0.1],
    [[MAX, MAX, MAX], MAX],
    [[MAX, -MAX], 0],
    [[-MAX, MAX, MAX, -MAX], 0],
    [[1e9, 0.1, 0.2, 0.3], 250_000_000.15],
  ])('of %j neither overflow nor lose digits, whole or in parts', (values, mean) => {
    const [whole] = meansOfValues(values, 1)
    const parts = { at: 0, n: 1, mean: values[0]! }
    for (const value of values.slice(1)) addToMean(parts, 1, value)
    for (const found of [whole!, parts]) {
      expect(found.n).toBe(values.length)
      expect(Math.abs(found.mean - mean)).toBeLessThanOrEqual(Math.max(...values.map(Math.abs)) * 1e-15)
    }
  })

  it('of damaged bytes are refused', () => {
    const bytes = encodeStatistics(statisticsOf(Float64Array.of(1, 2), Float64Array.of(1, 2), 0, 2, MINUTE_MS), MINUTE_MS)
    expect(() => decodeMeans(bytes.subarray(0, 6), MINUTE_MS, () => {})).toThrow(CorruptReadings)
  })
})
