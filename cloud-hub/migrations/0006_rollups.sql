CREATE TABLE "baselines" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"machine_id" uuid NOT NULL,
	"series_id" integer NOT NULL,
	"metric_name" text NOT NULL,
	"unit" text NOT NULL,
	"mean_value" double precision NOT NULL,
	"std_dev" double precision NOT NULL,
	"min_value" double precision NOT NULL,
	"max_value" double precision NOT NULL,
	"sample_count" bigint NOT NULL,
	"window_start" timestamp (3) with time zone NOT NULL,
	"window_end" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "baselines_tenant_id_id_pk" PRIMARY KEY("tenant_id","id"),
	CONSTRAINT "baselines_series_key" UNIQUE("series_id"),
	CONSTRAINT "baselines_machine_key" UNIQUE("tenant_id","machine_id","metric_name","unit")
);
--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "raw_retention_days" integer;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "minute_retention_days" integer;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "hour_retention_days" integer;--> statement-breakpoint
ALTER TABLE "baselines" ADD CONSTRAINT "baselines_series_id_series_id_fk" FOREIGN KEY ("series_id") REFERENCES "public"."series"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "baselines" ADD CONSTRAINT "baselines_tenant_id_machine_id_machines_tenant_id_id_fk" FOREIGN KEY ("tenant_id","machine_id") REFERENCES "public"."machines"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
call build_tenant_wall('baselines');
-- for whoever judges readings by them
call let_ingest('baselines', 'select');
--> statement-breakpoint
-- Rollups: what remains of the readings of a series in one hour and in one minute. `mean` and `m2` (the sum of squared deviations from it) and
-- not sums, because those lose digits and run over. `m2` is null where it is beyond a double. Like readings, they are reached through series.
create table rollup_hours (
  series_id integer not null,
  ts timestamptz(3) not null,
  n integer not null,
  mean double precision not null,
  m2 double precision,
  low double precision not null,
  high double precision not null,
  last double precision not null,
  last_at timestamptz(3) not null,
  primary key (series_id, ts)
);
create table rollup_minutes (like rollup_hours including all) partition by range (ts);
create table minute_partitions (
  name text primary key,
  lower timestamptz not null,
  upper timestamptz not null,
  created_at timestamptz,
  exclude using gist (tstzrange(lower, upper) with &&)
);
-- (series, hour) whose rollups do not hold: a log to which whoever stores such readings appends, so that nobody waits for anybody.
create table rollup_marks (
  series_id integer not null,
  hour timestamptz(3) not null,
  marked_at timestamptz not null default now()
);
create index rollup_marks_hour_idx on rollup_marks (series_id, hour);
-- Hours before `rolled_until` hold unless they are marked; later ones are not rolled up yet. Whoever stores readings before `marked_until`
-- marks their hours. The second goes ahead of the first, see advanceRollups (features/readings/rollups).
create table rollup_state (
  is_only boolean primary key default true check (is_only),
  rolled_until timestamptz(3) not null,
  marked_until timestamptz(3) not null check (marked_until >= rolled_until)
);
insert into rollup_state (rolled_until, marked_until) select h, h from date_trunc('hour', now(), 'UTC') h;
insert into rollup_marks (series_id, hour)
  select distinct series_id, date_trunc('hour', ts, 'UTC') from readings where ts < (select rolled_until from rollup_state);
grant select on rollup_hours, rollup_minutes, rollup_marks, rollup_state to haltless_app, haltless_ingest;
grant insert on rollup_marks to haltless_ingest;
grant select, insert, update, delete on rollup_hours, rollup_minutes, rollup_marks to haltless_system;
grant select, update on rollup_state to haltless_system;
grant select on minute_partitions, reading_partitions to haltless_system;
--> statement-breakpoint
-- For a flush whose oldest reading without a mark is this one: fails when that should have had a mark. A lock that nobody contends first, and the
-- look after it: who moves `marked_until` waits for those that held it before.
create function hold_marks(oldest timestamptz) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(4712, 0);
  if oldest < (select marked_until from rollup_state) then
    perform memory_is_out_of_date();
  end if;
end $$;
--> statement-breakpoint
-- As ensure_reading_partition: months to two years, years before.
create function ensure_minute_partition(at timestamptz) returns minute_partitions
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  part minute_partitions;
  width text;
