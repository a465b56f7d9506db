import { type Forecast, forecastOf } from './forecast.ts'
import { medianOf, type Points } from './points.ts'
import { mannKendall, theilSen } from './theil-sen.ts'
import { referenceOf, type Trend, trendsOf } from './trend.ts'

/** A series of a machine with what is known about its limits. */
export interface SeriesFacts {
  metric: string
  unit: string
  /** at most 400, see docs/predictions.md */
  points: Points
  /** of its threshold rule; null: it has none */
  limits: { warning: number; critical: number } | null
  /** the mean of the last 24 hours in deviations from the baseline; null: unknown */
  driftSigma: number | null
}

/** Everything that the analysis of a machine uses. */
export interface MachineFacts {
  /** days since the epoch */
  now: number
  series: readonly SeriesFacts[]
  /** anomaly events that began in the last 7 days, and in the 23 days before */
  anomalies: { week: number; before: number }
  /** alerts that are not cleared, and those of the last 7 days, by severity */
  alerts: { activeCritical: number; activeWarning: number; weekCritical: number; weekWarning: number }
  /** unplanned downtime of the last 30 days */
  downtime: { failures: number; hours: number; isOngoing: boolean }
  /** a health score a day, the last 30 days */
  history: Points
}

/** A reason why the score is below 100. */
export type Factor = { points: number } & (
  | { kind: 'forecast'; metric: string; unit: string; days: number; low: number; high: number | null; limit: number }
  | { kind: 'level'; metric: string; unit: string; value: number; limit: number; isCritical: boolean }
  | { kind: 'drift'; metric: string; unit: string; sigma: number }
  | { kind: 'anomalies'; week: number; month: number }
  | { kind: 'alerts'; active: number; week: number; isCritical: boolean }
  | { kind: 'downtime'; failures: number; hours: number; isOngoing: boolean }
)

export interface Assessment {
  healthScore: number
  factors: Factor[]
  daysToMaintenance: number | null
  failure: (Forecast & { metric: string }) | null
  /** points of the score lost per day; 0 without a significant trend */
  degradationRate: number
}

/** Points lost by days to failure; between the rows in proportion, none from the last on. The risk levels follow from them. */
const FORECAST_POINTS: readonly (readonly [days: number, points: number])[] = [
  [0, 75],
  [7, 61],
  [14, 41],
  [30, 21],
  [90, 5],
  [91, 0],
]

/** A series whose newest point is older, in days, has ended: its values say nothing about the machine today. */
const MAX_AGE = 7

/** Analyses a machine; pure. The method is explained in docs/predictions.md. */
export function assess(facts: MachineFacts): Assessment {
  const current = facts.series.filter(({ points }) => (points.times.at(-1) ?? Number.NEGATIVE_INFINITY) >= facts.now - MAX_AGE)
  const analyzed = current.map((series) => ({ series, trends: series.limits ? trendsOf(series.points) : [] }))
  const failures = analyzed.flatMap(({ series, trends }) => {
    const forecast = series.limits && forecastTo(series.limits, 'critical', trends, facts.now)
    return forecast ? [{ series, forecast }] : []
  })
  const first = failures.toSorted((a, b) => a.forecast.days - b.forecast.days)[0]
  const factors = [
    ...(first ? [forecastFactor(first.series, first.forecast)] : []),
    ...worst(current.flatMap(levelFactor)),
    ...worst(facts.series.flatMap(driftFactor)),
    ...eventFactors(facts),
  ]
    .filter((factor) => factor.points > 0 && hasFiniteNumbers(factor))
    .sort((a, b) => b.points - a.points)
  const lost = factors.reduce((sum, { points }) => sum + points, 0)
  return {
    healthScore: Math.max(0, Math.round(100 - lost)),
    factors,
    daysToMaintenance: maintenanceOf(analyzed, facts.now, first?.forecast ?? null),
    failure: first ? { ...first.forecast, metric: first.series.metric } : null,
    degradationRate: degradationOf(facts.history),
  }
}

interface Limits {
  warning: number
  critical: number
}

const forecastTo = (limits: Limits, level: keyof Limits, trends: readonly Trend[], now: number): Forecast | null =>
  forecastOf(trends, now, limits[level], limits.critical > limits.warning)

