-- The flush takes these locks and looks in plain statements now (features/ingest/hold.ts).
drop function hold_rules(uuid[], bigint[]);
--> statement-breakpoint
drop function hold_marks(timestamptz);
--> statement-breakpoint
-- Autovacuum looks once a minute. A table that has grown much since the planner last heard of it is read as if it were empty until then, row by row
-- for each row of a flush. Of tables that have more than doubled; partitions and those that others are working on are left alone.
-- As the owner: only an owner's word has the planner look.
create function refresh_statistics() returns setof text language plpgsql security definer set search_path = public, pg_temp as $$
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
--> statement-breakpoint
revoke execute on function refresh_statistics() from public;
--> statement-breakpoint
grant execute on function refresh_statistics() to haltless_system;
--> statement-breakpoint
-- Not immutable as what it calls is not: so it becomes part of the statement that uses it, instead of one that is begun for each row.
alter function delivery_subject(text, uuid, uuid, text, text) stable;
