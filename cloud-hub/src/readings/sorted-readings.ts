import type { EvaluatedSpan } from './anomalies/excursions.ts'
import { valueAt } from './latest/entries.ts'
import type { LatestEntry } from './latest/rows.ts'

/** The readings `from` to `to` (exclusive) of {@link SortedReadings}, all of one series. */
export interface SeriesSpan {
  /** index of the series in the context of the flush */
  slot: number
  seriesId: number
  from: number
  to: number
  latest: LatestEntry
  /** Unix ms of the newest stored reading that the context knows; -Infinity for none */
  newestAt: number
  /**
   * `newestAt` must be exactly what is stored: a threshold rule has evaluated up to there, or the reading before tells whether a
   * stopped machine runs again
   */
  needsNewest: boolean
  /** the result of the baseline, where the series has one or an open anomaly */
  evaluated?: EvaluatedSpan
}

/** Readings of known series, in columns. */
export interface SortedReadings {
  /** ascending by series id, none empty; all readings belong to one */
  spans: SeriesSpan[]
  /** Unix ms, ascending within a span; of equal instants the first counts */
  timestamps: Float64Array
  values: Float64Array
  rawTags: (string | null)[]
}

/** The newest stored reading of a span's series that the context knows; null for none. */
export const newestStored = ({ latest: { row, index }, newestAt }: SeriesSpan): { timestamp: number; value: number } | null =>
  newestAt === Number.NEGATIVE_INFINITY ? null : { timestamp: newestAt, value: valueAt(row.body, index) }
