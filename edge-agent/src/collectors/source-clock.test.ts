import { beforeEach, describe, expect, it } from 'vitest'
import { SourceClock, SourceClocks } from './source-clock.ts'

const HOUR = 3_600_000
let at = 0
let offsetMs: number | null | undefined
let journal: string[]
const clock = {
  monotonic: () => at,
  now: () => 0,
  sleep: async () => {},
  get offsetMs() {
    return offsetMs as number
  },
}
const line = (_: object, message: string) => void journal.push(message)
const logger = { debug: line, info: line, warn: line, error: line }

beforeEach(() => {
  at = 0
  offsetMs = undefined
  journal = []
})

type Settings = ConstructorParameters<typeof SourceClock>[0]
const clockOf = (basis: ConstructorParameters<typeof SourceClock>[1], settings: Partial<Settings> = {}) =>
  new SourceClock({ max_clock_offset_seconds: 30, ...settings }, basis, { clock, logger })

describe('a clock that can be read', () => {
  it('decides with its first measurement, and then only with three that agree', () => {
    const source = clockOf('read')
    source.measured(-3 * HOUR)
    expect(source.isUsed).toBe(false)
    source.measured(5)
    expect([source.isUsed, source.isDoubtful]).toEqual([false, true])
    source.measured(-3 * HOUR)
    for (const ms of [5, 5]) source.measured(ms)
    expect(source.isUsed).toBe(false)
    source.measured(5)
    expect([source.isUsed, source.isDoubtful]).toEqual([true, false])
    expect(journal).toHaveLength(2)
  })

  it('is wrong beyond the limit and right again below half of it', () => {
    const source = clockOf('read', { max_clock_offset_seconds: 10 })
    const after = (ms: number) => {
      for (let i = 0; i < 5; i++) source.measured(ms)
      return source.isUsed
    }
    expect([-10_000, -10_001, -9_000, -5_001, -4_999, -9_999].map(after)).toEqual([true, false, false, false, true, true])
    expect(journal).toHaveLength(2)
  })

  it('counts the round trip in favour of what is known', () => {
    const source = clockOf('read')
    source.measured(-40_000, 15_000)
    expect(source.isUsed).toBe(true)
    for (let i = 0; i < 5; i++) source.measured(40_000, 15_000)
    expect(source.isUsed).toBe(true)
    expect(journal).toEqual([])
  })

  it('that is further ahead than values may be dates none that come at once: history is corrected, and it shows as not used', () => {
    const shown = (ms: number, uncertaintyMs = 0, settings: Partial<Settings> = {}) => {
      const source = clockOf('read', settings)
      source.measured(ms, uncertaintyMs)
      return [source.status()?.isUsed, source.correctionMs]
    }
    expect(shown(10_000)).toEqual([false, 10_000])
    expect(shown(10_000, 9_500)).toEqual([true, 0])
    expect(shown(900)).toEqual([true, 0])
    expect(shown(-20_000)).toEqual([true, 0])
    expect(shown(10_000, 0, { timestamps: 'source' })).toEqual([true, 0])
    expect(shown(301_000, 0, { timestamps: 'source' })).toEqual([false, 301_000])
    expect(journal).toEqual([])
  })

  it('may say anything', () => {
    const source = clockOf('read')
    source.measured(Number.NaN)
    expect(source.status()).toBeNull()
    source.measured(1e30)
    expect(source.status()).toEqual({ aheadMs: 1e14, isUsed: false, isExact: true })
    source.measured(Number.NEGATIVE_INFINITY)
    expect(source.status()?.aheadMs).toBe(-1e14)
  })

  it('is compared with the corrected time, also where that is known later', () => {
    offsetMs = null
    const source = clockOf('read')
    source.measured(0)
    expect(source.status()).toBeNull()
    offsetMs = HOUR
    expect(source.isUsed).toBe(false)
    expect(source.status()).toEqual({ aheadMs: -HOUR, isUsed: false, isExact: true })
  })
})

it('corrects recorded timestamps by whole milliseconds, because readings carry no fractions', () => {
  const source = clockOf('read')
  source.measured(-3 * HOUR - 0.4)
  expect([source.aheadMs, source.correctionMs]).toEqual([-3 * HOUR - 0.4, -3 * HOUR])
})

it.each([
  ['source', true],
  ['server', true],
  ['agent', false],
] as const)('with timestamps %s a setting decides, whatever the clock says, and its offset is shown', (timestamps, isUsed) => {
  const source = clockOf('read', { timestamps })
  source.measured(-3 * HOUR)
  expect(source.status()).toEqual({ aheadMs: -3 * HOUR, isUsed, isExact: true })
  expect(source.isUsed).toBe(isUsed)
  expect(journal).toEqual([])
})

describe('the times at which messages were published', () => {
  it('change what is known only after a minute of them', () => {
    const source = clockOf('published')
    source.measured(-100)
    for (; at <= 59_000; at += 1_000) source.measured(-3 * HOUR)
    expect(source.isUsed).toBe(true)
    source.measured(-3 * HOUR)
    expect(source.isUsed).toBe(false)
  })

  it('show the smallest lateness of the last minute: messages may be delayed', () => {
    const source = clockOf('published')
    for (const ms of [-8_000, -200, -45_000]) source.measured(ms)
    expect(source.status()).toEqual({ aheadMs: -200, isUsed: true, isExact: true })
    at = 60_001
    source.measured(-900)
    expect(source.status()?.aheadMs).toBe(-900)
  })
})

describe.each(['stamped', 'lines'] as const)('the times of values that are %s', (basis) => {
  /** Measurements over a minute. */
  function minuteOf(source: SourceClock, ms: number): void {
    for (const end = at + 60_000; at <= end; at += 10_000) source.measured(ms)
  }

  it('prove a clock that is ahead, after a minute of them, and none that is behind', () => {
    const late = clockOf(basis)
    for (let i = 0; i < 5; i++) minuteOf(late, -3 * HOUR)
    expect(late.status()).toEqual({ aheadMs: -3 * HOUR, isUsed: true, isExact: false })
    const ahead = clockOf(basis)
    for (let i = 0; i < 5; i++) ahead.measured(40_000)
    expect(ahead.isUsed).toBe(true)
    minuteOf(ahead, 40_000)
    expect(ahead.status()).toEqual({ aheadMs: 40_000, isUsed: false, isExact: true })
  })

  it('that are ahead one by one prove nothing', () => {
    const source = clockOf(basis)
    for (; at < 300_000; at += 10_000) {
      source.measured(10 * HOUR)
      source.measured(-20)
    }
    expect(source.isUsed).toBe(true)
    expect(journal).toEqual([])
  })

  it('become right again, also when all of them are late', () => {
    const source = clockOf(basis)
    minuteOf(source, HOUR)
    expect(source.isUsed).toBe(false)
    minuteOf(source, -2 * HOUR)
    expect(source.isUsed).toBe(true)
    expect(journal).toHaveLength(2)
  })
})

it('of several clocks the one that is off most is shown, and one that is not used before all others', () => {
  const clocks = new SourceClocks({ max_clock_offset_seconds: 30 }, 'read', { clock, logger }, 'node')
  expect(clocks.status()).toBeNull()
  clocks.of('a').measured(-5)
  clocks.of('b').measured(-20_000)
  clocks.of('c').measured(-9_000)
  expect(clocks.status()).toMatchObject({ aheadMs: -20_000, isUsed: true })
  clocks.of('d').measured(-40_000)
  clocks.of('d').measured(-1_000)
  expect(clocks.status()).toMatchObject({ aheadMs: -1_000, isUsed: false })
})
