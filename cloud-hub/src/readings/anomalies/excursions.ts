/** The usual values of a series, from at least 30 readings. */
export interface Baseline {
  mean: number
  /** sample standard deviation */
  stdDev: number
}

/** A run of consecutive readings outside the band of a baseline. Instants are Unix ms. */
export interface Excursion {
  /** of its first reading */
  startedAt: number
  value: number
  /** standard deviations above the mean, negative below; within {@link MAX_SIGMA} */
  sigma: number
  /** of its last reading */
  lastAt: number
  /** of the first reading inside the band after it; null while it lasts */
  endedAt: number | null
  /** of the reading inside the band just before it; null when the excursion may have begun earlier */
  calmAt: number | null
}

/** The result of evaluating the readings of a series in a flush by its baseline. */
export interface SpanEvaluation {
  excursions: Excursion[]
  /** of the first reading inside the band; null for none */
  firstCalmAt: number | null
  /** the newest reading is outside the band */
  isAnomalous: boolean
}

const SIGMAS = 3
/**
 * The limit of `sigma`. A series that never varied has no spread, so any difference would be infinite, which no column can store.
 */
const MAX_SIGMA = 1e6
/** Differences below this fraction of the mean are rounding errors. */
const ROUNDING = 1e-9

/** The band of a baseline, edges included. */
export function bandOf({ mean, stdDev }: Baseline): { low: number; high: number } {
  const width = Math.max(SIGMAS * stdDev, Math.abs(mean) * ROUNDING)
  return { low: mean - width, high: mean + width }
}

export function sigmaOf(value: number, { mean, stdDev }: Baseline): number {
  const sigma = (value - mean) / stdDev
  return Number.isFinite(sigma) ? Math.max(-MAX_SIGMA, Math.min(MAX_SIGMA, sigma)) : Math.sign(value - mean) * MAX_SIGMA
}

/**
 * Evaluates the readings of a span in order; of equal instants only the first.
 * @param timestamps Unix ms, ascending from `from` to `to` (exclusive), which is not empty
 * @param baseline null: no reading is anomalous
 */
export function evaluateSpan(
  { timestamps, values }: { timestamps: Float64Array; values: Float64Array },
  { from, to }: { from: number; to: number },
  baseline: Baseline | null,
): SpanEvaluation {
  if (!baseline) return { excursions: [], firstCalmAt: timestamps[from] as number, isAnomalous: false }
  const { low, high } = bandOf(baseline)
  const excursions: Excursion[] = []
  let firstCalmAt: number | null = null
  let calmAt: number | null = null
  let open: Excursion | null = null
  for (let i = from; i < to; i++) {
    const at = timestamps[i] as number
    if (i > from && at === timestamps[i - 1]) continue
    const value = values[i] as number
    if (value >= low && value <= high) {
      if (open) open.endedAt = at
      open = null
      firstCalmAt ??= at
      calmAt = at
    } else if (open) {
      open.lastAt = at
    } else {
      open = { startedAt: at, value, sigma: sigmaOf(value, baseline), lastAt: at, endedAt: null, calmAt }
      excursions.push(open)
    }
  }
  return { excursions, firstCalmAt, isAnomalous: open !== null }
}

/** An evaluated span with the series that its anomaly events name. */
export interface EvaluatedSpan extends SpanEvaluation {
  tenantId: string
  machineId: string
  metric: string
  unit: string
  /** null: the series has no baseline any more, and an open anomaly ends */
  baseline: Baseline | null
}
