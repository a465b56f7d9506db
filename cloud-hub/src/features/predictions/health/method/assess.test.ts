import { describe, expect, it } from 'vitest'
import { assess, type MachineFacts, riskOf, type SeriesFacts } from './assess.ts'

const calm: MachineFacts = {
  now: 60,
  series: [],
  anomalies: { week: 0, before: 0 },
  alerts: { activeCritical: 0, activeWarning: 0, weekCritical: 0, weekWarning: 0 },
  downtime: { failures: 0, hours: 0, isOngoing: false },
  history: { times: [], values: [] },
}
const shake = (i: number) => [0.3, -0.2, 0.1, -0.3, 0.2, -0.1][(i * 7) % 6] as number
const series = (
  value: (day: number) => number,
  limits: SeriesFacts['limits'],
  driftSigma: number | null = null,
): SeriesFacts => ({
  metric: 'vibration',
  unit: 'mm/s',
  points: { times: Array.from({ length: 60 }, (_, i) => i), values: Array.from({ length: 60 }, (_, i) => value(i) + shake(i)) },
  limits,
  driftSigma,
})
const limits = { warning: 30, critical: 40 }

describe('a health score', () => {
  it('is 100 without any finding, and nothing is forecast', () => {
    expect(assess(calm)).toEqual({ healthScore: 100, factors: [], daysToMaintenance: null, failure: null, degradationRate: 0 })
    expect(assess({ ...calm, series: [series(() => 5, limits)] })).toMatchObject({ healthScore: 100, failure: null })
  })
  it.each<[string, Partial<MachineFacts>, number]>([
    // 1.5 * 4 + 0.2 * 5
    ['anomalies', { anomalies: { week: 4, before: 5 } }, 93],
    ['any number of anomalies, at most 15', { anomalies: { week: 400, before: 0 } }, 85],
    // 25 + 3 * 2 + 1
    ['alerts', { alerts: { activeCritical: 1, activeWarning: 3, weekCritical: 2, weekWarning: 1 } }, 68],
    // 10
    ['an open warning', { alerts: { activeCritical: 0, activeWarning: 3, weekCritical: 0, weekWarning: 0 } }, 90],
    // 4 * 2 + 0.5 * 6
    ['failures', { downtime: { failures: 2, hours: 6, isOngoing: false } }, 89],
    // 20 + 12 + 8
    ['a standstill', { downtime: { failures: 9, hours: 90, isOngoing: true } }, 60],
    // 5 * (3 - 1)
    ['drift', { series: [series((day) => (day < 57 ? 5 : 8), null, 3)] }, 90],
    ['drift away from its own history, not at all', { series: [series((day) => (day < 57 ? 5 : 2), null, 3)] }, 100],
    ['the worst series alone', { series: [series(() => 35, limits), series(() => 45, limits)] }, 60],
    ['a warning limit', { series: [series(() => 35, limits)] }, 79],
  ])('loses points by %s', (_, facts, score) => {
    expect(assess({ ...calm, ...facts }).healthScore).toBe(score)
  })
  it('never falls below 0', () => {
    const worst = assess({
      ...calm,
      series: [series((day) => 10 + day / 2, limits), series(() => 45, limits)],
      anomalies: { week: 99, before: 0 },
      alerts: { activeCritical: 1, activeWarning: 0, weekCritical: 9, weekWarning: 9 },
      downtime: { failures: 9, hours: 90, isOngoing: true },
    })
    expect(worst.healthScore).toBe(0)
  })
  it.each([
    [100, 'healthy'],
    [80, 'healthy'],
    [79, 'watch'],
    [60, 'watch'],
    [59, 'warning'],
    [40, 'warning'],
    [39, 'critical'],
    [0, 'critical'],
  ])('of %d means %s', (score, risk) => {
    expect(riskOf(score)).toBe(risk)
  })
})

describe('a forecast', () => {
  it('counts the days to the critical limit, and to the warning limit before', () => {
    // 10 + day / 4 is 24.75 at day 59: 30 in 20 days, 40 in 60 days
    const found = assess({ ...calm, series: [series((day) => 10 + day / 4, limits)] })
    expect(found.failure?.days).toBeGreaterThan(54)
    expect(found.failure?.days).toBeLessThan(66)
    expect(found.daysToMaintenance).toBeGreaterThan(16)
    expect(found.daysToMaintenance).toBeLessThan(24)
    expect(found.factors[0]).toMatchObject({ kind: 'forecast', metric: 'vibration', limit: 40 })
  })
  it('needs a limit: a trend without a rule has no number of days', () => {
    expect(assess({ ...calm, series: [series((day) => 10 + day / 4, null)] })).toMatchObject({
      failure: null,
      daysToMaintenance: null,
    })
  })
  it('and a level need values of the last 7 days: a sensor that was removed, or got another unit, says nothing any more', () => {
    const until = (day: number) => {
      const { points, ...rest } = series((at) => 10 + at / 2, limits)
      return { ...rest, points: { times: points.times.slice(0, day), values: points.values.slice(0, day) } }
    }
    expect(assess({ ...calm, series: [until(54)] })).toMatchObject({ failure: { days: expect.any(Number) } })
    expect(assess({ ...calm, series: [until(53)] })).toMatchObject({ healthScore: 100, failure: null, daysToMaintenance: null })
    const beyond = { ...series(() => 45, limits), points: { times: [50, 51, 52], values: [45, 45, 45] } }
    expect(assess({ ...calm, series: [beyond] })).toMatchObject({ healthScore: 100, factors: [] })
  })
  it('sets the risk by its days: 30 are no longer healthy, 14 a warning, 7 critical', () => {
    const scoreAt = (days: number) => {
      // the critical limit lies exactly so many days ahead
      const ahead = { warning: 1_000, critical: 10 + (60 + days) / 4 }
      return assess({ ...calm, series: [series((day) => 10 + day / 4, { ...ahead, warning: ahead.critical - 0.1 })] }).healthScore
    }
    expect(riskOf(scoreAt(27))).toBe('watch')
    expect(riskOf(scoreAt(11))).toBe('warning')
    expect(riskOf(scoreAt(4))).toBe('critical')
  })
})

describe('the degradation per day', () => {
  const history = (values: number[]) => ({ times: values.map((_, i) => i), values })
  it('is the robust slope of the score', () => {
    const scores = Array.from({ length: 20 }, (_, i) => 95 - 2 * i)
    expect(assess({ ...calm, history: history(scores) }).degradationRate).toBeCloseTo(2, 6)
  })
  it('is 0 for a rising score, and for one without a trend', () => {
    expect(assess({ ...calm, history: history(Array.from({ length: 20 }, (_, i) => 50 + i)) }).degradationRate).toBe(0)
    expect(assess({ ...calm, history: history([90, 95, 91, 94, 92, 93]) }).degradationRate).toBe(0)
  })
})
