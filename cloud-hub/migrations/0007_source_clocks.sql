-- How far the clocks of the sources of each collector are off, as agents report it. A hub of the previous version leaves the column empty.

ALTER TABLE "agents" ADD COLUMN "source_clocks" jsonb DEFAULT '{}'::jsonb NOT NULL;