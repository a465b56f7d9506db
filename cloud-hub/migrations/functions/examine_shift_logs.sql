-- The job of automatic shift logs examines a tenant whose shifts have changed, or the sites of its machines. It computes from them when the next shift starts.
create or replace function examine_shift_logs()
returns trigger
language plpgsql
security definer
set search_path = public, pg_temp
as $$
begin
  if TG_TABLE_NAME = 'tenants' then
    new.shift_logs_due_at := '1970-01-01T00:00:00Z';
    return new;
  end if;
  if TG_LEVEL = 'STATEMENT' then
    update tenants set shift_logs_due_at = '1970-01-01T00:00:00Z'
    where id in (select tenant_id from changed) and auto_shift_logs and shift_logs_due_at > '1970-01-01T00:00:00Z';
    return null;
  end if;
  -- once in a transaction that replaces many rows
  update tenants set shift_logs_due_at = '1970-01-01T00:00:00Z'
  where id = coalesce(new.tenant_id, old.tenant_id) and auto_shift_logs and shift_logs_due_at > '1970-01-01T00:00:00Z';
  return null;
end $$;
revoke all on function examine_shift_logs() from public;
create or replace trigger examine_shift_logs
  before update of time_zone, auto_shift_logs on tenants
  for each row
  when (old.time_zone <> new.time_zone or old.auto_shift_logs <> new.auto_shift_logs)
  execute function examine_shift_logs();
create or replace trigger examine_shift_logs
  after insert or update or delete on shift_definitions
  for each row
  execute function examine_shift_logs();
create or replace trigger examine_shift_logs
  after insert or update or delete on non_production_days
  for each row
  execute function examine_shift_logs();
create or replace trigger examine_shift_logs
  after update of time_zone, group_type, parent_id on machine_groups
  for each row
  when ((old.time_zone, old.group_type, old.parent_id) is distinct from (new.time_zone, new.group_type, new.parent_id))
  execute function examine_shift_logs();
create or replace trigger examine_shift_logs_of_deleted
  after delete on machine_groups
  for each row
  execute function examine_shift_logs();
-- a change of members may have thousands of rows
create or replace trigger examine_shift_logs
  after insert on machine_group_members
  referencing new table as changed
  for each statement
  execute function examine_shift_logs();
create or replace trigger examine_shift_logs_of_deleted
  after delete on machine_group_members
  referencing old table as changed
  for each statement
  execute function examine_shift_logs();
