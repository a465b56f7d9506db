-- The file that creates this trigger does so where it is missing.
drop trigger machines_changed on machines;
--> statement-breakpoint
-- Applies the files of migrations/functions in the state with this checksum (src/db/sql-functions.ts). A status that a person sets counts as a fact.
-- functions: 1c6ed467722535da657bf6cb24ebd5056a7a0f45225442d2ec77abd9a6788e3f
