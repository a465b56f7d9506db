-- Drops a partition of readings, unless something in it is not rolled up. The lock comes first: what was being written is seen, nothing new comes.
-- It is asked for briefly, because everybody else waits behind it.
create or replace function drop_reading_partition(part text)
returns boolean
language plpgsql
security definer
set search_path = public, pg_temp
set lock_timeout = '300ms'
as $$
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
revoke all on function drop_reading_partition(text) from public;
grant execute on function drop_reading_partition(text) to haltless_system;
