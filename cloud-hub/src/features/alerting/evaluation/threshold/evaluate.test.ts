import { describe, expect, it } from 'vitest'
import { evaluateThreshold, INITIAL_THRESHOLD_STATE, lateReadings, type ThresholdState } from './evaluate.ts'
import { lateAnchors, type Neighbours, openExcursions, splitAtGaps } from './late.ts'
import { levelOf, type Point } from './level.ts'

const HIGH = { warning: 80, critical: 90 }
const LOW = { warning: 20, critical: 10 }

/** Values at t = from, from + 1, ... */
const points = (values: number[], from = 1): Point[] => values.map((value, i) => ({ timestamp: from + i, value }))

function walk(values: number[], rule = HIGH, before: ThresholdState = INITIAL_THRESHOLD_STATE) {
  const { after, transitions } = evaluateThreshold(rule, before, null, points(values))
  return { after, transitioned: transitions.map((v) => (v.kind === 'clear' ? 'clear' : `${v.level}@${v.point.timestamp}`)) }
}

describe('levelOf', () => {
  it.each([
    [HIGH, 80, 'normal'],
    [HIGH, 80.001, 'warning'],
    [HIGH, 90, 'warning'],
    [HIGH, 90.001, 'critical'],
    [LOW, 20, 'normal'],
    [LOW, 19.999, 'warning'],
    [LOW, 10, 'warning'],
    [LOW, 9.999, 'critical'],
  ] as const)('with thresholds %o a value of %d is %s: the order of the thresholds gives the side', (rule, value, level) => {
    expect(levelOf(value, rule)).toBe(level)
  })
})

describe('readings in order', () => {
  it('raises one alert per standing condition, however long it stands', () => {
    expect(walk([85, 86, 87, 85]).transitioned).toEqual(['warning@1'])
  })
  it('raises a single critical alert from normal to critical', () => {
    expect(walk([50, 95]).transitioned).toEqual(['critical@2'])
  })
  it('raises a second alert from warning to critical, and none on the way back', () => {
    expect(walk([85, 95, 85, 95]).transitioned).toEqual(['warning@1', 'critical@2'])
  })
  it('clears after two consecutive readings not beyond warning, not after one', () => {
    expect(walk([85, 70]).transitioned).toEqual(['warning@1'])
    expect(walk([85, 70, 85, 70]).transitioned).toEqual(['warning@1'])
    expect(walk([85, 70, 80]).transitioned).toEqual(['warning@1', 'clear'])
  })
  it('raises again after it has cleared', () => {
    expect(walk([85, 70, 70, 85]).transitioned).toEqual(['warning@1', 'clear', 'warning@4'])
  })
  it('goes by the newest value for the current level, and by the highest alerted for what stands', () => {
    expect(walk([95, 85]).after).toMatchObject({ standing: 'critical', current: 'warning' })
    expect(walk([95, 70]).after).toMatchObject({ standing: 'critical', current: 'normal', normalCount: 1 })
  })
  it('gives the same whether readings come one by one or together', () => {
    const values = [85, 95, 70, 85, 70, 70, 70, 95, 70, 70]
    let state: ThresholdState = INITIAL_THRESHOLD_STATE
    const transitioned: string[] = []
    points(values).forEach((point) => {
      const { after, transitions } = evaluateThreshold(HIGH, state, null, [point])
      state = after
      transitioned.push(...transitions.map((v) => (v.kind === 'clear' ? 'clear' : `${v.level}@${v.point.timestamp}`)))
    })
    expect(transitioned).toEqual(walk(values).transitioned)
    expect(state).toEqual(walk(values).after)
  })
})

