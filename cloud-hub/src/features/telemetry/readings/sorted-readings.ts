import type { EvaluatedSpan } from './anomalies/excursions.ts'

/** Readings `from` to `to` (exclusive) of {@link SortedReadings} are those of one series. */
export interface SeriesSpan {
  /** index of the series in the context of the flush */
  slot: number
  seriesId: number
  from: number
  to: number
  /** Unix ms of the newest stored reading that the context knows; -Infinity for none */
  newestAt: number
  /** where the series has a baseline, or an anomaly stands: what to make of these readings */
  evaluated?: EvaluatedSpan
}

/** Readings whose series are known, in columns. */
export interface SortedReadings {
  /** ascending by series id, none empty, together all readings */
  spans: SeriesSpan[]
  /** Unix ms, ascending within a span; of equal instants the first is the one that counts */
  timestamps: Float64Array
  values: Float64Array
  rawTags: (string | null)[]
}
