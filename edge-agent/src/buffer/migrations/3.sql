-- Missed polls are gaps of a collector: metric and unit are '' for all of its tags. Dropped readings have no collector.
ALTER TABLE gaps ADD COLUMN collector TEXT NOT NULL DEFAULT '';
DROP INDEX gaps_open;
CREATE UNIQUE INDEX gaps_open ON gaps (machine, collector, metric, unit, reason) WHERE is_sealed = 0;
