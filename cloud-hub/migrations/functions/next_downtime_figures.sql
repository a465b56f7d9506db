-- The figures of a downtime record from the row before it (null for the first of its machine). fold_downtime calls it.
-- Uptime counts from the end of the latest failure: only time that no record covers, so it grows by the gap before a record.
create or replace function next_downtime_figures(before downtime_figures, record downtime_figures)
returns downtime_figures
language plpgsql
immutable
set search_path = public, pg_temp
as $$
declare
  folded downtime_figures := record;
  covered constant timestamptz := coalesce(before.covered_until, '-infinity');
  failed constant timestamptz := coalesce(before.failed_until, '-infinity');
  uptime double precision := coalesce(before.uptime_seconds, 0);
begin
  if before.failed_until is not null and covered < record.started_at then
    uptime := uptime + extract(epoch from record.started_at - covered);
  end if;
  folded.attributed_from := case when covered < record.ended_at then greatest(record.started_at, covered) end;
  folded.covered_until := greatest(covered, record.ended_at);
  -- A failure that begins at the instant at which another ends continues it.
  folded.starts_failure := record.is_unplanned and failed < record.started_at;
  folded.previous_failure_at := case when folded.starts_failure then before.failed_at end;
  folded.uptime_before_seconds := case when folded.starts_failure and before.failed_until is not null then uptime end;
  folded.failed_at := case when folded.starts_failure then record.started_at else before.failed_at end;
  folded.failed_until := case when record.is_unplanned then greatest(failed, record.ended_at) else before.failed_until end;
  folded.uptime_seconds := case when record.is_unplanned then 0 else uptime end;
  return folded;
end $$;
revoke all on function next_downtime_figures(downtime_figures, downtime_figures) from public;
