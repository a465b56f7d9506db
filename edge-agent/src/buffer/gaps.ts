import { randomUUID } from 'node:crypto'
import type { GapRecord, MissedPollReason, MissedPollRecord, Reading, ReadingColumns, Series } from '@haltless/protocol'
import type { Database } from 'better-sqlite3'

export type DropReason = GapRecord['reason']

interface Span extends Pick<Reading, 'machine' | 'metric' | 'unit'> {
  /** of missed polls; '' for dropped readings */
  collector: string
  reason: DropReason | MissedPollReason
  fromAt: number
  toAt: number
  count: number
}

interface GapRow extends Span {
  id: string
}

/** Polls of a collector that brought nothing. */
export interface MissedPollGap extends Omit<Span, 'metric' | 'reason'> {
  /** null: of all tags */
  metric: string | null
  reason: MissedPollReason
  /** which polls of the collector: gaps of one machine, metric and reason may overlap */
  key: string
  /** false: a later report of the same collector, key and machine replaces this one */
  isOver: boolean
  /** how often a poll goes on to miss, ms; 0: none does */
  stepMs: number
}

interface OpenSpan extends Span {
  key: string
  stepMs: number
}

/** What the hub is told and confirms, at most 200 of both together. */
export interface GapReport {
  dropped: GapRecord[]
  missed: MissedPollRecord[]
}

/**
 * Counts dropped readings and missed polls by series and time span. Gaps are written in the transaction of the drop. If the disk accepts no write,
 * they stay in memory until one succeeds.
 *
 * ```
 * noted (memory) -> open (a row that grows) -> sealed (sent to the hub, does not grow) -> deleted (acknowledged by the hub)
 * ```
 * Missed polls that may go on are rows of `open_gaps` until they are over. What they grew by before a crash follows from how often a poll missed.
 */
