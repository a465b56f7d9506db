-- Fails the transaction of a process whose cached rules or states are not those of the database any more.
create or replace function raise_stale_cache()
returns void
language plpgsql
as $$
begin
  raise exception 'the cache of this process is stale' using errcode = 'HL001';
end $$;
