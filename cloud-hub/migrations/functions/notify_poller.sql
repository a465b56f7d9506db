-- Raises the revision of an agent's polling sources and notifies its poller at the commit: `tenant/agent`, or '' for hubs.
-- The row of the revision is locked until then, so a reader of a revision sees all changes up to it.
create or replace function notify_poller(tenant uuid, agent text)
returns void
language plpgsql
security definer
set search_path = public, pg_temp
as $$
begin
  if agent is not null then
    insert into agent_sources as a (tenant_id, agent_id, revision) select id, agent, 1 from tenants where id = tenant
    on conflict (tenant_id, agent_id) do update set revision = a.revision + 1;
  end if;
  perform pg_notify('haltless_sources', coalesce(tenant::text || '/' || agent, ''));
end $$;
revoke all on function notify_poller(uuid, text) from public;
