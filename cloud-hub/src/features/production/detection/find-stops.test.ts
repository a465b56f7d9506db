import { describe, expect, it } from 'vitest'
import type { StopSignal } from '../../telemetry/series/index.ts'
import { narrowGaps, type Stop, StopFinder } from './find-stops.ts'

const state: StopSignal = { kind: 'state', stoppedValues: [0, 3], silentMs: null }
const level: StopSignal = { kind: 'level', limit: 10, silentMs: null }
const count = (limit: number, silentMs: number | null = null): StopSignal => ({ kind: 'count', limit, silentMs })

function find(signal: StopSignal, forMs: number, readings: readonly (readonly [number, number])[], now: number) {
  const finder = new StopFinder(signal, forMs)
  for (const [at, value] of readings) finder.add(at, value)
  return finder.found(now)
}

/** A generator of numbers that repeats for a seed (mulberry32). */
function randomOf(seed: number): () => number {
  let a = seed
  return () => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Readings as `at=value`, and stops as `from-until`, of which an open one has no end. */
const readingsOf = (text: string) =>
  [...text.matchAll(/(\d+)=(\d+)/g)].map(([, at, value]) => [Number(at), Number(value)] as const)
const stopsOf = (text: string): Stop[] =>
  [...text.matchAll(/(\d+)-(\d*)/g)].map(([, from, until]) => ({ from: Number(from), until: until ? Number(until) : null }))

describe('a state or level', () => {
  it.each([
    // signal, least length, readings, now, stops, next check
    [state, 0, '0=1 10=0 20=3 30=1', 40, '10-30', null],
    [state, 0, '0=1 10=0', 40, '10-', null],
    [state, 0, '0=2 10=1', 40, '', null],
    [level, 15, '0=12 10=9 24=12', 40, '', null],
    [level, 15, '0=12 10=9 25=12', 40, '10-25', null],
    [level, 15, '0=12 10=9', 24, '', 25],
    [level, 15, '0=12 10=9', 25, '10-', null],
    [level, 15, '0=10 10=10', 90, '', null],
    [{ ...level, silentMs: 20 }, 15, '0=12 10=12', 29, '', 30],
    [{ ...level, silentMs: 20 }, 15, '0=12 10=12', 30, '10-', null],
    [{ ...level, silentMs: 20 }, 15, '0=12 20=12', 30, '0-20', 40],
    [{ ...level, silentMs: 20 }, 50, '0=12 20=9 30=12', 30, '0-30', 50],
    [level, 0, '', 30, '', null],
  ])('%j for %d ms in %s at %d stops in %s', (signal, forMs, readings, now, stops, checkAt) => {
    expect(find(signal, forMs, readingsOf(readings), now)).toEqual({ stops: stopsOf(stops), checkAt })
  })
})

describe('a count', () => {
  it.each([
    [count(1), '0=5 4=5 8=6 12=6', 17, '', 18],
    [count(1), '0=5 4=5 8=6 12=6', 18, '8-', null],
    [count(1), '0=5 10=5 12=6', 12, '0-12', 22],
    [count(1), '0=5 9=6', 9, '', 19],
    [count(1), '0=5 5=2', 9, '', 15],
    [count(1), '0=5 5=0', 10, '0-', null],
    [count(3), '0=5 5=7 9=8 16=9', 16, '5-', null],
    [count(3), '0=5 5=7 9=8 16=9 18=11', 18, '5-18', 26],
    [count(1, 6), '0=5 6=9', 6, '0-6', 12],
    // a dip makes no parts and is no silence; a drop that does not return counts its value
    [count(1), '0=5 5=0 8=5 11=5', 11, '0-', null],
    [count(1), '0=5 5=0 8=6', 9, '', 18],
    [count(1), '0=5 5=4 8=5 11=6', 11, '0-11', 21],
    [count(1), '0=5 5=2 8=4', 9, '', 18],
    [count(1, 6), '0=5 5=0 8=6', 8, '', 14],
  ])('%j within 10 ms in %s at %d stops in %s', (signal, readings, now, stops, checkAt) => {
    expect(find(signal, 10, readingsOf(readings), now)).toEqual({ stops: stopsOf(stops), checkAt })
  })

  it('is stopped exactly while fewer parts than the limit were made in the trailing window', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const random = randomOf(seed)
      const [limit, windowMs] = [1 + Math.floor(random() * 4), 5 + Math.floor(random() * 15)]
      let [at, value] = [0, 0]
      const readings = Array.from({ length: 40 }, () => {
        at += 1 + Math.floor(random() * 6)
        value += random() < 0.6 ? 0 : Math.floor(random() * 3)
        return [at, value] as const
      })
      const now = at + Math.floor(random() * 20)
      const { stops } = find(count(limit), windowMs, readings, now)
      const parts = readings.map(([t, v], i) => ({ t, n: i === 0 ? limit : v - (readings[i - 1]?.[1] as number) }))
      const sumAt = (t: number) => parts.filter((one) => one.t > t - windowMs && one.t <= t).reduce((sum, one) => sum + one.n, 0)
      for (let t = readings[0]?.[0] as number; t <= now; t++) {
        const isStill = stops.some((stop) => t >= stop.from + windowMs && t < (stop.until ?? Number.POSITIVE_INFINITY))
        expect(isStill, `seed ${seed} at ${t}`).toBe(sumAt(t) < limit)
      }
    }
  })
})

describe('silence of several series', () => {
  it('is where no series has a reading for long enough, in whatever order the series are read', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const random = randomOf(seed)
      const silentMs = 3 + Math.floor(random() * 10)
      const series = Array.from({ length: 3 }, () =>
        [...new Set(Array.from({ length: 8 }, () => 1 + Math.floor(random() * 99)))].sort((a, b) => a - b),
      )
      const whole: Stop = { from: 0, until: random() < 0.5 ? 100 : null }
      const all = [0, ...[...new Set(series.flat())].sort((a, b) => a - b), ...(whole.until === null ? [] : [100])]
      const gaps = all.flatMap((from, i): Stop[] => {
        const until = all[i + 1]
        if (until === undefined) return whole.until === null ? [{ from, until: null }] : []
        return until - from >= silentMs ? [{ from, until }] : []
      })
      for (const order of [series, series.toReversed()])
        expect(order.reduce((left, times) => narrowGaps(left, times, silentMs), [whole])).toEqual(gaps)
    }
  })
})
