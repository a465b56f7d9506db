-- How far collectors have read sources that can be read again, such as files; written in the transaction of the readings (checkpoints.ts).
CREATE TABLE checkpoints (
  collector TEXT NOT NULL, key TEXT NOT NULL,
  state TEXT NOT NULL,                  -- what the collector writes and reads
  PRIMARY KEY (collector, key)
) STRICT, WITHOUT ROWID;
