-- What the OEE of a shift log adds to figures over several logs (weighted_oee.sql): its run time, run time times performance (net time),
-- net time whose quality comes from counters with their parts, and the rest of net time times quality. Integers and exact numbers, so that
-- sums do not depend on the order of changes.
create or replace function oee_weights(log shift_log_oee)
returns table (run_ms bigint, net_ms bigint, counted_ms bigint, good_ms bigint, parts numeric, good_parts numeric)
language sql
immutable
as $$
  select run, net,
    case when is_counted then net else 0 end,
    case when is_counted then 0 else round(net * (coalesce(log.quality_ppb, 0) / 1e9::float8))::bigint end,
    case when is_counted then log.total_count::numeric else 0 end,
    case when is_counted then least(log.good_count, log.total_count)::numeric else 0 end
  from (select greatest(log.planned_ms - log.availability_loss_ms, 0) as run) r
  cross join lateral (select round(run * (coalesce(log.performance_ppb, 0) / 1e9::float8))::bigint as net) n
  cross join lateral (select run > 0 and log.total_count is not null and log.good_count is not null as is_counted) c
$$;
