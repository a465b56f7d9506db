import { randomUUID } from 'node:crypto'
import type { GapRecord, Reading, ReadingColumns, Series } from '@haltless/protocol'
import type { Database } from 'better-sqlite3'

export type DropReason = GapRecord['reason']

interface Span extends Pick<Reading, 'machine' | 'metric' | 'unit'> {
  reason: DropReason
  fromAt: number
  toAt: number
  count: number
}

interface GapRow extends Span {
  id: string
}

/**
 * Counts dropped readings by series and time span. Gaps are written in the transaction of the drop. If the disk accepts no write,
 * they stay in memory until one succeeds.
 *
 * ```
 * noted (memory) -> open (a row that grows) -> sealed (sent to the hub, does not grow) -> deleted (acknowledged by the hub)
 * ```
 */
export class Gaps {
  #noted = new Map<string, Span>()
  #notedCount = 0

  /** Notes that these readings are lost. */
  note({ series, seriesIndex, timestamps }: ReadingColumns, reason: DropReason): void {
    const spans = new Map<number, Span>()
    for (let i = 0; i < seriesIndex.length; i++) {
      const index = seriesIndex[i] as number
      const at = timestamps[i] as number
      const span = spans.get(index)
      if (span) widen(span, { fromAt: at, toAt: at, count: 1 })
      else {
        const { machine, metric, unit } = series[index] as Series
        spans.set(index, { machine, metric, unit, reason, fromAt: at, toAt: at, count: 1 })
      }
    }
    for (const span of spans.values()) this.#add(span)
  }

  /** Notes readings whose names and timestamps cannot be read any more; they arrived at `at`. */
  noteUnknown(count: number, at: number): void {
    this.#add({ machine: 'unknown', metric: 'unknown', unit: 'unknown', reason: 'damaged', fromAt: at, toAt: at, count })
  }

  #add(more: Span): void {
    const key = JSON.stringify([more.machine, more.metric, more.unit, more.reason])
    const span = this.#noted.get(key)
    if (span) widen(span, more)
    else this.#noted.set(key, { ...more })
    this.#notedCount += more.count
  }

  /** Readings noted and not yet written. */
  get notedCount(): number {
    return this.#notedCount
  }

  /** Writes what is noted; inside a transaction. Call {@link written} once that has committed. */
  write(db: Database): void {
    if (this.#noted.size === 0) return
    const grow = db.prepare(
      `INSERT INTO gaps (id, machine, metric, unit, reason, from_at, to_at, count)
       VALUES (@id, @machine, @metric, @unit, @reason, @fromAt, @toAt, @count)
       ON CONFLICT (machine, metric, unit, reason) WHERE is_sealed = 0 DO UPDATE SET
         from_at = min(from_at, excluded.from_at), to_at = max(to_at, excluded.to_at), count = count + excluded.count`,
    )
    for (const span of this.#noted.values()) grow.run({ id: randomUUID(), ...span })
    db.prepare(`UPDATE counters SET value = value + ? WHERE name = 'dropped'`).run(this.#notedCount)
  }

  written(): void {
    this.#noted = new Map()
    this.#notedCount = 0
  }
}

function widen(span: Span, more: Pick<Span, 'fromAt' | 'toAt' | 'count'>): void {
  span.fromAt = Math.min(span.fromAt, more.fromAt)
  span.toAt = Math.max(span.toAt, more.toAt)
  span.count += more.count
}

/** The oldest gaps that the hub has not confirmed, at most `limit`; from now on they do not grow. */
export function closeGaps(db: Database, limit: number): GapRecord[] {
  return db.transaction(() => {
    const select = `SELECT id FROM gaps ORDER BY is_sealed DESC, from_at, id LIMIT ${limit}`
    db.exec(`UPDATE gaps SET is_sealed = 1 WHERE is_sealed = 0 AND id IN (${select})`)
    return db
      .prepare<[], GapRow>(gapQuery(`WHERE is_sealed = 1 ORDER BY from_at, id LIMIT ${limit}`))
      .all()
      .map(toGapRecord)
  })()
}

/** All gaps that the hub has not confirmed, for the status command. */
export const listGaps = (db: Database, limit: number): GapRecord[] =>
  db
    .prepare<[], GapRow>(gapQuery(`ORDER BY from_at, id LIMIT ${limit}`))
    .all()
    .map(toGapRecord)

/** Deletes gaps that the hub has stored. */
export function deleteGaps(db: Database, ids: readonly string[]): void {
  const remove = db.prepare('DELETE FROM gaps WHERE id = ?')
  db.transaction(() => {
    for (const id of ids) remove.run(id)
  })()
}

const gapQuery = (rest: string): string =>
  `SELECT id, machine, metric, unit, reason, from_at AS fromAt, to_at AS toAt, count FROM gaps ${rest}`

const toGapRecord = ({ id, machine, metric, unit, reason, fromAt, toAt, count }: GapRow): GapRecord => ({
  gap_id: id,
  machine_identifier: machine.slice(0, 255),
  metric_name: metric.slice(0, 255),
  unit: unit.slice(0, 255),
  from: new Date(fromAt).toISOString(),
  to: new Date(toAt).toISOString(),
  count,
  reason,
})
