import { assess } from '../../src/features/predictions/health/method/assess.ts'
import type { Limits, ObservedMachine, ObservedMetric } from './observed-machine.ts'

/** An estimate of a machine's days to failure, from its values before a day. */
export interface Estimate {
  /** null: no failure is in sight */
  days: number | null
  /** the interval; null where the predictor has none */
  interval: { low: number; high: number } | null
}

type Predictor = (machine: ObservedMachine, day: number) => Estimate

/** Days that the product looks back. */
const PERIOD = 120
/** Days of the naive line. */
const LINE_DAYS = 14

const NOTHING: Estimate = { days: null, interval: null }

/** The product's own analysis, without alerts, anomalies and downtime: values and limits alone. */
const haltless: Predictor = (machine, day) => {
  const from = Math.max(0, day - PERIOD)
  const { failure } = assess({
    now: day,
    series: machine.metrics.map(({ name, days, limits }) => {
      const known = days
        .slice(from, day)
        .flatMap(({ median }, i) => (Number.isFinite(median) ? [[from + i + 0.5, median] as const] : []))
      const points = { times: known.map(([time]) => time), values: known.map(([, value]) => value) }
      return { metric: name, unit: '', points, limits, driftSigma: null }
    }),
    anomalies: { week: 0, before: 0 },
    alerts: { activeCritical: 0, activeWarning: 0, weekCritical: 0, weekWarning: 0 },
    downtime: { failures: 0, hours: 0, isOngoing: false },
    history: { times: [], values: [] },
  })
  return failure
    ? { days: failure.days, interval: { low: failure.low, high: failure.high ?? Number.POSITIVE_INFINITY } }
    : NOTHING
}

/** Least squares over the daily means of the last two weeks, extended to the critical limit; the earliest of all metrics. */
const linear: Predictor = (machine, day) => {
  const found = machine.metrics.flatMap((metric) => daysOfLine(metric, day) ?? [])
  return { days: found.length === 0 ? null : Math.min(...found), interval: null }
}

function daysOfLine({ days, limits }: ObservedMetric, day: number): number | null {
  const points = days
    .slice(Math.max(0, day - LINE_DAYS), day)
    .flatMap(({ mean }, i, all) => (Number.isFinite(mean) ? [{ time: i - all.length + 0.5, value: mean }] : []))
  const meanTime = points.reduce((sum, { time }) => sum + time, 0) / points.length
  const mean = points.reduce((sum, { value }) => sum + value, 0) / points.length
  const squares = points.reduce((sum, { time }) => sum + (time - meanTime) ** 2, 0)
  const slope = points.reduce((sum, { time, value }) => sum + (time - meanTime) * (value - mean), 0) / squares
  const level = mean - slope * meanTime
  if (isBeyond(level, limits.critical, limits)) return 0
  const left = (limits.critical - level) / slope
  return left >= 0 ? left : null
}

/** A threshold rule alone: an alert of the last 24 hours says that the machine fails now. */
const alert: Predictor = (machine, day) => {
  const hasAlert = machine.metrics.some(({ days, limits }) => {
    const { low, high } = days[day - 1] ?? { low: Number.NaN, high: Number.NaN }
    return isBeyond(limits.critical > limits.warning ? high : low, limits.warning, limits)
  })
  return hasAlert ? { days: 0, interval: null } : NOTHING
}

const isBeyond = (value: number, limit: number, { warning, critical }: Limits): boolean =>
  critical > warning ? value > limit : value < limit

/** The same analysis, read with caution: the early end of its interval counts as the day of the failure. */
const earlyEnd: Predictor = (machine, day) => {
  const { interval } = haltless(machine, day)
  return { days: interval?.low ?? null, interval: null }
}

export const PREDICTORS = {
  haltless,
  'haltless, early end': earlyEnd,
  'linear extrapolation': linear,
  'threshold alert': alert,
} satisfies Record<string, Predictor>
