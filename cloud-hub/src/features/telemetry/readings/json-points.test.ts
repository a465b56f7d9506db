import { expect, it } from 'vitest'
import { jsonPoints } from './json-points.ts'

const textOf = (times: readonly number[], values: readonly number[]) =>
  Buffer.from(jsonPoints(Float64Array.from(times), Float64Array.from(values))).toString()
const asJson = (times: readonly number[], values: readonly number[]) =>
  times.map((at, i) => `{"timestamp":"${new Date(at).toISOString()}","value":${JSON.stringify(values[i])}}`).join()

it('writes points as JSON.stringify and toISOString do', () => {
  const times = [
    Date.UTC(1969, 11, 31, 23, 59, 59, 999),
    0,
    Date.UTC(2026, 0, 31, 9, 8, 7, 6),
    Date.UTC(2026, 0, 31, 23, 59, 59, 999),
    Date.UTC(2026, 1, 1),
    Date.UTC(9999, 11, 31, 12, 34, 56, 78),
    8.64e15,
  ]
  const values = [61.5, -0.1, 0, 1e21, -1.7976931348623157e308, 5e-324, -1.234567890123456e-300]
  expect(textOf(times, values)).toBe(asJson(times, values))
})

it('writes every millisecond of a day in order or not', () => {
  const times = Array.from({ length: 5_000 }, (_, i) => (i * 7_919_317) % 172_800_000)
  const values = times.map((at) => at / 7)
  expect(textOf(times, values)).toBe(asJson(times, values))
})

it('writes no points as nothing', () => {
  expect(textOf([], [])).toBe('')
})
