-- Metrics that a user wants to see first on the overview. A hub of the version before does not read them.

ALTER TABLE "users" ADD COLUMN "pinned_metrics" text[] DEFAULT '{}' NOT NULL;
