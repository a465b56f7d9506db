-- Keeps the sums of shift_log_oee by definition and date, by machine and date, and by machine and span of dates: adds new rows and subtracts old ones.
-- Sums are of integers, so they do not depend on the order of changes. Their rows are locked in the order of their keys.
create or replace function sum_oee()
returns trigger
language plpgsql
security definer
set search_path = public, pg_temp
as $$
declare
  subtracted shift_log_oee[] := '{}';
  added_rows shift_log_oee[] := '{}';
begin
  if TG_OP <> 'INSERT' then subtracted := array(select r from removed r); end if;
  if TG_OP <> 'DELETE' then added_rows := array(select a from added a); end if;

  insert into shift_oee_days as d (tenant_id, shift_date, shift_definition_id, log_count, downtime_ms, oee_count, planned_ms, oee_sum_ppb,
    availability_sum_ppb, performance_count, performance_sum_ppb, quality_count, quality_sum_ppb, run_ms, net_ms, counted_ms, good_ms, parts, good_parts)
  select tenant_id, shift_date, shift_definition_id, sum(sign), sum(sign * downtime_ms),
    sum(sign * (oee_ppb is not null)::int), sum(sign * planned_ms), sum(sign * coalesce(oee_ppb, 0)), sum(sign * coalesce(availability_ppb, 0)),
    sum(sign * (performance_ppb is not null)::int), sum(sign * coalesce(performance_ppb, 0)),
    sum(sign * (quality_ppb is not null)::int), sum(sign * coalesce(quality_ppb, 0)),
    sum(sign * run_ms), sum(sign * net_ms), sum(sign * counted_ms), sum(sign * good_ms), sum(sign * parts), sum(sign * good_parts)
  from (
    select 1 as sign, a.*, w.* from unnest(added_rows) a, oee_weights(a) w
    union all select -1, r.*, w.* from unnest(subtracted) r, oee_weights(r) w) changed
  where exists (select from tenants t where t.id = changed.tenant_id)
  group by 1, 2, 3 order by 1, 2, 3
  on conflict (tenant_id, shift_date, shift_definition_id) do update set
    log_count = d.log_count + excluded.log_count, downtime_ms = d.downtime_ms + excluded.downtime_ms,
    oee_count = d.oee_count + excluded.oee_count, planned_ms = d.planned_ms + excluded.planned_ms,
    oee_sum_ppb = d.oee_sum_ppb + excluded.oee_sum_ppb, availability_sum_ppb = d.availability_sum_ppb + excluded.availability_sum_ppb,
    performance_count = d.performance_count + excluded.performance_count,
    performance_sum_ppb = d.performance_sum_ppb + excluded.performance_sum_ppb,
    quality_count = d.quality_count + excluded.quality_count, quality_sum_ppb = d.quality_sum_ppb + excluded.quality_sum_ppb,
    run_ms = d.run_ms + excluded.run_ms, net_ms = d.net_ms + excluded.net_ms, counted_ms = d.counted_ms + excluded.counted_ms,
    good_ms = d.good_ms + excluded.good_ms, parts = d.parts + excluded.parts, good_parts = d.good_parts + excluded.good_parts;

  insert into machine_oee_days as d (tenant_id, shift_date, machine_id, oee_count, oee_sum_ppb, planned_ms, run_ms, net_ms, counted_ms, good_ms,
    parts, good_parts)
  select tenant_id, shift_date, machine_id, sum(sign * (oee_ppb is not null)::int), sum(sign * coalesce(oee_ppb, 0)), sum(sign * planned_ms),
    sum(sign * run_ms), sum(sign * net_ms), sum(sign * counted_ms), sum(sign * good_ms), sum(sign * parts), sum(sign * good_parts)
  from (
    select 1 as sign, a.*, w.* from unnest(added_rows) a, oee_weights(a) w
    union all select -1, r.*, w.* from unnest(subtracted) r, oee_weights(r) w) changed
  where exists (select from machines m where m.tenant_id = changed.tenant_id and m.id = changed.machine_id)
  group by 1, 2, 3 order by 1, 2, 3
  on conflict (tenant_id, shift_date, machine_id) do update set
    oee_count = d.oee_count + excluded.oee_count, oee_sum_ppb = d.oee_sum_ppb + excluded.oee_sum_ppb,
    planned_ms = d.planned_ms + excluded.planned_ms, run_ms = d.run_ms + excluded.run_ms, net_ms = d.net_ms + excluded.net_ms,
    counted_ms = d.counted_ms + excluded.counted_ms, good_ms = d.good_ms + excluded.good_ms, parts = d.parts + excluded.parts,
    good_parts = d.good_parts + excluded.good_parts;

  insert into oee_rollups as r (tenant_id, days, start_date, machine_id, planned_ms, run_ms, net_ms, counted_ms, good_ms, parts, good_parts)
  select tenant_id, days, date_bin(days * interval '24 h', shift_date::timestamp, timestamp '1970-01-05')::date, machine_id, sum(sign * planned_ms),
    sum(sign * run_ms), sum(sign * net_ms), sum(sign * counted_ms), sum(sign * good_ms), sum(sign * parts), sum(sign * good_parts)
  from (
    select 1 as sign, a.*, w.* from unnest(added_rows) a, oee_weights(a) w
    union all select -1, r.*, w.* from unnest(subtracted) r, oee_weights(r) w) changed
  cross join (values (7), (28)) length(days)
  where exists (select from machines m where m.tenant_id = changed.tenant_id and m.id = changed.machine_id)
  group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (tenant_id, days, start_date, machine_id) do update set
    planned_ms = r.planned_ms + excluded.planned_ms, run_ms = r.run_ms + excluded.run_ms, net_ms = r.net_ms + excluded.net_ms,
    counted_ms = r.counted_ms + excluded.counted_ms, good_ms = r.good_ms + excluded.good_ms, parts = r.parts + excluded.parts,
    good_parts = r.good_parts + excluded.good_parts;
  return null;
end $$;
revoke all on function sum_oee() from public;
create or replace trigger oee_added
  after insert on shift_log_oee
  referencing new table as added
  for each statement
  execute function sum_oee();
create or replace trigger oee_changed
  after update on shift_log_oee
  referencing old table as removed new table as added
  for each statement
  execute function sum_oee();
create or replace trigger oee_removed
  after delete on shift_log_oee
  referencing old table as removed
  for each statement
  execute function sum_oee();
