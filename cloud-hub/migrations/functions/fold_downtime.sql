-- Keeps downtime_figures. Rows of a machine are folded in the order (started_at, record_id): each follows from its record and the row before it.
-- The fold begins at the change and ends at the first later row whose state stays the same, because no row after it can differ.
-- Keeps downtime_rollups too: what the rows added before is subtracted, what they add now is added.
create or replace function fold_downtime()
returns trigger
language plpgsql
security definer
set search_path = public, pg_temp
as $$
declare
  tenant constant uuid := coalesce(new.tenant_id, old.tenant_id);
  machine constant uuid := coalesce(new.machine_id, old.machine_id);
  first_change constant timestamptz := least(old.started_at, new.started_at);
  last_change constant timestamptz := greatest(old.started_at, new.started_at);
  before downtime_figures;
  stored downtime_figures;
  folded downtime_figures;
  removed downtime_figures[] := '{}';
  added downtime_figures[] := '{}';
begin
  -- Concurrent changes of a machine follow each other. Class 4715, see src/db/advisory-locks.ts.
  perform pg_advisory_xact_lock(4715, hashtext(machine::text));
  if TG_OP <> 'INSERT' then
    delete from downtime_figures where tenant_id = tenant and machine_id = machine and started_at = old.started_at and record_id = old.id
    returning * into stored;
    if found then removed := removed || stored; end if;
  end if;
  if TG_OP <> 'DELETE' then
    insert into downtime_figures (tenant_id, machine_id, started_at, record_id, ended_at, is_unplanned, repair_seconds, starts_failure, covered_until, uptime_seconds)
    values (tenant, machine, new.started_at, new.id, coalesce(new.ended_at, 'infinity'), new.reason_type = 'unplanned',
      case when new.reason_type in ('unplanned', 'maintenance') then extract(epoch from new.ended_at - new.started_at) end,
      false, '-infinity', 0);
  end if;
  select * into before from downtime_figures
  where tenant_id = tenant and machine_id = machine and started_at < first_change order by started_at desc, record_id desc limit 1;
  for stored in
    select * from downtime_figures where tenant_id = tenant and machine_id = machine and started_at >= first_change order by started_at, record_id
  loop
    folded := next_downtime_figures(before, stored);
    if stored.record_id = new.id then
      added := added || folded;
    elsif folded is distinct from stored then
      removed := removed || stored;
      added := added || folded;
    end if;
    if folded is distinct from stored then
      update downtime_figures set
        attributed_from = folded.attributed_from, starts_failure = folded.starts_failure, previous_failure_at = folded.previous_failure_at,
        uptime_before_seconds = folded.uptime_before_seconds, covered_until = folded.covered_until, failed_until = folded.failed_until,
        failed_at = folded.failed_at, uptime_seconds = folded.uptime_seconds
      where tenant_id = tenant and machine_id = machine and started_at = stored.started_at and record_id = stored.record_id;
    end if;
    exit when stored.started_at > last_change
      and (folded.covered_until, folded.failed_until, folded.failed_at, folded.uptime_seconds)
        is not distinct from (stored.covered_until, stored.failed_until, stored.failed_at, stored.uptime_seconds);
    before := folded;
  end loop;

  insert into downtime_rollups as r (tenant_id, machine_id, days, start_at, downtime_ms, records, repairs, repair_ms, failures, intervals, uptime_ms,
    entering_intervals, entering_uptime_ms, entering_from_ms)
  select tenant, machine, length.days, s.start_at, sum(sign * s.downtime_ms), sum(sign * s.records), sum(sign * s.repairs), sum(sign * s.repair_ms),
    sum(sign * s.failures), sum(sign * s.intervals), sum(sign * s.uptime_ms), sum(sign * s.entering_intervals),
    sum(sign * s.entering_uptime_ms), sum(sign * s.entering_from_ms)
  from (select 1 as sign, a as f from unnest(added) a union all select -1, o from unnest(removed) o) changed
  cross join (values (7), (28)) length(days)
  cross join lateral downtime_rollups_of(f, length.days) s
  where exists (select from machines m where m.tenant_id = tenant and m.id = machine)
  group by 3, 4
  on conflict (tenant_id, days, start_at, machine_id) do update set
    downtime_ms = r.downtime_ms + excluded.downtime_ms, records = r.records + excluded.records, repairs = r.repairs + excluded.repairs,
    repair_ms = r.repair_ms + excluded.repair_ms, failures = r.failures + excluded.failures, intervals = r.intervals + excluded.intervals,
    uptime_ms = r.uptime_ms + excluded.uptime_ms, entering_intervals = r.entering_intervals + excluded.entering_intervals,
    entering_uptime_ms = r.entering_uptime_ms + excluded.entering_uptime_ms, entering_from_ms = r.entering_from_ms + excluded.entering_from_ms;
  return null;
end $$;
revoke all on function fold_downtime() from public;
create or replace trigger fold_downtime
  after insert or delete or update of started_at, ended_at, reason_type on downtime_records
  for each row
  execute function fold_downtime();
