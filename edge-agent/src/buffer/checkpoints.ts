import type { ReadingColumns } from '@haltless/protocol'
import type { Database } from 'better-sqlite3'
import type { MissedPollGap } from './gaps.ts'

/** How far a collector has read something that can be read again. `state` is the collector's own; null forgets the key. */
export interface Checkpoint {
  key: string
  state: string | null
}

/** Readings of a source that can be read again, and how far it has been read with them. Either all of it is stored, or nothing. */
export interface CheckpointedReadings {
  collector: string
  /** may have none: lines without a reading were read too */
  readings: ReadingColumns
  checkpoints: readonly Checkpoint[]
  /** the timestamps are those of the source and right as they are; false: the clock of the agent dated the readings */
  hasOwnTime: boolean
  /** what was left out on the way there */
  missed?: readonly MissedPollGap[]
}

interface Row {
  collector: string
  key: string
  state: string
}

/** Writes checkpoints; inside the transaction of their readings. */
export function writeCheckpoints(db: Database, collector: string, checkpoints: readonly Checkpoint[]): void {
  for (const { key, state } of checkpoints) {
    if (state === null) db.prepare('DELETE FROM checkpoints WHERE collector = ? AND key = ?').run(collector, key)
    else upsert(db).run({ collector, key, state })
  }
}

export const readCheckpoints = (db: Database, collector: string): Map<string, string> =>
  new Map(
    db
      .prepare<[string], Row>('SELECT key, state FROM checkpoints WHERE collector = ? ORDER BY key')
      .all(collector)
      .map(({ key, state }) => [key, state]),
  )

/** Brings the checkpoints of another buffer over; inside a transaction. */
export function copyCheckpoints(from: Database, into: Database): void {
  const insert = upsert(into)
  for (const row of from.prepare<[], Row>('SELECT collector, key, state FROM checkpoints').iterate()) insert.run(row)
}

const upsert = (db: Database) =>
  db.prepare<[Row]>(
    `INSERT INTO checkpoints (collector, key, state) VALUES (@collector, @key, @state)
     ON CONFLICT (collector, key) DO UPDATE SET state = excluded.state`,
  )
