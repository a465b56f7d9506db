-- Queues a record for the ERP connections of its tenant. Arguments of the trigger: the entity, and the column with its id.
create or replace function queue_erp_change()
returns trigger
language plpgsql
security definer
set search_path = public, pg_temp
as $$
declare
  changed constant jsonb := to_jsonb(case TG_OP when 'DELETE' then old else new end);
begin
  -- The tenant itself is being deleted.
  if TG_OP = 'DELETE' and not exists (select from tenants where id = (changed ->> 'tenant_id')::uuid) then
    return null;
  end if;
  insert into erp_changes (tenant_id, entity_type, entity_id)
  values ((changed ->> 'tenant_id')::uuid, TG_ARGV[0], (changed ->> TG_ARGV[1])::uuid);
  return null;
end $$;
revoke all on function queue_erp_change() from public;
create or replace trigger queue_erp_change
  after insert or update or delete on downtime_records
  for each row
  execute function queue_erp_change('downtime', 'id');
create or replace trigger queue_erp_change
  after insert on oee_changes
  for each row
  when (new.shift_log_id is not null)
  execute function queue_erp_change('production_data', 'shift_log_id');
create or replace trigger queue_erp_change
  after insert or update on shift_log_oee
  for each row
  execute function queue_erp_change('production_data', 'shift_log_id');
create or replace trigger queue_erp_change
  after update or delete on shift_logs
  for each row
  when (old.status = 'completed')
  execute function queue_erp_change('production_data', 'id');
create or replace trigger queue_erp_change
  after insert or update or delete on work_order_instructions
  for each row
  execute function queue_erp_change('work_order', 'work_order_id');
create or replace trigger queue_erp_change
  after insert or update or delete on work_orders
  for each row
  execute function queue_erp_change('work_order', 'id');
