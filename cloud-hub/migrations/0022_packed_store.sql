-- Readings move from rows to packed sections and blocks (cloud-hub/docs/decisions/0022-packed-readings-store.md).
-- The old tables get other names, so that every statement of a hub of the version before fails, and its senders repeat.
alter table readings rename to legacy_readings;
--> statement-breakpoint
alter table reading_partitions rename to legacy_partitions;
--> statement-breakpoint
-- rows of a partition with series up to this one are packed and no longer count
alter table legacy_partitions add column packed_through integer not null default 0, add column packed_at timestamptz;
--> statement-breakpoint
alter table rollup_hours rename to legacy_rollup_hours;
--> statement-breakpoint
alter table rollup_minutes rename to legacy_rollup_minutes;
--> statement-breakpoint
alter table minute_partitions rename to legacy_minute_partitions;
--> statement-breakpoint
-- the time whose rows retention has removed: only there do old rollups count
alter table readings_dropped rename to legacy_dropped;
--> statement-breakpoint
drop table rollup_marks, rollup_state;
--> statement-breakpoint
drop function ensure_reading_partition(timestamptz), drop_reading_partition(text), ensure_minute_partition(timestamptz), drop_minute_partition(text);
--> statement-breakpoint
do $$
declare
  part record;
  is_used boolean;
begin
  for part in select name from legacy_partitions loop
    execute format('select exists (select from %I)', part.name) into is_used;
    continue when is_used;
    execute format('drop table %I', part.name);
    delete from legacy_partitions where name = part.name;
  end loop;
  if not exists (select from legacy_dropped) then
    truncate legacy_rollup_hours;
    for part in select name from legacy_minute_partitions loop
      execute format('drop table %I', part.name);
      delete from legacy_minute_partitions where name = part.name;
    end loop;
  end if;
