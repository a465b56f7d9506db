-- Queues a shift log whose OEE must be computed: it was completed, or its times changed.
create or replace function queue_oee_of_log()
returns trigger
language plpgsql
security definer
set search_path = public, pg_temp
as $$
begin
  insert into oee_changes (tenant_id, shift_log_id, has_new_counts) values (new.tenant_id, new.id, true);
  return null;
end $$;
revoke all on function queue_oee_of_log() from public;
create or replace trigger shift_log_completed
  after insert on shift_logs
  for each row
  when (new.status = 'completed')
  execute function queue_oee_of_log();
create or replace trigger shift_log_changed
  after update on shift_logs
  for each row
  when (new.status = 'completed' and (old.status, old.actual_start, old.actual_end) is distinct from (new.status, new.actual_start, new.actual_end))
  execute function queue_oee_of_log();
