import { describe, expect, it } from 'vitest'
import { effectiveLosses, NO_COUNTS, type Oee, oeeOf, plannedMs, type TimeLosses } from './formula.ts'
import { type Stop, timeLosses } from './time-losses.ts'

const MINUTE = 60_000
/** Of a shift of 480 minutes. */
const losses = (notScheduled: number, availability: number, performance: number, quality: number): TimeLosses => ({
  lengthMs: 480 * MINUTE,
  notScheduledMs: notScheduled * MINUTE,
  availabilityMs: availability * MINUTE,
  performanceMs: performance * MINUTE,
  qualityMs: quality * MINUTE,
})
const counts = (total: number | null, good: number | null, idealCycleSeconds: number | null) => ({
  total,
  good,
  idealCycleSeconds,
})
const pct = ({ availability, performance, quality, oee }: Oee) =>
  [availability, performance, quality, oee].map((ratio) => ratio && Math.round(ratio * 1e6) / 1e4)

describe('oeeOf', () => {
  // Worked out by hand: availability, performance, quality, OEE in percent.
  it.each<[string, TimeLosses, ReturnType<typeof counts>, (number | null)[]]>([
    ['no loss is 100 %', losses(0, 0, 0, 0), NO_COUNTS, [100, 100, 100, 100]],
    // P 450, run 405, net 364.5, good 328.05: 405/450, 364.5/405, 328.05/364.5
    ['time losses', losses(30, 45, 40.5, 36.45), NO_COUNTS, [90, 90, 90, 72.9]],
    // run 405 min = 24,300 s; 20 s x 972 = 19,440 s; 874.8 good
    ['counters', losses(30, 45, 0, 0), counts(972, 875, 20), [90, 80, 90.0206, 64.8148]],
    ['counters replace time losses of their factor', losses(30, 45, 40.5, 36.45), counts(1_215, 1_215, 20), [90, 100, 100, 90]],
    ['a missing ideal cycle leaves performance to time losses', losses(0, 0, 48, 0), counts(100, 75, null), [100, 90, 75, 67.5]],
    ['a missing good count leaves quality to time losses', losses(0, 0, 0, 48), counts(1_440, null, 10), [100, 50, 90, 45]],
    ['a missing total count leaves both to time losses', losses(0, 0, 48, 43.2), counts(null, 5, 10), [100, 90, 90, 81]],
    ['a cycle faster than the ideal one is 100 %', losses(0, 0, 0, 0), counts(10_000, 10_000, 20), [100, 100, 100, 100]],
    ['more good parts than parts is 100 %', losses(0, 0, 0, 0), counts(1_440, 2_000, 20), [100, 100, 100, 100]],
    ['run time but no part', losses(0, 0, 0, 0), counts(0, 0, 20), [100, 0, 100, 0]],
    ['no run time', losses(0, 480, 0, 0), counts(0, 0, 20), [0, null, null, 0]],
    ['no run time in the planned time', losses(240, 240, 0, 0), NO_COUNTS, [0, null, null, 0]],
    ['no planned time', losses(480, 0, 0, 0), counts(10, 10, 20), [null, null, null, null]],
    ['all run time lost to performance', losses(0, 0, 480, 0), NO_COUNTS, [100, 0, 100, 0]],
  ])('%s', (_, given, given2, expected) => {
    expect(pct(oeeOf(given, given2))).toEqual(expected)
  })
})

describe('effectiveLosses', () => {
  const effective = (given: TimeLosses, by: ReturnType<typeof counts>) => {
    const { performanceMs, qualityMs } = effectiveLosses(given, by)
    return [performanceMs, qualityMs].map((ms) => Math.round((ms / MINUTE) * 1e3) / 1e3)
  }

  // Worked out by hand, in minutes: run 405, by 972 parts of 20 s 324 of them, by 875 good parts 291.667
  it.each<[string, TimeLosses, ReturnType<typeof counts>, number[]]>([
    ['time losses stay what they are', losses(30, 45, 40.5, 36.45), counts(null, null, null), [40.5, 36.45]],
    ['counters replace them', losses(30, 45, 40.5, 36.45), counts(972, 875, 20), [81, 32.333]],
    ['of quality alone', losses(30, 45, 40.5, 36.45), counts(972, 875, null), [40.5, 36.375]],
    ['of performance alone, quality losses keep their share', losses(30, 45, 40.5, 36.45), counts(972, null, 20), [81, 32.4]],
    ['no part loses all run time', losses(0, 80, 0, 0), counts(0, 0, 20), [400, 0]],
    ['no run time has none to lose', losses(0, 480, 0, 0), counts(0, 0, 20), [0, 0]],
  ])('%s', (_, given, by, expected) => {
    expect(effective(given, by)).toEqual(expected)
  })
})

