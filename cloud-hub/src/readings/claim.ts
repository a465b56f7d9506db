import { StaleCache } from '../db/errors.ts'
import type { TransactionSql } from '../db/pools.ts'
import type { Excursion } from './anomalies/excursions.ts'
import { type LateExcursion, type Move, saveAnomalies } from './anomalies/save-anomalies.ts'
import { type Inserts, insertReadings } from './insert-readings.ts'
import { isAnomalousAt } from './latest/entries.ts'
import { type LatestRow, latestKey } from './latest/rows.ts'
import { type LockedLatest, type LockedSave, lockedNewest, lockLatest, type SavedLatest, saveLocked } from './latest/save.ts'
import { neighbours } from './query/neighbours.ts'
import { storedInstants } from './query/stored-instants.ts'
import type { SeriesSpan, SortedReadings } from './sorted-readings.ts'

/** The outcome of {@link claim}. */
export interface Claimed {
  spans: ReadonlySet<SeriesSpan>
  /** indexes of the readings of these spans that are new */
  fresh: ReadonlySet<number>
  saved: SavedLatest
}

/**
 * Stores the readings of all spans, of claimed spans those that are new. It locks the newest readings of the series, then looks up
 * the instants of the claimed spans in a statement of its own, whose snapshot sees what is stored.
 * @throws StaleCache when a span that is not claimed has a reading that is not newer than everything stored, and when one that needs
 * its newest reading has
 * another newest reading than the context knows
 */
export async function claim(
  tx: TransactionSql,
  readings: SortedReadings,
  spans: ReadonlySet<SeriesSpan>,
  inserts: Inserts,
): Promise<Claimed> {
  const locked = await lockLatest(tx, readings.spans)
  for (const span of readings.spans) {
    const newest = lockedNewest(locked, span)
    const isPassed = !spans.has(span) && (readings.timestamps[span.from] as number) <= newest
    if (isPassed || (span.needsNewest && newest !== span.newestAt))
      throw new StaleCache('another flush has stored newer readings of a series')
  }
  const stored = await storedInstants(tx, readings.timestamps, [...spans])
  const { kept, fresh } = withoutStored(readings, spans, stored)
  if (kept.spans.length > 0) insertReadings(tx, kept, inserts)
  const saves = newestOf(kept, locked)
  const saved = saveLocked(tx, locked, saves)
  const originals = new Map(readings.spans.map((span) => [span.seriesId, span]))
  const moves = saves.flatMap((save) => moveOf(save, originals, locked))
  saveAnomalies(tx, readings, moves, await findLateExcursions(tx, readings, moves))
  return { spans, fresh, saved }
}

interface Kept {
  kept: SortedReadings
  /** of the claimed spans, by their index in all readings */
  fresh: Set<number>
}

/** Leaves out the readings of claimed spans that are stored, or that repeat an instant. Spans without readings are left out. */
function withoutStored(
  { spans, timestamps, values, rawTags }: SortedReadings,
  claimed: ReadonlySet<SeriesSpan>,
  stored: ReadonlyMap<SeriesSpan, ReadonlySet<number>>,
): Kept {
  const fresh = new Set<number>()
  const indexes: number[] = []
  const kept: SeriesSpan[] = []
  for (const span of spans) {
    const from = indexes.length
    const known = stored.get(span)
    for (let i = span.from; i < span.to; i++) {
      if (claimed.has(span)) {
        const at = timestamps[i] as number
        if (known?.has(at) || (i > span.from && at === timestamps[i - 1])) continue
        fresh.add(i)
      }
      indexes.push(i)
    }
    if (indexes.length > from) kept.push({ ...span, from, to: indexes.length })
  }
  return {
    fresh,
    kept: {
      spans: kept,
      timestamps: Float64Array.from(indexes, (i) => timestamps[i] as number),
      values: Float64Array.from(indexes, (i) => values[i] as number),
      rawTags: indexes.map((i) => rawTags[i] as string | null),
    },
  }
}

/** The newest readings that are newer than the stored ones. */
const newestOf = ({ spans, timestamps, values, rawTags }: SortedReadings, locked: LockedLatest): LockedSave[] =>
  spans.flatMap((span) => {
    const i = span.to - 1
    const at = timestamps[i] as number
    if (at <= lockedNewest(locked, span)) return []
    const rawTag = rawTags[i] as string | null
    return [{ span, at, value: values[i] as number, rawTag, isAnomalous: span.evaluated?.isAnomalous ?? false }]
  })

function moveOf({ span, at }: LockedSave, originals: ReadonlyMap<number, SeriesSpan>, locked: LockedLatest): Move[] {
  const { row, index } = span.latest
  const wasAnomalous = isAnomalousAt((locked.rows.get(latestKey(row)) as LatestRow).body, index)
  const original = originals.get(span.seriesId) as SeriesSpan
  return span.evaluated || wasAnomalous ? [{ span: original, at, before: lockedNewest(locked, span), wasAnomalous }] : []
}

/**
 * The excursions of a flush that end before the newest stored reading, and begin with its first reading of their series. One
 * continues a stored excursion that ends at the stored reading before it.
 */
async function findLateExcursions(
  tx: TransactionSql,
  { spans }: SortedReadings,
  moves: readonly Move[],
): Promise<LateExcursion[]> {
  const moved = new Map(moves.map((move) => [move.span, move]))
  const late = spans.flatMap((span) => {
    const move = moved.get(span)
    const isLate = ({ lastAt, calmAt }: Excursion) => calmAt === null && (!move || lastAt <= move.before)
    return (span.evaluated?.excursions ?? []).filter(isLate).map((excursion) => ({ span, excursion }))
  })
  if (late.length === 0) return []
  const before = await neighbours(
    tx,
    late.map(({ span, excursion }) => ({
      series: { tenantId: span.latest.row.tenantId, id: span.seriesId },
      at: excursion.startedAt - 1,
      before: 1,
      after: 0,
    })),
  )
  return late.map(({ span, excursion }, i) => {
    const columns = before[i]
    const last = columns && columns.length > 0 ? { at: columns.times[0] as number, value: columns.values[0] as number } : null
    return { span, excursion, last }
  })
}
