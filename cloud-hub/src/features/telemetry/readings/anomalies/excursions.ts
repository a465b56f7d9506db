/** What is normal for a series; of at least 30 readings. */
export interface Baseline {
  mean: number
  /** of a sample */
  stdDev: number
}

/** Consecutive readings beyond the baseline. Instants are Unix ms. */
export interface Excursion {
  /** its first reading */
  startedAt: number
  value: number
  /** standard deviations above the mean, negative below; within {@link MOST_SIGMA} */
  sigma: number
  /** its last reading */
  lastAt: number
  /** the first reading back within; null when there is none yet */
  endedAt: number | null
  /** the reading within just before it; null when the excursion may have begun earlier */
  calmAt: number | null
}

/** What the baseline makes of the readings of a series in a flush. */
export interface SpanEvaluation {
  excursions: Excursion[]
  /** the first reading within; null for none */
  firstCalmAt: number | null
  /** the newest reading is beyond */
  isAnomalous: boolean
}

const SIGMAS = 3
/** A machine that never varied has no spread: whatever differs is infinitely far away, which no column can hold. */
const MOST_SIGMA = 1e6
/** What differs by less than this part of the mean differs by rounding. */
const ROUNDING = 1e-9

/** The band of a baseline; readings on its edge are within. */
export function bandOf({ mean, stdDev }: Baseline): { low: number; high: number } {
  const width = Math.max(SIGMAS * stdDev, Math.abs(mean) * ROUNDING)
  return { low: mean - width, high: mean + width }
}

export function sigmaOf(value: number, { mean, stdDev }: Baseline): number {
  const sigma = (value - mean) / stdDev
  return Number.isFinite(sigma) ? Math.max(-MOST_SIGMA, Math.min(MOST_SIGMA, sigma)) : Math.sign(value - mean) * MOST_SIGMA
}

/**
 * Walks readings in their order, of equal instants the first.
 * @param timestamps Unix ms, ascending from `from` to `to` (exclusive), which is not empty
 * @param baseline null: nothing is beyond
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

/** A span that a baseline has evaluated, with what an event tells of its series. */
export interface EvaluatedSpan extends SpanEvaluation {
  tenantId: string
  machineId: string
  metric: string
  unit: string
  /** null: there is none any more, and what stands ends */
  baseline: Baseline | null
}
