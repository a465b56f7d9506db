-- Keeps downtime_figures. Rows of a machine are folded in the order (started_at, record_id): each follows from its record and the row before it.
-- The fold begins at the change and ends at the first later row whose state stays the same, because no row after it can differ.
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
begin
  -- Concurrent changes of a machine follow each other. Class 4715, see src/db/advisory-locks.ts.
  perform pg_advisory_xact_lock(4715, hashtext(machine::text));
  if TG_OP <> 'INSERT' then
    delete from downtime_figures where tenant_id = tenant and machine_id = machine and started_at = old.started_at and record_id = old.id;
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
  return null;
end $$;
revoke all on function fold_downtime() from public;
create or replace trigger fold_downtime
  after insert or delete or update of started_at, ended_at, reason_type on downtime_records
  for each row
  execute function fold_downtime();
