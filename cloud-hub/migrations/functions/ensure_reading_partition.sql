-- The partition that holds an instant, made if it is missing: days for the last 35 days, months to two years, years before; narrower where
-- a wide one would overlap what exists. Made apart and attached, which does not stop writers of other partitions.
create or replace function ensure_reading_partition(at timestamptz)
returns reading_partitions
language plpgsql
security definer
set search_path = public, pg_temp
as $$
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
revoke all on function ensure_reading_partition(timestamptz) from public;
grant execute on function ensure_reading_partition(timestamptz) to haltless_ingest, haltless_system;
