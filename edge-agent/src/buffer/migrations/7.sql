-- Missed polls that may go on. They become gaps when they are over, or when the agent starts again after a crash (gaps.ts).
CREATE TABLE open_gaps (
  collector TEXT NOT NULL,
  key TEXT NOT NULL,                    -- which polls of the collector
  machine TEXT NOT NULL, metric TEXT NOT NULL, unit TEXT NOT NULL,
  reason TEXT NOT NULL,
  from_at INTEGER NOT NULL, to_at INTEGER NOT NULL,
  count INTEGER NOT NULL,
  step_ms REAL NOT NULL                 -- how often a poll goes on to miss; 0: none does
) STRICT;
CREATE UNIQUE INDEX open_gaps_names ON open_gaps (collector, key, machine);
-- When the agent last ran, Unix ms, written while there are open gaps; one row.
CREATE TABLE last_alive (at INTEGER NOT NULL) STRICT;
INSERT INTO last_alive VALUES (0);
