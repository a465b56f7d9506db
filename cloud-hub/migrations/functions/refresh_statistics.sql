-- Analyzes tables that have more than doubled since the last time. Autovacuum checks once a minute; until then the planner takes a table that
-- has just grown for empty. Partitions and tables that other sessions have locked are skipped. ANALYZE needs the owner.
create or replace function refresh_statistics()
returns setof text
language plpgsql
security definer
set search_path = public, pg_temp
as $$
declare
  grown record;
begin
  for grown in
    select c.oid::regclass::text as name from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relispartition
      and pg_stat_get_live_tuples(c.oid) > 100 + 2 * greatest(c.reltuples, 0)
    order by 1
  loop
    execute 'analyze (skip_locked) ' || grown.name;
    return next grown.name;
  end loop;
end $$;
revoke all on function refresh_statistics() from public;
grant execute on function refresh_statistics() to haltless_system;
