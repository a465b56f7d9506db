-- Idempotency keys move from a row each to packed pages by UTC day (features/telemetry/readings/keys).
-- The old table gets another name, so that flushes of a hub of the version before fail, and its senders repeat. Its keys hold until they are 7 days old.
alter table reading_keys rename to legacy_reading_keys;
--> statement-breakpoint
revoke insert on legacy_reading_keys from haltless_ingest;
--> statement-breakpoint
revoke insert, update, delete on legacy_reading_keys from haltless_app;
--> statement-breakpoint
-- Keys as they came: a row for each flush and tenant, 16 bytes a key. `id` ascends in the order of commits, because flushes lock their tenants.
create table reading_key_tail (
  tenant_id uuid not null,
  id bigint generated always as identity,
  -- of the first use
  day date not null,
  keys bytea not null,
  primary key (tenant_id, id)
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0,
  toast.autovacuum_vacuum_scale_factor = 0.05, toast.autovacuum_vacuum_threshold = 2000, toast.autovacuum_vacuum_cost_delay = 0);
--> statement-breakpoint
alter table reading_key_tail alter keys set storage external;
--> statement-breakpoint
-- Sealed keys: a run has 2^bits pages by the first bits of the key. Rows never change, and partitions are dropped with their day.
create table reading_key_pages (
  tenant_id uuid not null,
  day date not null,
  run bigint not null,
  page integer not null,
  keys bytea not null,
  primary key (tenant_id, run, page, day)
) partition by range (day);
--> statement-breakpoint
alter table reading_key_pages alter keys set storage external;
--> statement-breakpoint
create sequence reading_key_filters_id_seq;
--> statement-breakpoint
-- A Bloom filter over some runs of a day (keys/key-filter.ts). Rows never change; several become one.
create table reading_key_filters (
  tenant_id uuid not null,
  id bigint not null,
  day date not null,
  runs bigint[] not null,
  -- of each run
  bits smallint[] not null,
  -- number of keys
  n bigint not null,
  filter bytea not null,
  primary key (tenant_id, id)
);
--> statement-breakpoint
alter table reading_key_filters alter filter set storage external;
--> statement-breakpoint
grant usage on sequence reading_key_filters_id_seq to haltless_system;
--> statement-breakpoint
do $$
declare
  target text;
begin
  foreach target in array array['reading_key_tail', 'reading_key_pages', 'reading_key_filters'] loop
    call build_tenant_wall(target::regclass);
    execute format('revoke insert, update, delete on %I from haltless_app', target);
  end loop;
end $$;
--> statement-breakpoint
call let_ingest('reading_key_tail', 'select, insert');
--> statement-breakpoint
call let_ingest('reading_key_pages', 'select');
--> statement-breakpoint
call let_ingest('reading_key_filters', 'select');
