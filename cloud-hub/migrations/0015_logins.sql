-- What identifies this database to the hubs that start on it: a fingerprint of their SECRET_KEY (src/db/identity.ts).
create table hub_identity (
  is_only_row boolean primary key default true check (is_only_row),
  secret_key_fingerprint text not null
);
--> statement-breakpoint
-- A hub without the owner's credentials compares what it finds with what it knows. The migrator makes the table before this runs.
grant select on hub_identity to haltless_system;
grant usage on schema drizzle to haltless_system;
grant select on drizzle.__drizzle_migrations to haltless_system;
