import type { Level } from '../../../../db/enums.ts'

/** Two different thresholds. Critical above warning detects high values, critical below warning low values. */
export interface Thresholds {
  warning: number
  critical: number
}

export interface Point {
  /** Unix ms */
  timestamp: number
  value: number
}

export const RANK: Record<Level, number> = { normal: 0, warning: 1, critical: 2 }

/** The level of a value. A value equal to a threshold is not beyond it. */
export function levelOf(value: number, { warning, critical }: Thresholds): Level {
  const beyond = critical > warning ? (limit: number) => value > limit : (limit: number) => value < limit
  return beyond(critical) ? 'critical' : beyond(warning) ? 'warning' : 'normal'
}
