-- Reserves up to `wanted` requests of a bucket of `allowed` a minute for one replica. `seed` is what the replica has let through without asking.
-- Returns how many it may let through, how many are used, and in how many seconds the oldest become free.
create or replace function reserve_requests(of_bucket text, wanted integer, allowed integer, seed integer, out granted integer, out used integer, out free_in double precision)
language plpgsql
as $$
declare
  at double precision := extract(epoch from clock_timestamp());
  slice bigint := floor(at / 2);
  w rate_windows;
  shift integer;
  oldest integer;
begin
  insert into rate_windows values (of_bucket, array_fill(0, array[30]), slice) on conflict do nothing;
  select * into w from rate_windows where bucket = of_bucket for update;
  shift := least(greatest(slice - w.head, 0), 30);
  if shift > 0 then w.counts := w.counts[shift + 1:30] || array_fill(0, array[shift]); end if;
  select sum(n) into used from unnest(w.counts) n;
  granted := greatest(0, least(wanted, allowed - used - seed));
  w.counts[30] := w.counts[30] + granted + seed;
  used := used + granted + seed;
  update rate_windows set counts = w.counts, head = greatest(slice, w.head) where bucket = of_bucket;
  select min(i) into oldest from generate_subscripts(w.counts, 1) i where w.counts[i] > 0;
  free_in := greatest(0, (greatest(slice, w.head) - 30 + coalesce(oldest, 30) + 30) * 2 - at);
end $$;
revoke all on function reserve_requests(text, integer, integer, integer) from public;
grant execute on function reserve_requests(text, integer, integer, integer) to haltless_system;
