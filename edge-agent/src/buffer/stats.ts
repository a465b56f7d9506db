import type { Database } from 'better-sqlite3'
import { usedBytes } from './retention.ts'

export interface BufferStats {
  /** readings on disk, claimed ones included */
  buffered: number
  /** when the oldest of them was appended, Unix ms; null when there are none */
  oldestAt: number | null
  /** readings parked as rejected */
  deadLetters: number
  /** readings dropped since the agent first ran: no space, too old, damaged */
  dropped: number
  /** dead letters dropped for want of space since the agent first ran */
  deadLettersDropped: number
  /** bytes in use on disk */
  usedBytes: number
}

/** Reads the counters that every change keeps up to date in its own transaction; also for another process, while the agent runs. */
export function readStats(db: Database): BufferStats {
  const rows = db.prepare<[], { name: string; value: number }>('SELECT name, value FROM counters').all()
  const counters = new Map(rows.map(({ name, value }) => [name, value]))
  const oldestAt = db.prepare<[], number>(oldestQuery(db)).pluck().get()
  return {
    buffered: counters.get('buffered') ?? 0,
    oldestAt: oldestAt ?? null,
    deadLetters: counters.get('dead_letters') ?? 0,
    dropped: counters.get('dropped') ?? 0,
    deadLettersDropped: counters.get('dead_letters_dropped') ?? 0,
    usedBytes: usedBytes(db),
  }
}

/** When the oldest chunk was appended, by the right time as far as that is known. A buffer of an agent before this one has no epochs. */
const oldestQuery = (db: Database): string =>
  (db.pragma('user_version', { simple: true }) as number) < 4
    ? 'SELECT appended_at FROM chunks ORDER BY id LIMIT 1'
    : `SELECT appended_at + iif(keeps_time, 0, coalesce((SELECT offset_ms FROM clock_epochs WHERE first_chunk_id <= chunks.id
         ORDER BY first_chunk_id DESC LIMIT 1), 0)) FROM chunks ORDER BY id LIMIT 1`
