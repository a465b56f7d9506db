-- Queues ranges of counter readings that begin before the end of a completed shift log, or may show that the last reading of one was a dip. A flush calls it with its counter series only.
create or replace function queue_oee_of_counters(tenant_ids uuid[], machine_ids uuid[], from_times timestamptz[], until_times timestamptz[])
returns void
language sql
security definer
set search_path = public, pg_temp
as $$
  insert into oee_changes (tenant_id, machine_id, from_at, until_at)
  select r.tenant_id, r.machine_id, r.from_at, r.until_at
  from unnest(tenant_ids, machine_ids, from_times, until_times) r(tenant_id, machine_id, from_at, until_at)
  where exists (
    select from shift_logs l
    where l.tenant_id = r.tenant_id and l.machine_id = r.machine_id and l.status = 'completed' and l.actual_end > r.from_at)
    or exists (
      select from shift_log_oee o where o.tenant_id = r.tenant_id and o.machine_id = r.machine_id and o.has_open_drop)
$$;
revoke all on function queue_oee_of_counters(uuid[], uuid[], timestamptz[], timestamptz[]) from public;
grant execute on function queue_oee_of_counters(uuid[], uuid[], timestamptz[], timestamptz[]) to haltless_ingest;
