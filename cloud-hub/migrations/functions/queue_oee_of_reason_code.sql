-- Queues a reason code whose loss category changed: a job queues the shift logs with its downtime.
create or replace function queue_oee_of_reason_code()
returns trigger
language plpgsql
security definer
set search_path = public, pg_temp
as $$
begin
  insert into oee_changes (tenant_id, reason_code_id) values (new.tenant_id, new.id);
  return null;
end $$;
revoke all on function queue_oee_of_reason_code() from public;
create or replace trigger oee_of_reason_code_changed
  after update on reason_codes
  for each row
  when (old.oee_loss_category <> new.oee_loss_category)
  execute function queue_oee_of_reason_code();
