-- What to add to the timestamps of chunks, from one of them on (clock-epochs.ts). Older chunks are right as they are.
CREATE TABLE clock_epochs (
  first_chunk_id INTEGER PRIMARY KEY,
  boot_id TEXT NOT NULL,                -- of the start of the computer; '' for none
  anchor_ms REAL NOT NULL,              -- what the clock of the readings gives that start, Unix ms
  offset_ms INTEGER                     -- null until it is settled, before the first of the chunks is sent
) STRICT;
-- 1: the timestamps are right whatever the epoch says, because the chunk was sent before (dead letters).
ALTER TABLE chunks ADD COLUMN keeps_time INTEGER NOT NULL DEFAULT 0;
