import { crc32 } from 'node:zlib'
import { type DeadLetterGroup, type Reading, type ReadingBatch, type Rejection, toColumns, toReadings } from '@haltless/protocol'
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
  /** null: the stored row is damaged */
  reading: Reading | null
}

interface DeadLetterRow {
  id: number
  parked_at: number
  code: string
  reason: string
  count: number
  body: Buffer
}

/** The code of readings that no hub can accept: a name or a number that the wire format cannot carry. */
const UNSENDABLE = 'unsendable'
/** The code of readings of a machine that the hub does not know. */
const UNKNOWN_MACHINE = 'unknown_machine'
/** Rows that one transaction puts back, each with up to 1,000 readings. */
const REQUEUED_AT_ONCE = 20
/** Reasons in one heartbeat. */
const MAX_GROUPS = 20

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
  park(db, told, UNSENDABLE, 'the collector gave a value, a timestamp or a name that cannot be sent', at)
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

/** How far a requeue has come. */
export interface Requeue {
  /** readings that were put back */
  count: number
  /** the last row that was considered */
  throughId: number
  isDone: boolean
}

/** The newest row: a requeue ends there, so that readings that are rejected again meanwhile do not return again. */
export const newestDeadLetter = (db: Database): number =>
  db.prepare<[], number | null>('SELECT max(id) FROM dead_letters').pluck().get() ?? 0

/**
 * Puts a portion of the dead letters back among the readings to be sent; inside a transaction. Those that cannot be sent stay.
 * @param afterId 0, then `throughId` of the portion before
 * @param toId {@link newestDeadLetter} at the beginning
 */
export function requeuePortion(db: Database, afterId: number, toId: number, at: number): Requeue {
  const rows = db
    .prepare<[number, number, number], DeadLetterRow>(
      'SELECT id, code, count, body FROM dead_letters WHERE id > ? AND id <= ? ORDER BY id LIMIT ?',
    )
    .all(afterId, toId, REQUEUED_AT_ONCE)
  const insert = db.prepare('INSERT INTO chunks (appended_at, count, crc, body, keeps_time) VALUES (?, ?, ?, ?, 1)')
  const remove = db.prepare('DELETE FROM dead_letters WHERE id = ?')
  let count = 0
  for (const row of rows) {
    if (row.code === UNSENDABLE || !isReadable(row.body)) continue
    insert.run(at, row.count, crc32(row.body), row.body)
    remove.run(row.id)
    count += row.count
  }
  const add = db.prepare('UPDATE counters SET value = value + ? WHERE name = ?')
  add.run(count, 'buffered')
  add.run(-count, 'dead_letters')
  return { count, throughId: rows.at(-1)?.id ?? toId, isDone: rows.length < REQUEUED_AT_ONCE }
}

function isReadable(body: Buffer): boolean {
  try {
    decodeStoredBatch(body)
    return true
  } catch {
    return false
  }
}

/** Why readings were rejected, the most frequent reasons first. */
export function groupDeadLetters(db: Database): DeadLetterGroup[] {
  const rows = db
    .prepare<[number], { code: string; reason: string; count: number; first: number; last: number; id: number }>(
      `SELECT code, reason, sum(count) AS count, min(parked_at) AS first, max(parked_at) AS last, max(id) AS id FROM dead_letters
       GROUP BY code, reason ORDER BY sum(count) DESC, code, reason LIMIT ?`,
    )
    .all(MAX_GROUPS)
  const bodyOf = db.prepare<[number], { body: Buffer }>('SELECT body FROM dead_letters WHERE id = ?')
  return rows.map(({ code, reason, count, first, last, id }) => ({
    code: code.slice(0, 100),
    reason: reason.slice(0, 500),
    ...(code === UNKNOWN_MACHINE && machineIn(bodyOf.get(id)?.body)),
    count,
    first_at: new Date(first).toISOString(),
    last_at: new Date(last).toISOString(),
  }))
}

/** The machine of readings that were rejected for one reason, which names it. */
function machineIn(body: Buffer | undefined): { machine_identifier?: string } {
  const [reading] = body && isReadable(body) ? toReadings(decodeStoredBatch(body)) : []
  return reading ? { machine_identifier: reading.machine } : {}
}

/** The newest dead letters, newest first. */
export function listDeadLetters(db: Database, limit: number): DeadLetter[] {
  const letters: DeadLetter[] = []
  for (const row of db.prepare<[], DeadLetterRow>('SELECT * FROM dead_letters ORDER BY id DESC').iterate()) {
    const readings = isReadable(row.body) ? toReadings(decodeStoredBatch(row.body)).reverse() : [null]
    for (const reading of readings) {
      if (letters.length >= limit) return letters
      letters.push({ parkedAt: row.parked_at, code: row.code, reason: row.reason, reading })
    }
  }
  return letters
}
