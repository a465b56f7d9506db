-- The second tenancy wall. Three roles (made by src/db/roles.ts, they belong to the cluster): haltless_app sees the tenant named in
-- app.tenant_id, haltless_ingest writes what a shared flush writes, haltless_system is for sign-in and for work over all tenants.
grant usage on schema public to haltless_app, haltless_ingest, haltless_system;
--> statement-breakpoint
-- Every migration that makes a tenant-owned table calls this for it; a test fails for a table that was forgotten.
-- The sub-select makes the setting an InitPlan; nullif because the setting is '' after the first SET LOCAL of a connection.
create procedure build_tenant_wall(target regclass, tenant_column name default 'tenant_id') language plpgsql as $$
begin
  execute format('alter table %s enable row level security', target);
  execute format(
    'create policy tenant_wall on %s to haltless_app using (%2$I = (select nullif(current_setting(''app.tenant_id'', true), '''')::uuid)) '
    'with check (%2$I = (select nullif(current_setting(''app.tenant_id'', true), '''')::uuid))', target, tenant_column);
  execute format('create policy all_tenants on %s to haltless_system using (true) with check (true)', target);
  execute format('grant select, insert, update, delete on %s to haltless_app, haltless_system', target);
end $$;
--> statement-breakpoint
call build_tenant_wall('tenants', 'id');
call build_tenant_wall('users');
call build_tenant_wall('sessions');
call build_tenant_wall('refresh_tokens');
call build_tenant_wall('api_keys');
call build_tenant_wall('machines');
call build_tenant_wall('series');
call build_tenant_wall('reading_keys');
call build_tenant_wall('threshold_rules');
call build_tenant_wall('rule_conditions');
call build_tenant_wall('alerts');
call build_tenant_wall('notification_channels');
call build_tenant_wall('deliveries');
call build_tenant_wall('delivery_attempts');
call build_tenant_wall('agents');
call build_tenant_wall('data_gaps');
--> statement-breakpoint
-- A tenant cannot change its own subscription, nor remove itself.
revoke insert, update, delete on tenants from haltless_app;
grant update (name) on tenants to haltless_app;
--> statement-breakpoint
-- Not a tenant's: e-mails that may be unknown, and the hub's own keys.
grant select, insert, update, delete on login_throttle to haltless_system;
grant select, insert on hub_keys to haltless_system;
--> statement-breakpoint
-- Readings: narrow rows in time partitions. They carry no tenant; they are reached through series, which does.
create table readings (
  series_id integer not null,
  ts timestamptz(3) not null,
  value double precision not null,
  primary key (series_id, ts)
) partition by range (ts);
create table reading_partitions (
  name text primary key,
  lower timestamptz not null,
  upper timestamptz not null,
  exclude using gist (tstzrange(lower, upper) with &&)
);
alter table latest_readings set (fillfactor = 70);
alter table rule_conditions set (fillfactor = 70);
alter table deliveries set (fillfactor = 80);
--> statement-breakpoint
-- The partition that holds an instant, made if it is missing: days for the last 35 days, months to two years, years before; narrower where
-- a wide one would overlap what exists. Made apart and attached, which does not stop writers of other partitions.
create function ensure_reading_partition(at timestamptz) returns reading_partitions
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
    part.name := 'readings_' || to_char(part.lower at time zone 'UTC', case width when 'day' then 'YYYYMMDD' when 'month' then 'YYYYMM' else 'YYYY' end);
    execute format('create table %I (like readings including all)', part.name);
    execute format('alter table readings attach partition %I for values from (%L) to (%L)', part.name, part.lower, part.upper);
    insert into reading_partitions values (part.*);
    return part;
  end loop;
  raise exception 'no partition can hold %', at;
end $$;
revoke all on function ensure_reading_partition(timestamptz) from public;
grant execute on function ensure_reading_partition(timestamptz) to haltless_ingest, haltless_system;
grant select on reading_partitions to haltless_ingest, haltless_system;
grant select on readings, latest_readings to haltless_app;
grant select, insert, update, delete on readings, latest_readings to haltless_system;
--> statement-breakpoint
-- What a shared flush may touch, and nothing else.
create procedure let_ingest(target regclass, privileges text) language plpgsql as $$
begin
  execute format('create policy ingest on %s to haltless_ingest using (true) with check (true)', target);
  execute format('grant %s on %s to haltless_ingest', privileges, target);
end $$;
--> statement-breakpoint
call let_ingest('machines', 'select, update (status, status_is_manual, offline_due_at)');
call let_ingest('series', 'select, insert');
call let_ingest('reading_keys', 'select, insert');
call let_ingest('threshold_rules', 'select');
call let_ingest('rule_conditions', 'select, insert, update');
call let_ingest('alerts', 'select, insert, update (cleared_at)');
call let_ingest('notification_channels', 'select (id, tenant_id, is_active, notify_on_alert)');
call let_ingest('deliveries', 'insert');
grant select, insert on readings to haltless_ingest;
grant select, insert, update on latest_readings to haltless_ingest;
--> statement-breakpoint
grant usage on all sequences in schema public to haltless_app, haltless_ingest, haltless_system;
