-- From here on the body of a chunk may also be a poll (poll.ts).
CREATE TABLE series (
  id INTEGER PRIMARY KEY,               -- what polls among the chunks call it
  machine TEXT NOT NULL, metric TEXT NOT NULL, unit TEXT NOT NULL,
  raw_tag TEXT NOT NULL                 -- '' for none
) STRICT;
CREATE UNIQUE INDEX series_names ON series (machine, metric, unit, raw_tag);
CREATE TABLE doubtful (id INTEGER PRIMARY KEY) STRICT; -- chunks that were sent without a word coming back
