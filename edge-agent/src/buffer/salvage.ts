import { crc32 } from 'node:zlib'
import Sqlite, { type Database } from 'better-sqlite3'
import { copyCheckpoints } from './checkpoints.ts'
import { tryDecodeColumns } from './chunk.ts'
import { Gaps } from './gaps.ts'
import { isPoll } from './poll.ts'
import { SeriesDictionary } from './series-dictionary.ts'

export interface Salvaged {
  /** readings that the new buffer has */
  readings: number
  /** readings that were on disk and cannot be read; null: nobody knows how many there were */
  lost: number | null
}

/** The agent collects nothing meanwhile. */
const SALVAGE_MS = 8_000
const ROWS_AT_ONCE = 200

interface Table {
  name: string
  key: string
  columns: readonly string[]
  /** the first version of the buffer that has all of these columns */
  since: number
}

/** Small tables, of which every readable row is copied. Series first: polls name them by number. */
const TABLES: readonly Table[] = [
  { name: 'series', key: 'id', columns: ['id', 'machine', 'metric', 'unit', 'raw_tag'], since: 2 },
  { name: 'clock_epochs', key: 'first_chunk_id', columns: ['first_chunk_id', 'boot_id', 'anchor_ms', 'offset_ms'], since: 4 },
  { name: 'doubtful', key: 'id', columns: ['id'], since: 2 },
  { name: 'dead_letters', key: 'id', columns: ['id', 'parked_at', 'code', 'reason', 'count', 'body'], since: 1 },
  {
    name: 'gaps',
    key: 'rowid',
    columns: ['id', 'machine', 'metric', 'unit', 'reason', 'from_at', 'to_at', 'count', 'is_sealed', 'collector'],
    since: 3,
  },
  {
    name: 'open_gaps',
    key: 'rowid',
    columns: ['collector', 'key', 'machine', 'metric', 'unit', 'reason', 'from_at', 'to_at', 'count', 'step_ms'],
    since: 6,
  },
]

/**
 * Copies what can still be read of a damaged buffer into a new one, under the same ids: chunks whose checksum is right and whose series are
 * known, dead letters and gaps. What is lost becomes a gap. Pages that cannot be read are skipped.
 * @param file the damaged buffer, moved aside
 * @param into an empty buffer of the newest version
 * @param now Unix ms
 */
export function salvage(file: string, into: Database, now: number): Salvaged {
  let damaged: Database
  let version: number
  try {
    damaged = new Sqlite(file, { readonly: true })
    version = damaged.pragma('user_version', { simple: true }) as number
  } catch {
    return { readings: 0, lost: null }
  }
  try {
    const deadline = performance.now() + SALVAGE_MS
    for (const table of TABLES) if (version >= table.since && hasTable(damaged, table.name)) copy(damaged, into, table, deadline)
    salvageCheckpoints(damaged, into)
    const columns = ['id', 'appended_at', 'count', 'crc', 'body', ...(version >= 4 ? ['keeps_time'] : [])]
    const dictionary = new SeriesDictionary(into)
    // Polls refer to series by number. New series would get the number of one whose name is lost, and with it the readings.
    const isWhole = ({ body, crc }: Row) =>
      crc32(body as Buffer) === crc && (!isPoll(body as Buffer) || tryDecodeColumns(body as Buffer, dictionary) !== null)
    copy(damaged, into, { name: 'chunks', key: 'id', columns, since: 1 }, deadline, isWhole)
    const readings = sum(into, 'chunks')
    const before = counters(damaged)
    const lost = before ? Math.max(0, (before.get('buffered') ?? 0) - readings) : null
    const set = into.prepare('UPDATE counters SET value = ? WHERE name = ?')
    into.transaction(() => {
      set.run(readings, 'buffered')
      set.run(sum(into, 'dead_letters'), 'dead_letters')
      for (const name of ['dropped', 'dead_letters_dropped']) set.run(before?.get(name) ?? 0, name)
      if (!lost) return
      const gaps = new Gaps()
      gaps.noteUnknown(lost, now)
      gaps.write(into)
    })()
    return { readings, lost }
  } finally {
    damaged.close()
  }
}

/** All or none: what is read again from an older place is stored once, because its timestamps are the same. */
function salvageCheckpoints(damaged: Database, into: Database): void {
  try {
    copyCheckpoints(damaged, into)
  } catch {
    into.exec('DELETE FROM checkpoints')
  }
}

/** Some tables came without a new version, because older agents leave them alone. */
function hasTable(damaged: Database, name: string): boolean {
  try {
    return damaged.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined
  } catch {
    return false
  }
}

const sum = (db: Database, table: string): number =>
  db.prepare<[], number>(`SELECT coalesce(sum(count), 0) FROM ${table}`).pluck().get() as number

function counters(damaged: Database): Map<string, number> | null {
  try {
    const rows = damaged.prepare<[], { name: string; value: number }>('SELECT name, value FROM counters').all()
    return new Map(rows.map(({ name, value }) => [name, value]))
  } catch {
    return null
  }
}

type Row = Record<string, unknown>

/** Copies the readable rows of a table in the order of its key. */
function copy(damaged: Database, into: Database, table: Table, deadline: number, isWhole = (_: Row) => true): void {
  const { name, key, columns } = table
  const list = columns.join(', ')
  const insert = into.prepare(
    `INSERT OR IGNORE INTO ${name} (${list}) VALUES (${columns.map((column) => `@${column}`).join(', ')})`,
  )
  let after = Number.MIN_SAFE_INTEGER
  let step = 1
  const last = lastKey(damaged, table)
  while (after < last && performance.now() < deadline) {
    const rows: Row[] = []
    let isReadable = true
    try {
      const select = damaged.prepare<[number], Row & { salvage_key: number }>(
        `SELECT ${key} AS salvage_key, ${list} FROM ${name} WHERE ${key} > ? ORDER BY ${key} LIMIT ${ROWS_AT_ONCE}`,
      )
      for (const { salvage_key, ...row } of select.iterate(after)) {
        rows.push(row)
        after = salvage_key
      }
      if (rows.length === 0) return
      step = 1
    } catch {
      isReadable = false
    }
    into.transaction(() => {
      for (const row of rows) if (isWhole(row)) insert.run(row)
    })()
    if (isReadable) continue
    // The next row lies on a page that cannot be read: what lies behind it is looked for in growing steps.
    after = Math.max(after, 0) + step
    step = Math.min(2 * step, 1_024)
  }
}

/** The greatest key, or a bound of it where that cannot be read. */
function lastKey(damaged: Database, { name, key }: Table): number {
  try {
    return damaged.prepare<[], number | null>(`SELECT max(${key}) FROM ${name}`).pluck().get() ?? 0
  } catch {
    return sequence(damaged, name)
  }
}

function sequence(damaged: Database, name: string): number {
  try {
    return damaged.prepare<[string], number>('SELECT seq FROM sqlite_sequence WHERE name = ?').pluck().get(name) ?? 100_000
  } catch {
    return 100_000
  }
}
