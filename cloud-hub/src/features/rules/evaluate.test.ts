import { describe, expect, it } from 'vitest'
import { type Condition, evaluate, freshCondition, lateCrossings, levelOf, type Point } from './evaluate.ts'

const HIGH = { warning: 80, critical: 90 }
const LOW = { warning: 20, critical: 10 }

/** Values at t = from, from + 1, ... */
const points = (values: number[], from = 1): Point[] => values.map((value, i) => ({ timestamp: from + i, value }))

function walk(values: number[], rule = HIGH, before: Condition = freshCondition) {
  const { after, verdicts } = evaluate(rule, before, null, points(values))
  return { after, said: verdicts.map((v) => (v.kind === 'clear' ? 'clear' : `${v.level}@${v.point.timestamp}`)) }
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
    expect(walk([85, 86, 87, 85]).said).toEqual(['warning@1'])
  })
  it('raises a single critical alert from normal to critical', () => {
    expect(walk([50, 95]).said).toEqual(['critical@2'])
  })
  it('raises a second alert from warning to critical, and none on the way back', () => {
    expect(walk([85, 95, 85, 95]).said).toEqual(['warning@1', 'critical@2'])
  })
  it('clears after two consecutive readings not beyond warning, not after one', () => {
    expect(walk([85, 70]).said).toEqual(['warning@1'])
    expect(walk([85, 70, 85, 70]).said).toEqual(['warning@1'])
    expect(walk([85, 70, 80]).said).toEqual(['warning@1', 'clear'])
  })
  it('raises again after it has cleared', () => {
    expect(walk([85, 70, 70, 85]).said).toEqual(['warning@1', 'clear', 'warning@4'])
  })
  it('goes by the newest value for the current level, and by the highest alerted for what stands', () => {
    expect(walk([95, 85]).after).toMatchObject({ standing: 'critical', current: 'warning' })
    expect(walk([95, 70]).after).toMatchObject({ standing: 'critical', current: 'normal', backCount: 1 })
  })
  it('gives the same whether readings come one by one or together', () => {
    const values = [85, 95, 70, 85, 70, 70, 70, 95, 70, 70]
    let state: Condition = freshCondition
    const said: string[] = []
    points(values).forEach((point) => {
      const { after, verdicts } = evaluate(HIGH, state, null, [point])
      state = after
      said.push(...verdicts.map((v) => (v.kind === 'clear' ? 'clear' : `${v.level}@${v.point.timestamp}`)))
    })
    expect(said).toEqual(walk(values).said)
    expect(state).toEqual(walk(values).after)
  })
})

describe('late readings', () => {
  const settled: Condition = { ...freshCondition, judgedAt: 100 }
  const newest = { timestamp: 100, value: 50 }
  const judge = (fresh: Point[], neighbours: Point[] = [], before = settled, now = newest) => {
    const { after, verdicts } = evaluate(HIGH, before, now, fresh, neighbours)
    return {
      after,
      said: verdicts.map((v) =>
        v.kind === 'clear' ? 'clear' : `${v.level}@${v.point.timestamp}${v.clearedAtOnce ? ' over' : ''}`,
      ),
    }
  }

  it('raise an alert that ends at once when nothing stands and newer readings are back', () => {
    expect(judge(points([85], 10))).toEqual({ after: settled, said: ['warning@10 over'] })
  })
  it('raise one alert for a whole excursion inside one batch', () => {
    expect(judge(points([70, 85, 85, 86, 85, 70, 70], 10)).said).toEqual(['warning@11 over'])
  })
  it('raise warning and critical once each on the way up, one critical on a jump', () => {
    expect(judge(points([85, 95, 96, 85], 10)).said).toEqual(['warning@10 over', 'critical@11 over'])
    expect(judge(points([70, 95, 85], 10)).said).toEqual(['critical@11 over'])
  })
  it('raise two alerts for two excursions', () => {
    expect(judge(points([85, 70, 70, 85], 10)).said).toEqual(['warning@10 over', 'warning@13 over'])
  })
  it('do not alert again an excursion that began in an earlier batch', () => {
    expect(judge(points([85, 86], 12), points([85, 86], 10)).said).toEqual([])
  })
  it('do not alert again an excursion whose later part was alerted before', () => {
    expect(judge(points([85, 86], 10), points([85, 86], 12)).said).toEqual([])
  })
  it('see the end of an excursion in two readings back, not in one', () => {
    expect(judge(points([85], 12), points([85, 70], 10)).said).toEqual([])
    expect(judge(points([85], 13), points([85, 70, 70], 10)).said).toEqual(['warning@13 over'])
  })
  it('raise nothing while the condition stands, and never clear it', () => {
    const standing: Condition = { standing: 'warning', current: 'warning', backCount: 0, judgedAt: 100 }
    expect(judge(points([95, 70, 70, 70], 10), [], standing)).toEqual({ after: standing, said: [] })
  })
  it('leave the alert standing when the newest reading, not judged yet, is beyond as well', () => {
    const { after, said } = judge(points([85], 10), [], freshCondition, { timestamp: 100, value: 95 })
    expect(said).toEqual(['warning@10'])
    expect(after).toMatchObject({ standing: 'warning', current: 'critical', judgedAt: 100 })
  })
  it('name only those that need their neighbours', () => {
    expect(lateCrossings(HIGH, settled, newest, points([70, 85], 10))).toEqual([11])
    expect(lateCrossings(HIGH, settled, newest, points([85], 101))).toEqual([])
    expect(lateCrossings(HIGH, { ...settled, standing: 'warning' }, newest, points([85], 10))).toEqual([])
  })
})