describe('late readings', () => {
  const settled: ThresholdState = { ...INITIAL_THRESHOLD_STATE, evaluatedAt: 100 }
  const newest = { timestamp: 100, value: 50 }
  const evaluateAround = (
    fresh: Point[],
    known: Point[] = [],
    alerted: Neighbours['alerted'] = [],
    before = settled,
    now = newest,
  ) => {
    const { after, transitions } = evaluateThreshold(HIGH, before, now, fresh, [
      { first: 0, last: 99, known, isFromStart: false, alerted },
    ])
    return {
      after,
      transitioned: transitions.map((v) =>
        v.kind === 'clear' ? 'clear' : `${v.level}@${v.point.timestamp}${v.clearedAtOnce ? ' over' : ''}`,
      ),
    }
  }

  it('raise an alert that ends at once when nothing stands and newer readings returned to normal', () => {
    expect(evaluateAround(points([85], 10))).toEqual({ after: settled, transitioned: ['warning@10 over'] })
  })
  it('raise one alert for a whole excursion inside one batch', () => {
    expect(evaluateAround(points([70, 85, 85, 86, 85, 70, 70], 10)).transitioned).toEqual(['warning@11 over'])
  })
  it('raise warning and critical once each on the way up, one critical on a jump', () => {
    expect(evaluateAround(points([85, 95, 96, 85], 10)).transitioned).toEqual(['warning@10 over', 'critical@11 over'])
    expect(evaluateAround(points([70, 95, 85], 10)).transitioned).toEqual(['critical@11 over'])
  })
  it('raise two alerts for two excursions', () => {
    expect(evaluateAround(points([85, 70, 70, 85], 10)).transitioned).toEqual(['warning@10 over', 'warning@13 over'])
  })
  it('do not alert again an excursion that began in an earlier batch', () => {
    expect(evaluateAround(points([85, 86], 12), points([85, 86], 10)).transitioned).toEqual([])
  })
  it('do not alert again an excursion whose later part was alerted before', () => {
    const warned = [{ timestamp: 12, level: 'warning' as const }]
    expect(evaluateAround(points([85, 86], 10), points([85, 86], 12), warned).transitioned).toEqual([])
    expect(evaluateAround(points([95], 10), points([85, 86], 11), warned).transitioned).toEqual(['critical@10 over'])
  })
  it('do not alert again a level that the excursion had reached before what is next to them', () => {
    const known = points([70, 70, 95, 85, 85], 10)
    const alerts = [{ timestamp: 12, level: 'critical' as const }]
    expect(openExcursions(HIGH, points([95], 15), { known: known.slice(-2), isFromStart: false })).toEqual([
      { first: 13, last: 15, back: true, forward: true },
    ])
    expect(evaluateAround(points([95], 15), known, alerts).transitioned).toEqual([])
    expect(evaluateAround(points([95], 15), points([70, 70, 85, 85], 11), []).transitioned).toEqual([
      'warning@13 over',
      'critical@15 over',
    ])
  })
  it('that divide an excursion in two raise the alert of the second one', () => {
    const known = [...points([70, 70, 85], 8), ...points([86, 70, 70], 13)]
    const near = { known: known.slice(2), isFromStart: false }
    const first = [{ timestamp: 10, level: 'warning' as const }]
    expect(openExcursions(HIGH, points([70, 70], 11), near)).toEqual([
      { first: 10, last: 10, back: true, forward: false },
      { first: 13, last: 13, back: false, forward: false },
    ])
    expect(evaluateAround(points([70, 70], 11), known, [{ timestamp: 13, level: 'warning' }]).transitioned).toEqual([
      'warning@10 over',
    ])
    expect(evaluateAround(points([70, 70], 11), known, first).transitioned).toEqual(['warning@13 over'])
    expect(evaluateAround(points([70, 70], 11), known, [...first, { timestamp: 13, level: 'warning' }]).transitioned).toEqual([])
    expect(evaluateAround(points([70], 11), known, first).transitioned).toEqual([])
  })
  it('leave alone what they neither belong to nor divide', () => {
    expect(evaluateAround(points([70, 70, 70], 10), [...points([70, 70], 8), ...points([70, 70, 85], 13)]).transitioned).toEqual(
      [],
    )
  })
  it('see the end of an excursion in two normal readings, not in one', () => {
    expect(evaluateAround(points([85], 12), points([85, 70], 10)).transitioned).toEqual([])
    expect(evaluateAround(points([85], 13), points([85, 70, 70], 10)).transitioned).toEqual(['warning@13 over'])
  })
  it('raise nothing while the condition stands, and never clear it', () => {
    const standing: ThresholdState = { standing: 'warning', current: 'warning', normalCount: 0, evaluatedAt: 100 }
    expect(evaluateAround(points([95, 70, 70, 70], 10), [], [], standing)).toEqual({ after: standing, transitioned: [] })
  })
  it('leave the alert standing when the newest reading, not evaluated yet, is beyond as well', () => {
    const { after, transitioned } = evaluateAround(points([85], 10), [], [], INITIAL_THRESHOLD_STATE, {
      timestamp: 100,
      value: 95,
    })
    expect(transitioned).toEqual(['warning@10'])
    expect(after).toMatchObject({ standing: 'warning', current: 'critical', evaluatedAt: 100 })
  })
  it('are those up to the newest evaluated, and none while something stands', () => {
    expect(lateReadings(settled, newest, points([70, 85], 99))).toEqual(points([70, 85], 99))
    expect(lateReadings(settled, newest, points([85], 101))).toEqual([])
    expect(lateReadings({ ...settled, standing: 'warning' }, newest, points([85], 10))).toEqual([])
  })
  it('ask for what is stored around those beyond, and around the first and the last of each run', () => {
    expect(lateAnchors(HIGH, points([70, 70, 85, 70, 70], 10))).toEqual([10, 12, 14])
    expect(lateAnchors(HIGH, [...points([70, 70, 70], 10), ...points([70, 70, 70], 20)])).toEqual([10, 12, 20, 22])
    expect(lateAnchors(HIGH, points([70], 10))).toEqual([10])
  })
  it('are evaluated in pieces where more may be stored between them than is known', () => {
    const late = [...points([70, 70], 10), ...points([70], 30)]
    expect(splitAtGaps(late, points([1, 2, 3], 15))).toEqual([{ late, known: points([1, 2, 3], 15) }])
    expect(splitAtGaps(late, [...points([1, 2], 15), ...points([3, 4], 25), ...points([5], 40)])).toEqual([
      { late: late.slice(0, 2), known: points([1, 2], 15) },
      { late: late.slice(2), known: [...points([3, 4], 25), ...points([5], 40)] },
    ])
  })
  it('raise one alert for each excursion, in whatever order its batches arrive', () => {
    for (let seed = 1; seed <= 500; seed++) {
      let state = seed
      const random = () => {
        state = (state * 48_271) % 2_147_483_647
        return state / 2_147_483_647
      }
      const whole = (low: number, high: number) => low + Math.floor(random() * (high - low + 1))
      const values: number[] = []
      while (values.length < 60) {
        values.push(...Array.from({ length: whole(2, 8) }, () => 70), 85)
        for (let i = whole(0, 3); i > 0; i--) values.push(...(random() < 0.3 ? [70, 85] : [85]))
      }
      const all = points(values, 10)
      // longer than any excursion: one that holds a whole batch can look like two until that batch arrives
      const size = whole(8, 12)
      const batches = Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size))
        .map((batch) => ({ batch, at: random() }))
        .sort((a, b) => a.at - b.at)
      const stored: Point[] = []
      const alerted: { timestamp: number; level: 'warning' | 'critical' }[] = []
      for (const { batch } of batches) {
        const known = [...stored].sort((a, b) => a.timestamp - b.timestamp)
        const around = [{ first: 0, last: 199, known, isFromStart: true, alerted }]
        for (const transition of evaluateThreshold(HIGH, settled, newest, batch, around).transitions)
          if (transition.kind === 'raise') alerted.push({ timestamp: transition.point.timestamp, level: transition.level })
        stored.push(...batch)
      }
      const excursionOf = (at: number) => evaluateAround(all.filter((p) => p.timestamp <= at)).transitioned.length
      const raised = alerted.map((alert) => excursionOf(alert.timestamp)).sort((a, b) => a - b)
      expect([seed, raised]).toEqual([seed, evaluateAround(all).transitioned.map((_, i) => i + 1)])
    }
  })
})
