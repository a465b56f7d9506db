import { type Reading, type ReadingBatch, type Rejection, toColumns, toReadings } from '@haltless/protocol'
import type { Database } from 'better-sqlite3'
import { decodeStoredBatch, packBatches } from './chunk.ts'

/** A reading that the hub will not take, and why. */
export interface DeadLetter {
  /** Unix ms */
  parkedAt: number
  /** stable, such as `machine_not_found` */
  code: string
  /** a sentence */
  reason: string
  reading: Reading
}

interface DeadLetterRow {
  id: number
  parked_at: number
  code: string
  reason: string
  count: number
  body: Buffer
}

/** Parks readings that share one reason; inside a transaction. */
function park(db: Database, readings: readonly Reading[], code: string, reason: string, at: number): void {
  const insert = db.prepare('INSERT INTO dead_letters (parked_at, code, reason, count, body) VALUES (?, ?, ?, ?, ?)')
  for (const { count, body } of packBatches(toColumns(readings))) insert.run(at, code, reason, count, body)
  db.prepare(`UPDATE counters SET value = value + ? WHERE name = 'dead_letters'`).run(readings.length)
}

/** Parks what a receipt rejects by index, one row per reason; inside a transaction. */
export function parkRejections(
  db: Database,
  batch: ReadingBatch,
  errors: readonly Omit<Rejection, 'machine_identifier'>[],
  at: number,
): void {
  const readings = toReadings(batch)
  const byReason = new Map<string, { code: string; error: string; readings: Reading[] }>()
  for (const { index, code, error } of errors) {
    const key = JSON.stringify([code, error])
    const group = byReason.get(key) ?? { code, error, readings: [] }
    group.readings.push(readings[index] as Reading)
    byReason.set(key, group)
  }
  for (const group of byReason.values()) park(db, group.readings, group.code, group.error, at)
}

/** Parks what could never be sent. It cannot be packed either: its names stay as far as they can, the rest is replaced. */
export function parkUnsendable(db: Database, readings: readonly Reading[], at: number): void {
  const told = readings.map(({ machine, metric, unit, rawTag }) => ({
    machine: printable(machine),
    metric: printable(metric),
    unit: printable(unit),
    rawTag: rawTag === null ? null : printable(rawTag),
    timestamp: at,
    value: 0,
  }))
  park(db, told, 'unsendable', 'the collector gave a value, a timestamp or a name that cannot be sent', at)
}

const printable = (text: string): string => text.toWellFormed().replaceAll('\0', '').slice(0, 255) || '?'

/** Drops the oldest dead letters until they take at most `maxBytes`, and counts them; inside a transaction. */
export function deleteOldestDeadLetters(db: Database, maxBytes: number): void {
  const total = db.prepare<[], number>('SELECT coalesce(sum(length(body)), 0) FROM dead_letters').pluck()
  const oldest = db.prepare<[], DeadLetterRow>('SELECT id, count FROM dead_letters ORDER BY id LIMIT 1')
  while ((total.get() as number) > maxBytes) {
    const row = oldest.get() as DeadLetterRow
    db.prepare('DELETE FROM dead_letters WHERE id = ?').run(row.id)
    db.prepare(`UPDATE counters SET value = value - ? WHERE name = 'dead_letters'`).run(row.count)
    db.prepare(`UPDATE counters SET value = value + ? WHERE name = 'dead_letters_dropped'`).run(row.count)
  }
}

/** The newest dead letters, newest first. */
export function listDeadLetters(db: Database, limit: number): DeadLetter[] {
  const letters: DeadLetter[] = []
  for (const row of db.prepare<[], DeadLetterRow>('SELECT * FROM dead_letters ORDER BY id DESC').iterate()) {
    for (const reading of toReadings(decodeStoredBatch(row.body)).reverse()) {
      if (letters.length >= limit) return letters
      letters.push({ parkedAt: row.parked_at, code: row.code, reason: row.reason, reading })
    }
  }
  return letters
}
