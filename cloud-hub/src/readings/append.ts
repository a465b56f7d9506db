import type { TransactionSql } from '../db/pools.ts'
import { saveAnomalies } from './anomalies/save-anomalies.ts'
import { type Inserts, insertReadings } from './insert-readings.ts'
import { isAnomalousAt } from './latest/entries.ts'
import { type SavedLatest, saveLive } from './latest/save.ts'
import type { SeriesSpan, SortedReadings } from './sorted-readings.ts'

/**
 * Whether the readings of a span ascend strictly, are newer than the newest one that the context knows, and have its raw tag: they
 * can be stored without reading what is stored.
 */
export function isLive(
  { timestamps, rawTags }: SortedReadings,
  { from, to, newestAt, latest: { row, index } }: SeriesSpan,
): boolean {
  if ((timestamps[from] as number) <= newestAt || (rawTags[to - 1] ?? null) !== (row.tags?.[index] ?? null)) return false
  for (let i = from + 1; i < to; i++) if ((timestamps[i] as number) <= (timestamps[i - 1] as number)) return false
  return true
}

/**
 * Stores live readings. Sent, not awaited: the transaction fails as stale unless all are newer than everything stored.
 * @param isRepeated the flush failed as stale before
 */
export function appendLive(tx: TransactionSql, readings: SortedReadings, isRepeated: boolean, inserts: Inserts): SavedLatest {
  const saved = saveLive(tx, readings, readings.spans, isRepeated)
  insertReadings(tx, readings, inserts)
  const wasAnomalous = ({ latest }: SeriesSpan) => isAnomalousAt(latest.row.body, latest.index)
  const moves = readings.spans
    .filter((span) => span.evaluated || wasAnomalous(span))
    .map((span) => ({
      span,
      at: readings.timestamps[span.to - 1] as number,
      before: span.newestAt,
      wasAnomalous: wasAnomalous(span),
    }))
  saveAnomalies(tx, readings, moves, [])
  return saved
}
