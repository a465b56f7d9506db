import type { Database, Statement } from 'better-sqlite3'
import type { ChunkRow } from './claims.ts'
import { SeriesDictionary } from './series-dictionary.ts'

/** The statements of the hot path, prepared once per open database. */
export interface Statements {
  dictionary: SeriesDictionary
  markUnconfirmed: Statement<[number]>
  /** id of the oldest chunk, null when there is none */
  oldest: Statement<[], number | null>
  /** appended at (Unix ms), readings, CRC-32 of the body, body, 1 where its timestamps are right whatever the clock was */
  insert: Statement<[number, number, number, Uint8Array, number]>
  remove: Statement<[number]>
  /** adds to a counter */
  count: Statement<[number, string]>
  fromId: Statement<[number], ChunkRow>
  beforeId: Statement<[number], ChunkRow>
}

export const prepareStatements = (db: Database): Statements => ({
  dictionary: new SeriesDictionary(db),
  markUnconfirmed: db.prepare<[number]>('INSERT OR IGNORE INTO doubtful VALUES (?)'),
  oldest: db.prepare<[], number | null>('SELECT min(id) FROM chunks').pluck(),
  insert: db.prepare<[number, number, number, Uint8Array, number]>(
    'INSERT INTO chunks (appended_at, count, crc, body, keeps_time) VALUES (?, ?, ?, ?, ?)',
  ),
  remove: db.prepare<[number]>('DELETE FROM chunks WHERE id = ?'),
  count: db.prepare<[number, string]>('UPDATE counters SET value = value + ? WHERE name = ?'),
  fromId: db.prepare<[number], ChunkRow>('SELECT id, count, crc, body, keeps_time FROM chunks WHERE id >= ? ORDER BY id'),
  beforeId: db.prepare<[number], ChunkRow>('SELECT id, count, crc, body, keeps_time FROM chunks WHERE id < ? ORDER BY id'),
})
