type Tone = 'info' | 'warning' | 'critical'

export interface Span {
  kind: 'downtime' | 'maintenance' | 'loss'
  /** seconds since 1970 */
  from: number
  to: number
}

/** What a chart shows beside readings. Instants are seconds since 1970. */
export interface ChartContext {
  /** thresholds and baselines, by metric and in the unit of the series */
  lines: { metric: string; value: number; tone: Tone }[]
  bands: { metric: string; low: number; high: number }[]
  spans: Span[]
  /** alerts */
  marks: { at: number; tone: Tone; metric: string }[]
}
