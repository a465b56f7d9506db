-- Notes deleted work orders, maintenance events, shift logs, downtime records and notes for live streams. Argument of the trigger: the kind.
create or replace function note_deletion()
returns trigger
language plpgsql
security definer
set search_path = public, pg_temp
as $$
begin
  insert into deleted_resources (tenant_id, kind, id, machine_id, group_id, deleted_at)
  values (old.tenant_id, TG_ARGV[0], old.id, old.machine_id, (to_jsonb(old) ->> 'group_id')::uuid, clock_timestamp()) on conflict do nothing;
  return null;
end $$;
revoke all on function note_deletion() from public;
create or replace trigger note_deletion
  after delete on downtime_records
  for each row
  execute function note_deletion('downtime');
create or replace trigger note_deletion
  after delete on maintenance_events
  for each row
  execute function note_deletion('maintenance');
create or replace trigger note_deletion
  after delete on notes
  for each row
  execute function note_deletion('note');
create or replace trigger note_deletion
  after delete on shift_logs
  for each row
  execute function note_deletion('shift');
create or replace trigger note_deletion
  after delete on work_orders
  for each row
  execute function note_deletion('work_order');
