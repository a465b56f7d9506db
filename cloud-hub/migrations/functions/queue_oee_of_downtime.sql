-- Queues the completed shift logs that changed downtime falls into, before or after the change.
create or replace function queue_oee_of_downtime()
returns trigger
language plpgsql
security definer
set search_path = public, pg_temp
as $$
begin
  insert into oee_changes (tenant_id, shift_log_id)
  select distinct l.tenant_id, l.id
  from unnest(
    array[old.tenant_id, new.tenant_id], array[old.machine_id, new.machine_id],
    array[old.started_at, new.started_at], array[old.ended_at, new.ended_at]
  ) changed(tenant_id, machine_id, started_at, ended_at)
  join shift_logs l on l.tenant_id = changed.tenant_id and l.machine_id = changed.machine_id and l.status = 'completed'
    and l.actual_end > changed.started_at and l.actual_start < coalesce(changed.ended_at, 'infinity');
  return null;
end $$;
revoke all on function queue_oee_of_downtime() from public;
create or replace trigger oee_of_downtime_added
  after insert or delete on downtime_records
  for each row
  execute function queue_oee_of_downtime();
create or replace trigger oee_of_downtime_changed
  after update on downtime_records
  for each row
  when ((old.machine_id, old.started_at, old.ended_at, old.reason_type, old.reason_code_id)
    is distinct from (new.machine_id, new.started_at, new.ended_at, new.reason_type, new.reason_code_id))
  execute function queue_oee_of_downtime();
