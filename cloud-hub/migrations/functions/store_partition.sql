-- Creates the partition of `parent` that holds an instant, if it is missing: the first of `widths` (week, month, ...) that overlaps no other.
-- It is created apart and attached, which does not stop statements on other partitions.
create or replace function store_partition(parent text, at timestamptz, widths text[])
returns text
language plpgsql
security definer
set search_path = public, pg_temp
as $$
declare
  part store_partitions;
  width text;
begin
  select * into part from store_partitions p where p.parent = store_partition.parent and p.lower <= at and at < p.upper;
  if found then return part.name; end if;
  perform pg_advisory_xact_lock(hashtext('store_partition'));
  select * into part from store_partitions p where p.parent = store_partition.parent and p.lower <= at and at < p.upper;
  if found then return part.name; end if;
  foreach width in array widths loop
    part.lower := date_trunc(width, at, 'UTC');
    part.upper := ((part.lower at time zone 'UTC') + ('1 ' || width)::interval) at time zone 'UTC';
    continue when exists (select from store_partitions p where p.parent = store_partition.parent and p.lower < part.upper and p.upper > part.lower);
    part.parent := store_partition.parent;
    part.name := store_partition.parent || to_char(part.lower at time zone 'UTC', '_YYYYMMDD') || '_' || width;
    execute format('create table %I (like %I including all)', part.name, part.parent);
    execute format('alter table %I attach partition %I for values from (%L) to (%L)', part.parent, part.name,
      case part.parent when 'reading_blocks' then part.lower::text else (part.lower at time zone 'UTC')::date::text end,
      case part.parent when 'reading_blocks' then part.upper::text else (part.upper at time zone 'UTC')::date::text end);
    insert into store_partitions values (part.*);
    return part.name;
  end loop;
  raise exception 'no partition of % can hold %', parent, at;
end $$;
revoke all on function store_partition(text, timestamptz, text[]) from public;

-- The partition of reading_blocks for an instant: a week, or a month of time that is older than half a year.
create or replace function ensure_block_partition(at timestamptz)
returns text
language sql
security definer
set search_path = public, pg_temp
as $$
  select store_partition('reading_blocks', at,
    case when at >= now() - interval '26 weeks' then array['week', 'day'] else array['month', 'week', 'day'] end);
$$;
revoke all on function ensure_block_partition(timestamptz) from public;
grant execute on function ensure_block_partition(timestamptz) to haltless_system;

-- The partition of reading_minutes for a day: a month.
create or replace function ensure_minutes_partition(day date)
returns text
language sql
security definer
set search_path = public, pg_temp
as $$
  select store_partition('reading_minutes', day::timestamp at time zone 'UTC', array['month']);
$$;
revoke all on function ensure_minutes_partition(date) from public;
grant execute on function ensure_minutes_partition(date) to haltless_system;

-- Drops a partition of the readings store in which nothing is left. The lock is requested briefly, because others queue behind it.
create or replace function drop_empty_partition(part text)
returns boolean
language plpgsql
security definer
set search_path = public, pg_temp
set lock_timeout = '300ms'
as $$
declare
  is_used boolean;
begin
  if not exists (select from store_partitions where name = part) then return false; end if;
  execute format('lock table %I in access exclusive mode', part);
  execute format('select exists (select from %I)', part) into is_used;
  if is_used then return false; end if;
  execute format('drop table %I', part);
  delete from store_partitions where name = part;
  return true;
end $$;
revoke all on function drop_empty_partition(text) from public;
grant execute on function drop_empty_partition(text) to haltless_system;

-- The partition of reading_key_pages for a day.
create or replace function ensure_key_partition(day date)
returns text
language sql
security definer
set search_path = public, pg_temp
as $$
  select store_partition('reading_key_pages', day::timestamp at time zone 'UTC', array['day']);
$$;
revoke all on function ensure_key_partition(date) from public;
grant execute on function ensure_key_partition(date) to haltless_system;

-- Drops the partitions of reading_key_pages of days before this one. One that is in use stays for the next time.
create or replace function drop_key_partitions(oldest date)
returns void
language plpgsql
security definer
set search_path = public, pg_temp
set lock_timeout = '300ms'
as $$
declare
  part record;
begin
  for part in
    select name from store_partitions
    where parent = 'reading_key_pages' and upper <= oldest::timestamp at time zone 'UTC' order by lower for update skip locked
  loop
    begin
      execute format('drop table %I', part.name);
      delete from store_partitions where name = part.name;
    exception when lock_not_available then
      null;
    end;
  end loop;
end $$;
revoke all on function drop_key_partitions(date) from public;
grant execute on function drop_key_partitions(date) to haltless_system;
