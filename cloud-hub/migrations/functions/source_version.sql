create or replace function source_version()
returns trigger
language plpgsql
as $$
begin
  new.version := old.version + 1;
  return new;
end $$;
create or replace trigger source_version
  before update of machine_id, name, protocol, host, port, poll_interval_seconds, is_active, agent_id, config, sealed_secrets on ingest_sources
  for each row
  execute function source_version();
