export interface Span {
  kind: 'downtime' | 'maintenance' | 'loss'
  /** seconds since 1970 */
  from: number
  to: number
}

/** What a chart shows beside readings. */
export interface ChartContext {
  /** thresholds and baselines, by metric and in the unit of the series */
  lines: { metric: string; value: number; tone: 'warning' | 'critical' }[]
  bands: { metric: string; low: number; high: number }[]
  /** downtime, maintenance and losses */
  spans: Span[]
  /** alerts: seconds since 1970 */
  marks: { at: number; tone: 'info' | 'warning' | 'critical' }[]
}