/** The first warning limit that a trend reaches, and not later than the earliest failure. */
function maintenanceOf(
  analyzed: readonly { series: SeriesFacts; trends: readonly Trend[] }[],
  now: number,
  failure: Forecast | null,
): number | null {
  const days = analyzed.flatMap(({ series, trends }) => {
    const forecast = series.limits && forecastTo(series.limits, 'warning', trends, now)
    return forecast ? [forecast.days] : []
  })
  if (failure) days.push(failure.low)
  return days.length === 0 ? null : Math.min(...days)
}

function forecastFactor({ metric, unit, limits }: SeriesFacts, { days, low, high }: Forecast): Factor {
  const next = FORECAST_POINTS.findIndex(([at]) => at >= days)
  const [[fromDays, fromPoints], [toDays, toPoints]] = [FORECAST_POINTS[Math.max(0, next - 1)], FORECAST_POINTS[next]].map(
    (row) => row ?? [days, 0],
  ) as [[number, number], [number, number]]
  const share = toDays > fromDays ? (days - fromDays) / (toDays - fromDays) : 1
  const points = fromPoints + share * (toPoints - fromPoints)
  return { kind: 'forecast', points, metric, unit, days, low, high, limit: (limits as Limits).critical }
}

/** Points of values beyond a limit, by the median of the newest three. */
function levelFactor({ metric, unit, limits, points }: SeriesFacts): Factor[] {
  if (!limits || points.values.length === 0) return []
  const value = medianOf(points.values.slice(-3))
  const isBeyond = (limit: number) => (limits.critical > limits.warning ? value > limit : value < limit)
  if (!isBeyond(limits.warning)) return []
  const isCritical = isBeyond(limits.critical)
  const limit = isCritical ? limits.critical : limits.warning
  return [{ kind: 'level', points: isCritical ? 40 : 21, metric, unit, value, limit, isCritical }]
}

/** Drift counts from 2 deviations on. Counters rise all the time: a series that never falls has none. */
function driftFactor({ metric, unit, driftSigma, points: { values } }: SeriesFacts): Factor[] {
  if (driftSigma === null || Math.abs(driftSigma) < 2) return []
  if (values.length > 2 && values.every((value, i) => i === 0 || value >= (values[i - 1] as number))) return []
  const reference = referenceOf(values)
  if (values.length >= 7 && Math.sign(medianOf(values.slice(-3)) - reference) !== Math.sign(driftSigma)) return []
  return [{ kind: 'drift', points: Math.min(15, 5 * (Math.abs(driftSigma) - 1)), metric, unit, sigma: driftSigma }]
}

function eventFactors({ anomalies, alerts, downtime }: MachineFacts): Factor[] {
  const { activeCritical, activeWarning, weekCritical, weekWarning } = alerts
  const active = activeCritical > 0 ? 25 : activeWarning > 0 ? 10 : 0
  return [
    {
      kind: 'anomalies',
      points: Math.min(15, 1.5 * anomalies.week + 0.2 * anomalies.before),
      week: anomalies.week,
      month: anomalies.week + anomalies.before,
    },
    {
      kind: 'alerts',
      points: active + Math.min(12, 3 * weekCritical) + Math.min(5, weekWarning),
      active: activeCritical + activeWarning,
      week: weekCritical + weekWarning,
      isCritical: activeCritical + weekCritical > 0,
    },
    {
      kind: 'downtime',
      points: (downtime.isOngoing ? 20 : 0) + Math.min(12, 4 * downtime.failures) + Math.min(8, 0.5 * downtime.hours),
      ...downtime,
    },
  ]
}

/** Infinite numbers would be lost in storage. */
const hasFiniteNumbers = (factor: Factor): boolean =>
  Object.values(factor).every((value) => typeof value !== 'number' || Number.isFinite(value))

const worst = (factors: Factor[]): Factor[] => factors.sort((a, b) => b.points - a.points).slice(0, 1)

/** Two-sided significance of 5 %. */
const Z_95 = 1.959964

function degradationOf(history: Points): number {
  const line = theilSen(history)
  return line && line.slope < 0 && mannKendall(history, line).z < -Z_95 ? -line.slope : 0
}

/** The risk level of a health score. */
export const riskOf = (score: number): 'healthy' | 'watch' | 'warning' | 'critical' =>
  score >= 80 ? 'healthy' : score >= 60 ? 'watch' : score >= 40 ? 'warning' : 'critical'