const stop = (
  id: string,
  from: number,
  until: number,
  reasonType: Stop['reasonType'],
  lossCategory: Stop['lossCategory'] = null,
) => ({
  id,
  start: from * MINUTE,
  end: until * MINUTE,
  reasonType,
  lossCategory,
})
const shift = { start: 0, end: 480 * MINUTE }
const minutesOf = (stops: Stop[]) => {
  const { lengthMs: _, ...sums } = timeLosses(shift, stops)
  return Object.fromEntries(Object.entries(sums).map(([key, ms]) => [key.replace('Ms', ''), ms / MINUTE]))
}
const none = { notScheduled: 0, availability: 0, performance: 0, quality: 0, downtime: 0 }

describe('timeLosses', () => {
  it.each<[string, Stop[], object]>([
    ['planned downtime without a code was not scheduled', [stop('a', 0, 30, 'planned')], { notScheduled: 30, downtime: 30 }],
    [
      'other downtime without a code is an availability loss',
      [stop('a', 0, 30, 'changeover')],
      { availability: 30, downtime: 30 },
    ],
    [
      'the category of the code counts, not the type',
      [stop('a', 0, 30, 'planned', 'quality_loss')],
      { quality: 30, downtime: 30 },
    ],
    [
      'downtime is clipped to the shift',
      [stop('a', -60, 30, 'unplanned'), stop('b', 470, 9_999, 'unplanned')],
      { availability: 40, downtime: 40 },
    ],
    [
      'an ongoing record lasts until the end',
      [{ ...stop('a', 400, 0, 'unplanned'), end: Number.POSITIVE_INFINITY }],
      { availability: 80, downtime: 80 },
    ],
    [
      'each minute counts once: not scheduled before availability, performance and quality',
      [
        stop('a', 0, 400, 'unplanned', 'quality_loss'),
        stop('b', 0, 300, 'unplanned', 'performance_loss'),
        stop('c', 0, 200, 'unplanned', 'availability_loss'),
        stop('d', 50, 100, 'unplanned', 'not_scheduled'),
      ],
      { notScheduled: 50, availability: 150, performance: 100, quality: 100, downtime: 400 },
    ],
  ])('%s', (_, stops, expected) => {
    expect(minutesOf(stops)).toEqual({ ...none, ...expected })
  })
})

describe('properties of OEE, over random downtime', () => {
  const TYPES = ['planned', 'unplanned', 'changeover', 'maintenance'] as const
  const CATEGORIES = [null, 'not_scheduled', 'availability_loss', 'performance_loss', 'quality_loss'] as const
  const cases = Array.from({ length: 500 }, (_, seed) => {
    let state = seed + 1
    const below = (n: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
      return (state >>> 8) % n
    }
    return Array.from({ length: below(9) }, (_, i) => {
      const from = below(560) - 60
      return stop(String(i), from, from + 1 + below(300), TYPES[below(4)] as Stop['reasonType'], CATEGORIES[below(5)] ?? null)
    })
  })

  it('A x P x Q equals good time over planned time when derived from the same losses', () => {
    for (const stops of cases) {
      const given = timeLosses(shift, stops)
      const { oee } = oeeOf(given, NO_COUNTS)
      const planned = plannedMs(given)
      const good = planned - given.availabilityMs - given.performanceMs - given.qualityMs
      if (planned === 0) expect(oee).toBeNull()
      else expect(oee).toBeCloseTo(good / planned, 12)
    }
  })

  it('planned time less the effective losses is planned time times OEE, with counters and without', () => {
    for (const [i, stops] of cases.entries()) {
      const given = timeLosses(shift, stops)
      for (const by of [counts(null, null, null), counts(i * 3, i * 2, 33), counts(i * 3, null, 33), counts(i, i, null)]) {
        const lost = effectiveLosses(given, by)
        const rest = plannedMs(given) - lost.availabilityMs - lost.performanceMs - lost.qualityMs
        expect(rest).toBeCloseTo(plannedMs(given) * (oeeOf(given, by).oee ?? 0), 3)
      }
    }
  })

  it('every ratio lies between 0 and 1, and the parts of a shift never exceed it', () => {
    for (const stops of cases) {
      const given = timeLosses(shift, stops)
      for (const ratio of Object.values(oeeOf(given, counts(stops.length * 700, stops.length * 650, 33))))
        if (ratio !== null) expect(ratio >= 0 && ratio <= 1).toBe(true)
      expect(given.notScheduledMs + given.availabilityMs + given.performanceMs + given.qualityMs).toBe(given.downtimeMs)
      expect(given.downtimeMs).toBeLessThanOrEqual(given.lengthMs)
    }
  })

  it('the order in which downtime arrives changes nothing', () => {
    for (const stops of cases) expect(timeLosses(shift, stops.toReversed())).toEqual(timeLosses(shift, stops))
  })
})
