create or replace function drop_minute_partition(part text)
returns boolean
language plpgsql
security definer
set search_path = public, pg_temp
set lock_timeout = '300ms'
as $$
begin
  if not exists (select from minute_partitions where name = part) then return false; end if;
  execute format('drop table %I', part);
  delete from minute_partitions where name = part;
  return true;
end $$;
revoke all on function drop_minute_partition(text) from public;
grant execute on function drop_minute_partition(text) to haltless_system;
