-- What flushes stored of series of several machines: the level above the tail (docs/decisions/0042-arrivals.md).
-- `series_group` is the id of the series divided by 128. No foreign key: sections of series that are gone are dropped when the row is divided.
create table reading_arrivals (
  tenant_id uuid not null,
  series_group integer not null,
  id bigint generated always as identity,
  -- oldest and newest instant
  t0 timestamptz(3) not null,
  t1 timestamptz(3) not null,
  n integer not null,
  body bytea not null,
  primary key (tenant_id, series_group, id)
) with (toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
--> statement-breakpoint
alter table reading_arrivals alter body set storage external;
--> statement-breakpoint
call build_tenant_wall('reading_arrivals');
--> statement-breakpoint
revoke insert, update, delete on reading_arrivals from haltless_app;
--> statement-breakpoint
call let_ingest('reading_arrivals', 'select, insert');
--> statement-breakpoint
-- A hub of before does not read arrivals, and does not name this column.
alter table hub_replicas add column reads_arrivals boolean not null default false;