export class Gaps {
  #noted = new Map<string, Span>()
  #notedCount = 0
  /** missed polls that may go on, by collector, key and machine */
  readonly #ongoing = new Map<string, OpenSpan>()
  /** those of them that the disk does not have as they are, and those that are over; the values are their rows */
  #changed = new Map<string, { row: OpenSpan; isOver: boolean }>()

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
        spans.set(index, { collector: '', machine, metric, unit, reason, fromAt: at, toAt: at, count: 1 })
      }
    }
    for (const span of spans.values()) this.#addDropped(span)
  }

  /** Notes polls that brought nothing, as far as they are known. */
  noteMissed({ isOver, ...gap }: MissedPollGap): void {
    const row = { ...gap, metric: gap.metric ?? '' }
    const key = JSON.stringify([row.collector, row.key, row.machine])
    this.#changed.set(key, { row, isOver })
    if (!isOver) {
      this.#ongoing.set(key, row)
      return
    }
    this.#ongoing.delete(key)
    if (row.count > 0) this.#add(row)
  }

  /** Whether missed polls may go on. */
  get hasOngoing(): boolean {
    return this.#ongoing.size > 0
  }

  /** As {@link correctGaps}, for what is known of missed polls that may go on. */
  correctOngoing(offsetMs: number): void {
    for (const row of this.#ongoing.values()) {
      row.fromAt += offsetMs
      row.toAt += offsetMs
    }
  }

  /** Another database is open: it may lack those that go on. */
  rewriteOngoing(): void {
    for (const [key, row] of this.#ongoing) this.#changed.set(key, { row, isOver: false })
  }

  /** Notes readings whose names and timestamps cannot be read any more; they arrived at `at`. */
  noteUnknown(count: number, at: number): void {
    const names = { collector: '', machine: 'unknown', metric: 'unknown', unit: 'unknown' }
    this.#addDropped({ ...names, reason: 'damaged', fromAt: at, toAt: at, count })
  }

  #addDropped(more: Span): void {
    this.#add(more)
    this.#notedCount += more.count
  }

  #add(more: Span): void {
    const key = keyOf(more)
    const span = this.#noted.get(key)
    if (span) widen(span, more)
    else {
      const { collector, machine, metric, unit, reason, fromAt, toAt, count } = more
      this.#noted.set(key, { collector, machine, metric, unit, reason, fromAt, toAt, count })
    }
  }

  /** Whether something is noted and not yet written. */
  get isEmpty(): boolean {
    return this.#noted.size === 0 && this.#changed.size === 0
  }

  /** Dropped readings noted and not yet written. */
  get notedCount(): number {
    return this.#notedCount
  }

  /** Writes what is noted; inside a transaction. Call {@link written} once that has committed. */
  write(db: Database): void {
    if (this.#changed.size > 0) writeOngoing(db, this.#changed.values())
    if (this.#noted.size === 0) return
    const grow = db.prepare(
      `INSERT INTO gaps (id, machine, collector, metric, unit, reason, from_at, to_at, count)
       VALUES (@id, @machine, @collector, @metric, @unit, @reason, @fromAt, @toAt, @count)
       ON CONFLICT (machine, collector, metric, unit, reason) WHERE is_sealed = 0 DO UPDATE SET
         from_at = min(from_at, excluded.from_at), to_at = max(to_at, excluded.to_at), count = count + excluded.count`,
    )
    for (const span of this.#noted.values()) grow.run({ id: randomUUID(), ...span })
    db.prepare(`UPDATE counters SET value = value + ? WHERE name = 'dropped'`).run(this.#notedCount)
  }

  written(): void {
    this.#noted = new Map()
    this.#changed = new Map()
    this.#notedCount = 0
  }
}

const keyOf = ({ machine, collector, metric, unit, reason }: Span): string =>
  JSON.stringify([machine, collector, metric, unit, reason])

/** Not where an older agent may have to read the file again: then they come to the disk when they are over. */
const keepsOngoing = (db: Database): boolean =>
  db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'open_gaps'").get() !== undefined

function writeOngoing(db: Database, changed: Iterable<{ row: OpenSpan; isOver: boolean }>): void {
  if (!keepsOngoing(db)) return
  const put = db.prepare(
    `INSERT OR REPLACE INTO open_gaps (collector, key, machine, metric, unit, reason, from_at, to_at, count, step_ms)
     VALUES (@collector, @key, @machine, @metric, @unit, @reason, @fromAt, @toAt, @count, @stepMs)`,
  )
  const remove = db.prepare('DELETE FROM open_gaps WHERE collector = @collector AND key = @key AND machine = @machine')
  for (const { row, isOver } of changed) (isOver ? remove : put).run(row)
}

/** No missed polls go on for longer before they are over (see collectors/missed-polls.ts): a clock was wrong. */
const MAX_ONGOING_MS = 2 * 3_600_000

/**
 * What the agent before this one did not end becomes gaps, grown until it last ran; inside a transaction.
 */
export function endOngoing(db: Database): void {
  if (!keepsOngoing(db)) return
  const until = db.prepare<[], number>('SELECT at FROM last_alive').pluck().get() ?? 0
  const rows = db
    .prepare<[], OpenSpan>(
      `SELECT collector, key, machine, metric, unit, reason, from_at AS fromAt, to_at AS toAt, count, step_ms AS stepMs FROM open_gaps`,
    )
    .all()
  const gaps = new Gaps()
  for (const row of rows) {
    const end = Math.min(until, row.fromAt + MAX_ONGOING_MS)
    const more = row.stepMs > 0 ? Math.max(0, Math.floor((end - row.toAt) / row.stepMs)) : 0
    const toAt = Math.round(row.toAt + more * row.stepMs)
    gaps.noteMissed({ ...row, reason: row.reason as MissedPollReason, toAt, count: row.count + more, stepMs: 0, isOver: true })
  }
  gaps.write(db)
}

/** The agent writes those that go on again; inside a transaction. */
export function dropOngoing(db: Database): void {
  if (keepsOngoing(db)) db.exec('DELETE FROM open_gaps')
}

/** The agent runs at this instant, Unix ms; inside a transaction. */
export function writeAlive(db: Database, at: number): void {
  if (keepsOngoing(db)) db.prepare('UPDATE last_alive SET at = ?').run(at)
}

function widen(span: Span, more: Pick<Span, 'fromAt' | 'toAt' | 'count'>): void {
  span.fromAt = Math.min(span.fromAt, more.fromAt)
  span.toAt = Math.max(span.toAt, more.toAt)
  span.count += more.count
}

export const isAnyGap = (db: Database): boolean => db.prepare('SELECT 1 FROM gaps LIMIT 1').get() !== undefined

/** The gaps on disk do not grow any more; inside a transaction. */
export const sealGaps = (db: Database): void => void db.exec('UPDATE gaps SET is_sealed = 1 WHERE is_sealed = 0')

/** Corrects the times of gaps that still grow, on disk, by the clock that has dated them; inside a transaction. */
export function correctGaps(db: Database, offsetMs: number): void {
  const correct = 'SET from_at = from_at + @offsetMs, to_at = to_at + @offsetMs'
  db.prepare(`UPDATE gaps ${correct} WHERE is_sealed = 0`).run({ offsetMs })
  if (!keepsOngoing(db)) return
  db.prepare(`UPDATE open_gaps ${correct}`).run({ offsetMs })
  db.prepare('UPDATE last_alive SET at = at + @offsetMs').run({ offsetMs })
}

/**
 * The oldest gaps that the hub has not confirmed, at most `limit`; from now on they do not grow.
 * @param isSettled false: those that still grow are left out, because their times may be corrected
 */
export function closeGaps(db: Database, limit: number, isSettled: boolean): GapReport {
  return db.transaction(() => {
    const select = `SELECT id FROM gaps ORDER BY is_sealed DESC, from_at, id LIMIT ${limit}`
    if (isSettled) db.exec(`UPDATE gaps SET is_sealed = 1 WHERE is_sealed = 0 AND id IN (${select})`)
    const rows = db
      .prepare<[], GapRow>(
        `SELECT *, from_at AS fromAt, to_at AS toAt FROM gaps WHERE is_sealed = 1 ORDER BY from_at, id LIMIT ${limit}`,
      )
      .all()
    return {
      dropped: rows.filter(({ collector }) => collector === '').map(toGapRecord),
      missed: rows.filter(({ collector }) => collector !== '').map(toMissedPollRecord),
    }
  })()
}

/** Dropped readings that the hub has not confirmed, for the status command: also in a buffer that an older agent wrote. */
export const listGaps = (db: Database, limit: number): GapRecord[] =>
  db
    .prepare<[], GapRow>(
      `SELECT id, machine, metric, unit, reason, from_at AS fromAt, to_at AS toAt, count FROM gaps
       WHERE reason IN ('disk_full', 'age_limit', 'damaged') ORDER BY from_at, id LIMIT ${limit}`,
    )
    .all()
    .map(toGapRecord)

/** Deletes gaps that the hub has stored. */
export function deleteGaps(db: Database, ids: readonly string[]): void {
  const remove = db.prepare('DELETE FROM gaps WHERE id = ?')
  db.transaction(() => {
    for (const id of ids) remove.run(id)
  })()
}

const toGapRecord = ({ id, machine, metric, unit, reason, fromAt, toAt, count }: GapRow): GapRecord => ({
  gap_id: id,
  machine_identifier: machine.slice(0, 255),
  metric_name: metric.slice(0, 255),
  unit: unit.slice(0, 255),
  from: new Date(fromAt).toISOString(),
  to: new Date(toAt).toISOString(),
  count,
  reason: reason as DropReason,
})

const toMissedPollRecord = (row: GapRow): MissedPollRecord => ({
  ...toGapRecord(row),
  collector: row.collector.slice(0, 255),
  ...(row.metric === '' && { metric_name: null, unit: null }),
  reason: row.reason as MissedPollReason,
})
