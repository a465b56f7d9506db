CREATE TABLE chunks (
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
INSERT INTO counters VALUES ('buffered', 0), ('dead_letters', 0), ('dropped', 0), ('dead_letters_dropped', 0);
