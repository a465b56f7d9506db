import { describe, expect, it } from 'vitest'
import { attributeTime, byStart, sumByKey, type TimeInterval } from './attribute-time.ts'

interface Stop extends TimeInterval {
  id: string
  rank: number
}
const stop = (id: string, start: number, end: number, rank = 0): Stop => ({ id, start, end, rank })
const byRank = (a: Stop, b: Stop) => a.rank - b.rank || byStart(a, b)
const shown = (segments: readonly { owner: Stop; start: number; end: number }[]) =>
  segments.map(({ owner, start, end }) => `${owner.id} ${start}-${end}`)

describe('attributeTime', () => {
  // Worked out by hand: the window is 0 to 100.
  it.each<[string, Stop[], string[]]>([
    ['an interval inside the window is whole', [stop('a', 10, 20)], ['a 10-20']],
    ['an interval across both ends is clipped', [stop('a', -5, 500)], ['a 0-100']],
    ['an interval that ends where the window starts has no part', [stop('a', -5, 0), stop('b', 100, 120)], []],
    ['an ongoing interval lasts until the end of the window', [stop('a', 90, Number.POSITIVE_INFINITY)], ['a 90-100']],
    ['the earlier start owns the overlap', [stop('b', 20, 40), stop('a', 10, 30)], ['a 10-30', 'b 30-40']],
    ['an interval inside an earlier one has no part', [stop('a', 10, 40), stop('b', 20, 30)], ['a 10-40']],
    ['of equal starts the smaller id owns the overlap', [stop('b', 10, 40), stop('a', 10, 30)], ['a 10-30', 'b 30-40']],
    ['adjacent intervals keep their own time', [stop('a', 10, 20), stop('b', 20, 30)], ['a 10-20', 'b 20-30']],
    ['intervals before the window keep their order', [stop('b', -10, 50), stop('a', -20, 30)], ['a 0-30', 'b 30-50']],
  ])('%s', (_, stops, expected) => {
    expect(shown(attributeTime({ start: 0, end: 100 }, stops, byStart))).toEqual(expected)
  })

  it('another precedence can cut an interval in two', () => {
    const stops = [stop('a', 10, 60, 1), stop('b', 20, 30, 0)]
    expect(shown(attributeTime({ start: 0, end: 100 }, stops, byRank))).toEqual(['a 10-20', 'b 20-30', 'a 30-60'])
  })

  it('a window of no length has no segments', () => {
    expect(attributeTime({ start: 5, end: 5 }, [stop('a', 0, 10)], byStart)).toEqual([])
  })

  it('sumByKey adds up the milliseconds of a key', () => {
    const segments = attributeTime({ start: 0, end: 100 }, [stop('a', 10, 60, 1), stop('b', 20, 30, 0)], byRank)
    expect(sumByKey(segments, ({ id }) => id)).toEqual(
      new Map([
        ['a', 40],
        ['b', 10],
      ]),
    )
  })

  it('a hundred thousand intervals are attributed in linear time, also where all overlap', () => {
    const stops = Array.from({ length: 100_000 }, (_, i) => stop(String(i), i, 1_000_000 - i))
    expect(attributeTime({ start: 0, end: 1_000_000 }, stops, byStart)).toHaveLength(1)
    expect(attributeTime({ start: 0, end: 1_000_000 }, stops, (a, b) => byStart(b, a))).toHaveLength(199_999)
  })
})

describe('properties of attributeTime, over random intervals', () => {
  const cases = Array.from({ length: 300 }, (_, seed) => randomCase(seed + 1))
  it.each([
    ['the earlier start', byStart],
    ['a rank', byRank],
  ])('by %s each minute of the window has the owner that a comparison of all intervals finds', (_, compare) => {
    for (const { window, stops } of cases) {
      const segments = attributeTime(window, stops, compare)
      for (let minute = window.start; minute < window.end; minute++) {
        const owners = segments.filter(({ start, end }) => start <= minute && minute < end).map(({ owner }) => owner)
        const first = stops.filter(({ start, end }) => start <= minute && minute < end).toSorted(compare)[0]
        expect(owners).toEqual(first ? [first] : [])
      }
    }
  })

  it('segments ascend, are not empty, lie in the window, and their sum is the length of the union', () => {
    for (const { window, stops } of cases) {
      const segments = attributeTime(window, stops, byRank)
      let end = window.start
      for (const segment of segments) {
        expect(segment.start).toBeGreaterThanOrEqual(end)
        expect(segment.end).toBeGreaterThan(segment.start)
        end = segment.end
      }
      expect(end).toBeLessThanOrEqual(window.end)
      const minutes = Array.from({ length: window.end - window.start }, (_, i) => window.start + i)
      const covered = minutes.filter((at) => stops.some((one) => one.start <= at && at < one.end)).length
      expect([...sumByKey(segments, () => 'all').values()][0] ?? 0).toBe(covered)
    }
  })

  it('the result does not depend on the order of the intervals', () => {
    for (const { window, stops } of cases) {
      const expected = attributeTime(window, stops, byStart)
      expect(attributeTime(window, stops.toReversed(), byStart)).toEqual(expected)
      expect(
        attributeTime(
          window,
          stops.toSorted((a, b) => a.rank - b.rank),
          byStart,
        ),
      ).toEqual(expected)
    }
  })

  it('two windows that meet attribute what the whole window attributes', () => {
    for (const { window, stops } of cases) {
      const middle = Math.floor((window.start + window.end) / 2)
      const sums = (part: TimeInterval) => sumByKey(attributeTime(part, stops, byStart), ({ id }) => id)
      const [left, right] = [sums({ start: window.start, end: middle }), sums({ start: middle, end: window.end })]
      for (const [id, ms] of sums(window)) expect((left.get(id) ?? 0) + (right.get(id) ?? 0)).toBe(ms)
    }
  })
})

/** Up to 12 intervals of whole minutes, many with equal starts and ends, some ongoing, around a window of up to 60 minutes. */
function randomCase(seed: number): { window: TimeInterval; stops: Stop[] } {
  let state = seed
  const below = (n: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >>> 8) % n
  }
  const start = below(20)
  const stops = Array.from({ length: below(13) }, (_, i) => {
    const from = below(80) - 10
    return stop(`r${i}`, from, below(8) === 0 ? Number.POSITIVE_INFINITY : from + 1 + below(25), below(4))
  })
  return { window: { start, end: start + 1 + below(60) }, stops }
}
