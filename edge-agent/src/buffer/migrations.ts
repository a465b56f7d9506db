import type { Database } from 'better-sqlite3'

/**
 * Statements that migrate the buffer's database from each version to the next; `user_version` counts the applied ones. Forward
 * only.
 */
const MIGRATIONS = [
  `CREATE TABLE chunks (
     id INTEGER PRIMARY KEY AUTOINCREMENT, -- never used twice, so that order is age
     appended_at INTEGER NOT NULL,         -- Unix ms
     count INTEGER NOT NULL,               -- readings in the body
     crc INTEGER NOT NULL,                 -- of the body: SQLite does not notice a flipped bit in a row
     body BLOB NOT NULL                    -- an encoded batch (protocol/vectors)
   ) STRICT;
   CREATE TABLE dead_letters (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     parked_at INTEGER NOT NULL,
     code TEXT NOT NULL,                   -- stable, from the hub's rejection or our own
     reason TEXT NOT NULL,                 -- a sentence
     count INTEGER NOT NULL,
     body BLOB NOT NULL
   ) STRICT;
   CREATE TABLE gaps (
     id TEXT PRIMARY KEY,                  -- UUID, so that the hub counts a gap once however often it is told
     machine TEXT NOT NULL, metric TEXT NOT NULL, unit TEXT NOT NULL,
     reason TEXT NOT NULL,
     from_at INTEGER NOT NULL, to_at INTEGER NOT NULL,
     count INTEGER NOT NULL,
     is_sealed INTEGER NOT NULL DEFAULT 0  -- told to the hub once, so it must not grow any more
   ) STRICT;
   CREATE UNIQUE INDEX gaps_open ON gaps (machine, metric, unit, reason) WHERE is_sealed = 0;
   CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
   INSERT INTO counters VALUES ('buffered', 0), ('dead_letters', 0), ('dropped', 0), ('dead_letters_dropped', 0);`,
  // From here on the body of a chunk may also be a poll (poll.ts)
  `CREATE TABLE series (
     id INTEGER PRIMARY KEY,               -- what polls among the chunks call it
     machine TEXT NOT NULL, metric TEXT NOT NULL, unit TEXT NOT NULL,
     raw_tag TEXT NOT NULL                 -- '' for none
   ) STRICT;
   CREATE UNIQUE INDEX series_names ON series (machine, metric, unit, raw_tag);
   CREATE TABLE doubtful (id INTEGER PRIMARY KEY) STRICT; -- chunks that were sent without a word coming back`,
]

/**
 * Brings the database to the newest version, in one transaction per step.
 * @throws when the database was written by a newer agent: guessing at its tables could lose readings
 */
export function migrate(db: Database): void {
  const version = db.pragma('user_version', { simple: true }) as number
  if (version > MIGRATIONS.length) {
    throw new Error(
      `the buffer was written by a newer agent (version ${version}, this one knows ${MIGRATIONS.length}); update the agent`,
    )
  }
  for (let next = version; next < MIGRATIONS.length; next++) {
    db.transaction(() => {
      db.exec(MIGRATIONS[next] as string)
      db.pragma(`user_version = ${next + 1}`)
    })()
  }
}
