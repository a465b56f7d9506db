import { crc32 } from 'node:zlib'
import Sqlite, { type Database } from 'better-sqlite3'
import { copyCheckpoints } from './checkpoints.ts'
import { decodeStoredBatch, packBatches, packPolls, shiftTimestamps, tryDecodeColumns } from './chunk.ts'
import type { ClockEpochs } from './clock-epochs.ts'
import { migrate } from './migrations.ts'
import { isPoll } from './poll.ts'
import { SeriesDictionary } from './series-dictionary.ts'

/** What a buffer may hold in memory while its disk cannot be used: a day of 100 tags a second. */
export const MEMORY_BYTES = 64 * 1_048_576

/** An empty buffer in memory. */
export function openMemoryDatabase(): Database {
  const db = new Sqlite(':memory:')
  migrate(db)
  db.pragma(`max_page_count = ${MEMORY_BYTES / (db.pragma('page_size', { simple: true }) as number)}`)
  return db
}

interface ChunkRow {
  id: number
  appended_at: number
  count: number
  body: Buffer
  keeps_time: number
}

/**
 * Copies everything from a buffer in memory behind what a buffer on disk holds; inside a transaction on the latter. Timestamps whose correction
 * is settled are corrected, the others get that of the clock of now.
 * @param epochs of the buffer in memory
 */
export function copyBehind(memory: Database, disk: Database, epochs: Pick<ClockEpochs, 'offsetOf' | 'begin'>): void {
  epochs.begin(disk)
  const [from, into] = [new SeriesDictionary(memory), new SeriesDictionary(disk)]
  const insert = disk.prepare('INSERT INTO chunks (appended_at, count, crc, body, keeps_time) VALUES (?, ?, ?, ?, ?)')
  for (const row of memory.prepare<[], ChunkRow>('SELECT * FROM chunks ORDER BY id').iterate()) {
    const offset = epochs.offsetOf(row)
    const at = row.appended_at + (offset ?? 0)
    const keepsTime = offset === null ? 0 : 1
    if (!isPoll(row.body) && !offset) {
      insert.run(at, row.count, crc32(row.body), row.body, keepsTime)
      continue
    }
    const columns = isPoll(row.body) ? tryDecodeColumns(row.body, from) : decodeStoredBatch(row.body)
    if (!columns) continue
    const shifted = shiftTimestamps(columns, offset ?? 0)
    const chunks = isPoll(row.body) ? packPolls([shifted], into) : packBatches(shifted)
    for (const { count, body } of chunks) insert.run(at, count, crc32(body), body, keepsTime)
  }
  copyCheckpoints(memory, disk)
  copyRows(memory, disk, 'dead_letters', ['parked_at', 'code', 'reason', 'count', 'body'])
  copyRows(memory, disk, 'gaps', [
    'id',
    'machine',
    'collector',
    'metric',
    'unit',
    'reason',
    'from_at',
    'to_at',
    'count',
    'is_sealed',
  ])
  const add = disk.prepare('UPDATE counters SET value = value + ? WHERE name = ?')
  for (const { name, value } of memory.prepare<[], { name: string; value: number }>('SELECT name, value FROM counters').all())
    add.run(value, name)
}

/** Gaps grow where the disk has an open one of the same series. */
function copyRows(memory: Database, disk: Database, table: 'dead_letters' | 'gaps', columns: readonly string[]): void {
  const grow =
    table === 'gaps'
      ? `ON CONFLICT (machine, collector, metric, unit, reason) WHERE is_sealed = 0 DO UPDATE SET
           from_at = min(from_at, excluded.from_at), to_at = max(to_at, excluded.to_at), count = count + excluded.count`
      : ''
  const values = columns.map((column) => `@${column}`).join(', ')
  const insert = disk.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values}) ${grow}`)
  for (const row of memory.prepare(`SELECT ${columns.join(', ')} FROM ${table} ORDER BY rowid`).iterate()) insert.run(row)
}