begin
  select * into part from minute_partitions where lower <= at and at < upper;
  if found then return part; end if;
  perform pg_advisory_xact_lock(hashtext('ensure_minute_partition'));
  select * into part from minute_partitions where lower <= at and at < upper;
  if found then return part; end if;
  foreach width in array case when at >= now() - interval '2 years' then array['month'] else array['year', 'month'] end loop
    part.lower := date_trunc(width, at, 'UTC');
    part.upper := ((part.lower at time zone 'UTC') + ('1 ' || width)::interval) at time zone 'UTC';
    continue when exists (select from minute_partitions p where p.lower < part.upper and p.upper > part.lower);
    part.created_at := now();
    part.name := 'rollup_minutes_' || to_char(part.lower at time zone 'UTC', case width when 'month' then 'YYYYMM' else 'YYYY' end);
    execute format('create table %I (like rollup_minutes including all)', part.name);
    execute format('alter table rollup_minutes attach partition %I for values from (%L) to (%L)', part.name, part.lower, part.upper);
    insert into minute_partitions values (part.*);
    return part;
  end loop;
  raise exception 'no partition can hold %', at;
end $$;
revoke all on function ensure_minute_partition(timestamptz) from public;
grant execute on function ensure_minute_partition(timestamptz) to haltless_system;
--> statement-breakpoint
-- Retention drops whole partitions, when they are no longer new: what is imported twice within a week is recognised.
alter table reading_partitions add column created_at timestamptz;
update reading_partitions set created_at = now();
create or replace function ensure_reading_partition(at timestamptz) returns reading_partitions
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  part reading_partitions;
  width text;
begin
  select * into part from reading_partitions where lower <= at and at < upper;
  if found then return part; end if;
  perform pg_advisory_xact_lock(hashtext('ensure_reading_partition'));
  select * into part from reading_partitions where lower <= at and at < upper;
  if found then return part; end if;
  foreach width in array case
    when at >= now() - interval '35 days' then array['day']
    when at >= now() - interval '2 years' then array['month', 'day']
    else array['year', 'month', 'day'] end
  loop
    part.lower := date_trunc(width, at, 'UTC');
    part.upper := ((part.lower at time zone 'UTC') + ('1 ' || width)::interval) at time zone 'UTC';
    continue when exists (select from reading_partitions p where p.lower < part.upper and p.upper > part.lower);
    part.created_at := now();
    part.name := 'readings_' || to_char(part.lower at time zone 'UTC', case width when 'day' then 'YYYYMMDD' when 'month' then 'YYYYMM' else 'YYYY' end);
    execute format('create table %I (like readings including all)', part.name);
    execute format('alter table readings attach partition %I for values from (%L) to (%L)', part.name, part.lower, part.upper);
    insert into reading_partitions values (part.*);
    return part;
  end loop;
  raise exception 'no partition can hold %', at;
end $$;
-- Where readings once were dropped: rollups there are all that is known, and readings that come later are added to them.
create table readings_dropped (lower timestamptz not null, upper timestamptz not null, primary key (lower, upper));
grant select on readings_dropped to haltless_app, haltless_system;
--> statement-breakpoint
-- Drops a partition of readings, unless something in it is not rolled up. The lock comes first: what was being written is seen, nothing new comes.
-- It is asked for briefly, because everybody else waits behind it.
create function drop_reading_partition(part text) returns boolean
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '300ms' as $$
declare
  it reading_partitions;
begin
  select * into it from reading_partitions where name = part;
  if not found then return false; end if;
  execute format('lock table %I in access exclusive mode', part);
  if it.upper > (select rolled_until from rollup_state) or exists (select from rollup_marks where hour >= it.lower and hour < it.upper) then
    return false;
  end if;
  execute format('drop table %I', part);
  delete from reading_partitions where name = part;
  insert into readings_dropped values (it.lower, it.upper) on conflict do nothing;
  return true;
end $$;
create function drop_minute_partition(part text) returns boolean
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '300ms' as $$
begin
  if not exists (select from minute_partitions where name = part) then return false; end if;
  execute format('drop table %I', part);
  delete from minute_partitions where name = part;
  return true;
end $$;
revoke all on function drop_reading_partition(text), drop_minute_partition(text) from public;
grant execute on function drop_reading_partition(text), drop_minute_partition(text) to haltless_system;