end $$;
--> statement-breakpoint
grant select on legacy_partitions, legacy_dropped to haltless_app, haltless_ingest;
--> statement-breakpoint
grant select, update, delete on legacy_partitions, legacy_dropped, legacy_minute_partitions to haltless_system;
--> statement-breakpoint
alter table series add column place integer;
--> statement-breakpoint
update series s set place = p.place
from (select id, row_number() over (partition by tenant_id, machine_id order by id) - 1 as place from series) p where p.id = s.id;
--> statement-breakpoint
alter table series alter column place set not null;
--> statement-breakpoint
alter table series add constraint series_tenant_id_key unique (tenant_id, id);
--> statement-breakpoint
-- The newest reading of each series of a machine, by timestamp and not by arrival. Up to 64 series share a row; series.place finds theirs.
-- `body` has a format byte and 29 bytes for each series, described in telemetry/readings/latest/entries.ts. `written` is the
-- transaction that changed the entries without a transaction of their own. `tags` are the raw tags as a JSON array, empty without any.
create table machine_latest (
  tenant_id uuid not null,
  machine_id uuid not null,
  chunk smallint not null,
  written xid8 not null,
  tags bytea not null default '',
  body bytea not null,
  primary key (tenant_id, machine_id, chunk),
  foreign key (tenant_id, machine_id) references machines (tenant_id, id) on delete cascade
) with (fillfactor = 50, toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
--> statement-breakpoint
alter table machine_latest alter body set storage external, alter tags set storage external;
--> statement-breakpoint
insert into machine_latest (tenant_id, machine_id, chunk, written, tags, body)
select s.tenant_id, s.machine_id, s.place / 64, pg_current_xact_id(),
  case when count(l.raw_tag) > 0 then convert_to(json_agg(l.raw_tag order by s.place)::text, 'UTF8') else '' end,
  '\x01'::bytea || string_agg(
    int4send(s.id) || int8send(coalesce(round(extract(epoch from l.ts) * 1000)::bigint, -9223372036854775808)) || float8send(coalesce(l.value, 0))
      || case when l.is_anomalous then '\x01'::bytea else '\x00'::bytea end || int8send(0), '' order by s.place)
from series s left join latest_readings l on l.series_id = s.id
group by s.tenant_id, s.machine_id, s.place / 64;
--> statement-breakpoint
drop table latest_readings;
--> statement-breakpoint
-- Recent readings as they came: sections of several series, not compressed (telemetry/readings/codec/tail-body.ts).
-- No foreign key on machines, because it would lock the machine's row in every flush: forget_tail deletes the rows of deleted machines.
create table reading_tail (
  tenant_id uuid not null,
  machine_id uuid not null,
  id bigint generated always as identity,
  -- oldest and newest instant
  t0 timestamptz(3) not null,
  t1 timestamptz(3) not null,
  -- lowest and highest series
  s0 integer not null,
  s1 integer not null,
  n integer not null,
  body bytea not null,
  primary key (tenant_id, machine_id, id)
) with (toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
--> statement-breakpoint
alter table reading_tail alter body set storage external;
--> statement-breakpoint
-- Sealed readings of a series within one UTC day (telemetry/readings/codec/block.ts). Blocks of a series never overlap.
create table reading_blocks (
  tenant_id uuid not null,
  series_id integer not null,
  t0 timestamptz(3) not null,
  t1 timestamptz(3) not null,
  n integer not null,
  sealed_at timestamptz not null default now(),
  times bytea not null,
  vals bytea not null,
  -- statistics by hour; empty for a small block
  hours bytea not null,
  primary key (tenant_id, series_id, t0),
  foreign key (tenant_id, series_id) references series (tenant_id, id) on delete cascade
) partition by range (t0);
--> statement-breakpoint
alter table reading_blocks alter times set storage external, alter vals set storage external, alter hours set storage external;
--> statement-breakpoint
-- Blocks of days that are not over or not merged yet. Their churn stays out of the partitions.
create table reading_blocks_open (
  tenant_id uuid not null,
  series_id integer not null,
  t0 timestamptz(3) not null,
  t1 timestamptz(3) not null,
  n integer not null,
  sealed_at timestamptz not null default now(),
  times bytea not null,
  vals bytea not null,
  hours bytea not null,
  primary key (tenant_id, series_id, t0),
  foreign key (tenant_id, series_id) references series (tenant_id, id) on delete cascade
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
--> statement-breakpoint
alter table reading_blocks_open alter times set storage external, alter vals set storage external, alter hours set storage external;
--> statement-breakpoint
create index reading_blocks_open_t0_idx on reading_blocks_open (t0);
--> statement-breakpoint
-- What remains of readings that retention has removed, by UTC day: statistics by hour (telemetry/readings/codec/statistics.ts).
create table reading_hours (
  tenant_id uuid not null,
  series_id integer not null,
  day date not null,
  n integer not null,
  hours bytea not null,
  primary key (tenant_id, series_id, day),
  foreign key (tenant_id, series_id) references series (tenant_id, id) on delete cascade
);
--> statement-breakpoint
-- The same by minute. `times` are the instants of the readings, so that readings which are sent again are recognised.
create table reading_minutes (
  tenant_id uuid not null,
  series_id integer not null,
  day date not null,
  minutes bytea not null,
  times bytea not null,
  primary key (tenant_id, series_id, day),
  foreign key (tenant_id, series_id) references series (tenant_id, id) on delete cascade
) partition by range (day);
--> statement-breakpoint
alter table reading_hours alter hours set storage external;
--> statement-breakpoint
alter table reading_minutes alter minutes set storage external, alter times set storage external;
--> statement-breakpoint
-- The partitions of reading_blocks and reading_minutes.
create table store_partitions (
  name text primary key,
  parent text not null,
  lower timestamptz not null,
  upper timestamptz not null,
  unique (parent, lower)
);
--> statement-breakpoint
grant select on store_partitions to haltless_system;
--> statement-breakpoint
do $$
declare
  target text;
begin
  foreach target in array array['machine_latest', 'reading_tail', 'reading_blocks', 'reading_blocks_open', 'reading_hours', 'reading_minutes'] loop
    call build_tenant_wall(target::regclass);
    execute format('revoke insert, update, delete on %I from haltless_app', target);
  end loop;
end $$;
--> statement-breakpoint
call let_ingest('machine_latest', 'select, insert, update');
--> statement-breakpoint
call let_ingest('reading_tail', 'select, insert');
--> statement-breakpoint
call let_ingest('reading_blocks', 'select');
--> statement-breakpoint
call let_ingest('reading_blocks_open', 'select');
--> statement-breakpoint
call let_ingest('reading_hours', 'select');
--> statement-breakpoint
call let_ingest('reading_minutes', 'select');
