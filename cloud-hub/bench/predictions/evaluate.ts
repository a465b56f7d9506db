import { medianOf } from '../../src/features/predictions/health/method/points.ts'
import type { Estimate } from './predictors.ts'

/** An estimate for a machine on a day, and the truth. */
export interface Decision extends Estimate {
  /** the true days to failure; null: the machine does not fail */
  actual: number | null
}

/** How well estimates predict failures within a horizon; shares are from 0 to 1. */
export interface Scores {
  /** of the days with a failure predicted within the horizon, the share on which it was ahead; null: there were none */
  precision: number | null
  /** of the days with a failure ahead within the horizon, the share on which it was predicted; null: there were none */
  recall: number | null
  /** the harmonic mean of both */
  f1: number | null
  /** the median absolute error of the days to failure, exactly the horizon before it; null: there was no number */
  error: number | null
  /** the share of failures that had a number then */
  known: number | null
  /** the share of these numbers whose interval holds the truth */
  inside: number | null
}

/** Compares estimates with the truth, at a horizon in days. */
export function scoresAt(horizon: number, decisions: readonly Decision[]): Scores {
  const within = (days: number | null) => days !== null && days <= horizon
  const predicted = decisions.filter(({ days }) => within(days))
  const right = predicted.filter(({ actual }) => within(actual)).length
  const precision = share(right, predicted.length)
  const recall = share(right, decisions.filter(({ actual }) => within(actual)).length)
  const exact = decisions.filter(({ actual }) => actual === horizon)
  const numbers = exact.filter(({ days }) => days !== null)
  const intervals = numbers.flatMap(({ interval }) => interval ?? [])
  return {
    precision,
    recall,
    f1: precision && recall ? (2 * precision * recall) / (precision + recall) : null,
    error: numbers.length === 0 ? null : medianOf(numbers.map(({ days }) => Math.abs((days as number) - horizon))),
    known: share(numbers.length, exact.length),
    inside: share(intervals.filter(({ low, high }) => low <= horizon && high >= horizon).length, intervals.length),
  }
}

const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole)
