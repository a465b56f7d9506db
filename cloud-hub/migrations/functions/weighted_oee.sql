-- Availability, performance, quality and OEE in percent from sums of minutes and parts (oee_weights.sql). Quality is that of the parts where
-- counters say it, and of time elsewhere; both by their share of net time. Null: undefined, as for one log: without planned time all, without
-- run time performance and quality, while availability and OEE are 0.
create or replace function weighted_oee(planned_ms numeric, run_ms numeric, net_ms numeric, counted_ms numeric, good_ms numeric,
  parts numeric, good_parts numeric)
returns table (availability float8, performance float8, quality float8, oee float8)
language sql
immutable
as $$
  select (100 * a)::float8, (100 * p)::float8, (100 * q)::float8, (100 * a * coalesce(p, 0) * coalesce(q, 0))::float8
  from (select run_ms / nullif(planned_ms, 0) as a, net_ms / nullif(run_ms, 0) as p,
    coalesce(good_parts / nullif(parts, 0), 1) as of_parts) f
  cross join lateral (
    select case when run_ms > 0 then coalesce((counted_ms * of_parts + good_ms) / nullif(net_ms, 0), of_parts) end as q) quality
$$;
