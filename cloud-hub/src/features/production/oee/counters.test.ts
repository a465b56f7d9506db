import { describe, expect, it } from 'vitest'
import { CounterSum } from './counters.ts'

const increases = (
  readings: [at: number, value: number][],
  windows: [number, number][],
  before: number | null = null,
  page = 99,
) => counted(readings, windows, before, page).map(({ sum }) => sum)

const counted = (given: [at: number, value: number][], windows: [number, number][], before: number | null = null, page = 99) => {
  const readings = before === null ? given : [[-1, before] as [number, number], ...given]
  const sum = new CounterSum(windows.map(([start, end]) => ({ start, end })))
  for (let i = 0; i < readings.length; i += page) {
    const some = readings.slice(i, i + page)
    sum.add(
      some.map(([at]) => at),
      some.map(([, value]) => value),
    )
  }
  return sum.finish()
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

  // `12=150` is a reading of 150 at 12; the window is 10 to 20
  it.each<[string, string, number | null, number, boolean?]>([
    ['a drop that returns is a dip', '9=100 12=110 13=0 14=111 19=120', 20, 1],
    ['also to the same value', '9=100 12=110 13=0 14=110', 10, 1],
    ['also a small one, and one to a negative value', '9=100 12=110 13=109 14=110 15=-1 16=112', 12, 2],
    ['a drop that does not return is a reset', '9=100 12=110 13=0 14=109', 119, 0],
    ['two low readings are a reset', '9=100 12=110 13=0 14=0 15=111', 121, 0],
    ['a reset whose next reading dips', '9=100 12=110 13=50 14=10 15=60', 70, 1],
    ['the last reading of all is a reset until the next one', '9=100 12=110 13=5', 15, 0, true],
    ['a reading after the window shows that its last one is a dip', '9=100 12=110 19=0 25=115', 10, 1],
    ['a reading after the window shows that its last one is a reset', '9=100 12=110 19=3 25=10', 13, 0],
    ['a dip before the window has no increase after it', '8=100 9=0 12=110', 10, 0],
    ['a reset before the window has', '8=100 9=0 12=90', 90, 0],
    ['a dip alone in the window leaves it without count', '9=100 12=0 25=110', null, 1],
  ])('%s', (_, text, sum, dips, hasOpenDrop = false) => {
    const readings = [...text.matchAll(/(\d+)=(-?\d+)/g)].map(([, at, value]): [number, number] => [Number(at), Number(value)])
    for (const page of [1, 2, 99]) expect(counted(readings, [[10, 20]], null, page)).toEqual([{ sum, dips, hasOpenDrop }])
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
