-- As ensure_reading_partition: months to two years, years before.
create or replace function ensure_minute_partition(at timestamptz)
returns minute_partitions
language plpgsql
security definer
set search_path = public, pg_temp
as $$
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
