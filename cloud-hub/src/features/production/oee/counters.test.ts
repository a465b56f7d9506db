import { describe, expect, it } from 'vitest'
import { CounterSum } from './counters.ts'

const increases = (
  readings: [at: number, value: number][],
  windows: [number, number][],
  before: number | null = null,
  page = 99,
) => {
  const sum = new CounterSum(
    windows.map(([start, end]) => ({ start, end })),
    before,
  )
  for (let i = 0; i < readings.length; i += page) {
    const some = readings.slice(i, i + page)
    sum.add(
      some.map(([at]) => at),
      some.map(([, value]) => value),
    )
  }
  return sum.sums
}

describe('CounterSum', () => {
  // Worked out by hand: the window is 10 to 20.
  it.each<[string, [number, number][], number | null, number | null]>([
    [
      'the increase over the window',
      [
        [10, 105],
        [15, 110],
        [19, 130],
      ],
      100,
      30,
    ],
    ['the increase up to the first reading belongs to its instant', [[10, 105]], 100, 5],
    [
      'a reading at the end belongs to the next window',
      [
        [15, 110],
        [20, 150],
      ],
      100,
      10,
    ],
    [
      'a drop is a reset: the new value counts',
      [
        [12, 150],
        [14, 7],
        [16, 9],
      ],
      100,
      59,
    ],
    [
      'a drop to a negative value counts nothing',
      [
        [12, -5],
        [14, 3],
      ],
      100,
      8,
    ],
    [
      'the first reading of a series has no increase',
      [
        [12, 100],
        [14, 103],
      ],
      null,
      3,
    ],
    ['one reading alone says nothing', [[12, 100]], null, null],
    ['no reading says nothing', [], 100, null],
    [
      'a constant counter has no increase',
      [
        [12, 100],
        [14, 100],
      ],
      100,
      0,
    ],
  ])('%s', (_, readings, before, expected) => {
    expect(increases(readings, [[10, 20]], before)).toEqual([expected])
  })

  it('readings between windows count in none, and carry on to the next', () => {
    expect(
      increases(
        [
          [5, 10],
          [12, 20],
          [25, 50],
          [32, 60],
        ],
        [
          [10, 20],
          [30, 40],
        ],
        0,
      ),
    ).toEqual([10, 10])
  })

  it('windows that meet add up to the whole window, in pages of any size', () => {
    const readings = Array.from({ length: 200 }, (_, i): [number, number] => [i, (i * 37) % 101])
    const [whole] = increases(readings, [[0, 200]], 5)
    for (const page of [1, 7, 200]) {
      const parts = increases(
        readings,
        [
          [0, 50],
          [50, 51],
          [51, 160],
          [160, 200],
        ],
        5,
        page,
      )
      expect(parts.reduce<number>((sum, part) => sum + (part ?? 0), 0)).toBe(whole)
    }
  })
})
