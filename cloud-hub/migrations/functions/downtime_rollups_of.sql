-- What a row of downtime_figures adds to downtime_rollups: its time to the spans that it reaches into, at most two, because records of more
-- than 7 days and ongoing ones are left out (downtime_figures_long_idx); all else to the span that it started in. Spans begin on Mondays of UTC.
-- Integers, so that sums do not depend on the order of changes. One plain select, which PostgreSQL inlines.
create or replace function downtime_rollups_of(f downtime_figures, days int)
returns table (start_at timestamptz, downtime_ms bigint, records int, repairs int, repair_ms bigint, failures int, intervals int,
  uptime_ms bigint, entering_intervals int, entering_uptime_ms bigint, entering_from_ms bigint)
language sql
stable
as $$
  select s.start_at,
    case when is_start then 0 else (1000 * extract(epoch from least(f.ended_at, s.start_at + $2 * interval '24 h') - greatest(f.attributed_from, s.start_at)))::bigint end,
    is_start::int,
    (is_start and f.repair_seconds is not null)::int, case when is_start then coalesce(round(f.repair_seconds * 1000)::bigint, 0) else 0 end,
    (is_start and f.starts_failure)::int,
    (is_start and f.previous_failure_at is not null)::int, case when is_start then coalesce(round(f.uptime_before_seconds * 1000)::bigint, 0) else 0 end,
    coalesce(is_start and f.previous_failure_at < s.start_at, false)::int,
    case when is_start and f.previous_failure_at < s.start_at then round(f.uptime_before_seconds * 1000)::bigint else 0 end,
    case when is_start and f.previous_failure_at < s.start_at then (1000 * extract(epoch from f.previous_failure_at))::bigint else 0 end
  from (values (true, 0), (false, 0), (false, 1)) part(is_start, n)
  cross join lateral (
    select date_bin($2 * interval '24 h', case when is_start then f.started_at else f.attributed_from end, timestamptz '1970-01-05 00:00+00')
      + n * $2 * interval '24 h' as start_at) s
  where is_start or (s.start_at < f.ended_at and f.ended_at - f.attributed_from <= interval '7 days')
$$;
