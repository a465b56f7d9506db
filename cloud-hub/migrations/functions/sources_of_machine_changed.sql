-- Polling stops for a deactivated machine.
create or replace function sources_of_machine_changed()
returns trigger
language plpgsql
security definer
set search_path = public, pg_temp
as $$
begin
  perform notify_poller(new.tenant_id, agent)
  from (select distinct agent_id as agent from ingest_sources where tenant_id = new.tenant_id and machine_id = new.id order by 1) agents;
  return null;
end $$;
revoke all on function sources_of_machine_changed() from public;
create or replace trigger sources_of_machine_changed
  after update of is_active, machine_identifier on machines
  for each row
  when ((old.machine_identifier, old.is_active) is distinct from (new.machine_identifier, new.is_active))
  execute function sources_of_machine_changed();
