import type { Schemas } from '../../api/client.ts'

export type Tone = 'info' | 'warning' | 'critical'

export interface Span {
  kind: 'downtime' | 'maintenance' | 'loss'
  /** seconds since 1970 */
  from: number
  to: number
}

/** What somebody noted. `from` and `to` are seconds since 1970, the same for an instant. */
export interface ChartNote {
  from: number
  to: number
  text: string
}

/** What a chart shows beside readings. Instants are seconds since 1970. */
export interface ChartContext {
  /** thresholds and baselines, by metric and in the unit of the series */
  lines: { metric: string; value: number; tone: Tone }[]
  /** the values beyond a threshold; infinite on the side that has no end */
  zones: { metric: string; low: number; high: number; tone: Tone }[]
  bands: { metric: string; low: number; high: number }[]
  spans: Span[]
  /** alerts */
  marks: { at: number; tone: Tone; metric: string }[]
  notes: ChartNote[]
}

/** Where a rule warns, and where it is critical: upwards, or downwards where the critical threshold is the lower one. */
export function zonesOf(rule: Pick<Schemas['AlertRule'], 'metric_name' | 'warning_threshold' | 'critical_threshold'>) {
  const { metric_name: metric, warning_threshold: warning, critical_threshold: critical } = rule
  const isBelow = critical < warning
  const [low, high] = isBelow ? [critical, warning] : [warning, critical]
  return [
    { metric, low, high, tone: 'warning' as const },
    isBelow
      ? { metric, low: Number.NEGATIVE_INFINITY, high: critical, tone: 'critical' as const }
      : { metric, low: critical, high: Number.POSITIVE_INFINITY, tone: 'critical' as const },
  ]
}
