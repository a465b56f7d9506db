-- Old readings of some series of a tenant that are not packed yet, by series and UTC day: `times` and `vals` are array_send of timestamptz and float8.
-- Of each series the first `most` readings, from the first day on. Empty, and cheap, once all are packed. It sees what the calling statement sees.
create or replace function legacy_readings_of(tenant uuid, ids integer[], since timestamptz, until timestamptz, most float8)
returns table (place integer, series_id integer, n integer, times bytea, vals bytea)
language plpgsql
stable
as $$
begin
  if not exists (select from legacy_partitions where packed_at is null) then return; end if;
  return query
    select w.ord::integer - 1, s.id, count(*)::integer, array_send(array_agg(r.ts order by r.ts)), array_send(array_agg(r.value order by r.ts))
    from unnest(ids) with ordinality w(id, ord)
    join series s on s.tenant_id = tenant and s.id = w.id
    cross join lateral (
      select o.ts, o.value from legacy_partitions p
      cross join lateral (
        select l.ts, l.value from legacy_readings l
        where l.series_id = s.id and l.ts >= greatest(p.lower, since) and l.ts < least(p.upper, until)) o
      where p.packed_through < s.id and p.lower < until and p.upper > since
      order by o.ts limit least(most, 1e9)::bigint) r
    group by w.ord, s.id, date_bin('1 day', r.ts, 'epoch'::timestamptz);
end $$;

-- The old readings around some instants: at most `before` at or before each, and `after` later ones, as above.
create or replace function legacy_neighbours_of(tenants uuid[], ids integer[], ats timestamptz[], before integer[], after integer[])
returns table (place integer, series_id integer, n integer, times bytea, vals bytea)
language plpgsql
stable
as $$
begin
  if not exists (select from legacy_partitions where packed_at is null) then return; end if;
  return query
    select w.ord::integer - 1, w.id, count(*)::integer, array_send(array_agg(r.ts order by r.ts)), array_send(array_agg(r.value order by r.ts))
    from unnest(tenants, ids, ats, before, after) with ordinality w(tenant, id, at, b, a, ord)
    join series s on s.tenant_id = w.tenant and s.id = w.id
    cross join lateral (
      (select o.ts, o.value from legacy_partitions p cross join lateral (
          select l.ts, l.value from legacy_readings l where l.series_id = w.id and l.ts >= p.lower and l.ts < p.upper and l.ts <= w.at
          order by l.ts desc limit w.b) o
        where p.packed_through < w.id and p.lower <= w.at order by o.ts desc limit w.b)
      union all
      (select o.ts, o.value from legacy_partitions p cross join lateral (
          select l.ts, l.value from legacy_readings l where l.series_id = w.id and l.ts >= p.lower and l.ts < p.upper and l.ts > w.at
          order by l.ts limit w.a) o
        where p.packed_through < w.id and p.upper > w.at order by o.ts limit w.a)) r
    group by w.ord, w.id;
end $$;

-- Which of these readings are stored as old rows: their positions, from 1.
create or replace function legacy_instants_of(ids integer[], ats timestamptz[])
returns setof integer
language plpgsql
stable
as $$
begin
  if not exists (select from legacy_partitions where packed_at is null) then return; end if;
  return query
    select w.ord::integer from unnest(ids, ats) with ordinality w(id, at, ord)
    join legacy_partitions p on p.lower <= w.at and w.at < p.upper and p.packed_through < w.id
    where exists (select from legacy_readings l where l.series_id = w.id and l.ts = w.at);
end $$;

-- Statistics of old readings that retention removed before the upgrade, by hour or by minute, in arrays by series and UTC day: array_send of
-- float8, eight for each: start (Unix ms), n, mean, m2 (NaN for none), lowest, highest, last instant (Unix ms), last value.
create or replace function legacy_statistics_of(tenant uuid, ids integer[], since timestamptz, until timestamptz, are_minutes boolean)
returns table (place integer, series_id integer, day timestamptz, stats bytea)
language plpgsql
stable
as $$
begin
  if not exists (select from legacy_dropped) then return; end if;
  return query
    select w.ord::integer - 1, s.id, date_bin('1 day', h.ts, 'epoch'::timestamptz), array_send(array_agg(v.x order by h.ts, v.i))
    from unnest(ids) with ordinality w(id, ord) join series s on s.tenant_id = tenant and s.id = w.id
    cross join legacy_dropped d
    cross join lateral (
      select * from legacy_rollup_minutes m where are_minutes and m.series_id = s.id and m.ts >= greatest(d.lower, since) and m.ts < least(d.upper, until)
      union all
      select * from legacy_rollup_hours o where not are_minutes and o.series_id = s.id and o.ts >= greatest(d.lower, since) and o.ts < least(d.upper, until)) h
    cross join lateral unnest(array[extract(epoch from h.ts) * 1000, h.n, h.mean, coalesce(h.m2, 'NaN'), h.low, h.high, extract(epoch from h.last_at) * 1000,
      h.last]::float8[]) with ordinality v(x, i)
    group by w.ord, s.id, 3;
end $$;

-- Drops an old partition that has been packed for longer than any statement takes: one that began before would find neither rows nor blocks.
create or replace function drop_legacy_partition(part text)
returns boolean
language plpgsql
security definer
set search_path = public, pg_temp
set lock_timeout = '300ms'
as $$
declare
  is_used boolean;
begin
  if not exists (select from legacy_partitions where name = part and packed_at < now() - interval '3 minutes') then return false; end if;
  execute format('lock table %I in access exclusive mode', part);
  execute format('select exists (select from %I r join series s on s.id = r.series_id
    where r.series_id > (select packed_through from legacy_partitions where name = %L))', part, part) into is_used;
  if is_used then return false; end if;
  execute format('drop table %I', part);
  delete from legacy_partitions where name = part;
  return true;
end $$;
revoke all on function drop_legacy_partition(text) from public;
grant execute on function drop_legacy_partition(text) to haltless_system;
