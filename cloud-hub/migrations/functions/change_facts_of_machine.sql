-- As change_facts, but by row and by column: flushes write statuses, which must not raise facts_version. A status that a person sets raises
-- it, because hubs remember machines whose status is right.
create or replace function change_facts_of_machine()
returns trigger
language plpgsql
security definer
set search_path = public, pg_temp
as $$
begin
  update tenants set facts_version = facts_version + 1 where id = new.tenant_id;
  return null;
end $$;
revoke all on function change_facts_of_machine() from public;
-- Deferred to the commit, so that two sessions that change machines of one tenant block each other only briefly.
-- There is no "create or replace constraint trigger": a migration drops it to change it.
do $$ begin
  if not exists (select from pg_trigger where tgrelid = 'machines'::regclass and tgname = 'machines_changed') then
    create constraint trigger machines_changed
      after update of name, machine_identifier, location, is_active, status, status_is_manual on machines
      deferrable initially deferred
      for each row
      when ((old.name, old.machine_identifier, old.location, old.is_active) is distinct from (new.name, new.machine_identifier, new.location, new.is_active)
        or (new.status_is_manual and (old.status, old.status_is_manual) is distinct from (new.status, new.status_is_manual)))
      execute function change_facts_of_machine();
  end if;
end $$;
-- What a flush needs of a detection. They are deleted with their machine only.
create or replace trigger detections_changed
  after insert or update of is_active, signal, metric_name, unit, stopped_values, limit_value, silent_after_seconds on downtime_detections
  for each row
  execute function change_facts_of_machine();
