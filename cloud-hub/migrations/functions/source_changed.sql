create or replace function source_changed()
returns trigger
language plpgsql
security definer
set search_path = public, pg_temp
as $$
begin
  if TG_OP <> 'INSERT' then perform notify_poller(old.tenant_id, old.agent_id); end if;
  if TG_OP <> 'DELETE' and (TG_OP = 'INSERT' or new.agent_id is distinct from old.agent_id) then
    perform notify_poller(new.tenant_id, new.agent_id);
  end if;
  return null;
end $$;
revoke all on function source_changed() from public;
create or replace trigger source_changed
  after insert or delete or update of machine_id, name, protocol, host, port, poll_interval_seconds, is_active, agent_id, config, sealed_secrets on ingest_sources
  for each row
  execute function source_changed();
