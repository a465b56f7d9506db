import type { Database, Statement } from 'better-sqlite3'
import { isDiskFullError } from '../support/disk-errors.ts'
import { shiftTimestamps, tryDecodeColumns } from './chunk.ts'
import type { ClockEpochs } from './clock-epochs.ts'
import { type DropReason, Gaps } from './gaps.ts'
import { SeriesDictionary } from './series-dictionary.ts'

interface Row {
  id: number
  appended_at: number
  count: number
  body: Buffer
  keeps_time: number
}

type Epochs = Pick<ClockEpochs, 'offsetOf' | 'ageOf'>

/** Chunks dropped in one transaction: enough to get ahead of what arrives. */
const CHUNKS_AT_ONCE = 16

/** What is in use of the database file, bytes; pages of deleted rows are free for new ones. */
export function usedBytes(db: Database): number {
  let statement = usedBytesOf.get(db)
  if (!statement) {
    statement = db
      .prepare<[], number>(
        'SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size',
      )
      .pluck()
    usedBytesOf.set(db, statement)
  }
  return statement.get() as number
}

/** Every append reads it, so the statement is prepared once per open database. */
const usedBytesOf = new WeakMap<Database, Statement<[], number>>()

/**
 * Drops the oldest chunks of those that are not to be kept; the gap is written in the same transaction, and where that takes more room than a
 * few chunks give, more of them go.
 * @returns readings dropped
 */
export function dropOldest(db: Database, epochs: Epochs, isKept: (id: number) => boolean): number {
  for (let chunks = CHUNKS_AT_ONCE; ; chunks *= 4) {
    const rows = free(db, isKept, () => true, chunks)
    try {
      return drop(db, epochs, rows, 'disk_full')
    } catch (error) {
      if (!isDiskFullError(error) || rows.length < chunks) throw error
    }
  }
}

/**
 * Drops every chunk that waits for longer than `maxAgeMs`. Chunks of a clock whose offset is not settled stay, unless it is the one that `now` is
 * from: their age is unknown, and a clock that began in 1970 makes it look like decades.
 * @param now of the clock that dates what is appended
 * @returns readings dropped
 */
export function dropOlderThan(
  db: Database,
  epochs: Epochs,
  now: number,
  maxAgeMs: number,
  isKept: (id: number) => boolean,
): number {
  let dropped = 0
  const isOld = (row: Row) => {
    const age = epochs.ageOf(row, row.appended_at, now)
    return age !== null && age > maxAgeMs
  }
  for (let rows = free(db, isKept, isOld); rows.length > 0; rows = free(db, isKept, isOld))
    dropped += drop(db, epochs, rows, 'age_limit')
  return dropped
}

/** Whether a chunk waits for longer than `maxAgeMs`. Those of unknown age do not count; see {@link dropOlderThan}. */
export function isAnyOlderThan(db: Database, epochs: Epochs, now: number, maxAgeMs: number): boolean {
  const oldest = db
    .prepare<[], Pick<Row, 'id' | 'appended_at' | 'keeps_time'>>(
      'SELECT id, appended_at, keeps_time FROM chunks ORDER BY id LIMIT 1',
    )
    .get()
  const age = oldest ? epochs.ageOf(oldest, oldest.appended_at, now) : null
  return age !== null && age > maxAgeMs
}

/** Drops one chunk whose bytes cannot be read any more. */
export const dropDamaged = (db: Database, epochs: Epochs, id: number): number =>
  drop(db, epochs, db.prepare<[number], Row>('SELECT * FROM chunks WHERE id = ?').all(id), 'damaged')

/**
 * The oldest chunks that are old enough, at most `max`. Chunks lie in order of appending, so the first that is not ends the search.
 */
function free(db: Database, isKept: (id: number) => boolean, isOld: (row: Row) => boolean, max = CHUNKS_AT_ONCE): Row[] {
  const rows: Row[] = []
  for (const row of db.prepare<[], Row>('SELECT * FROM chunks ORDER BY id').iterate()) {
    if (rows.length === max || !isOld(row)) break
    if (!isKept(row.id)) rows.push(row)
  }
  return rows
}

function drop(db: Database, epochs: Epochs, rows: readonly Row[], reason: DropReason): number {
  if (rows.length === 0) return 0
  const gaps = new Gaps()
  const dictionary = new SeriesDictionary(db)
  for (const row of rows) {
    const { body, count, appended_at } = row
    const columns = tryDecodeColumns(body, dictionary)
    const offset = epochs.offsetOf(row) ?? 0
    if (columns) gaps.note(shiftTimestamps(columns, offset), reason)
    else gaps.noteUnknown(count, appended_at + offset)
  }
  const dropped = rows.reduce((sum, { count }) => sum + count, 0)
  db.transaction(() => {
    const remove = db.prepare('DELETE FROM chunks WHERE id = ?')
    for (const { id } of rows) remove.run(id)
    db.prepare(`UPDATE counters SET value = value - ? WHERE name = 'buffered'`).run(dropped)
    gaps.write(db)
  })()
  return dropped
}
