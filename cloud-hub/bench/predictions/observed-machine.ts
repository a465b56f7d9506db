import { medianOf } from '../../src/features/predictions/health/method/points.ts'

/** A warning and a critical limit; critical below warning: low values are bad. */
export interface Limits {
  warning: number
  critical: number
}

/** A day of a metric; NaN where there are no values. */
export interface ObservedDay {
  /** of the hourly means, as the product condenses them */
  median: number
  mean: number
  low: number
  high: number
}

export interface ObservedMetric {
  name: string
  days: ObservedDay[]
  limits: Limits
}

/** A machine that was observed until it failed, or to the end. */
export interface ObservedMachine {
  kind: string
  /** null: it does not fail */
  failsOnDay: number | null
  metrics: ObservedMetric[]
}

export const dayOf = (values: readonly number[]): ObservedDay => {
  const known = values.filter(Number.isFinite)
  return {
    median: medianOf(known),
    mean: known.reduce((sum, value) => sum + value, 0) / known.length,
    low: Math.min(...known),
    high: Math.max(...known),
  }
}
