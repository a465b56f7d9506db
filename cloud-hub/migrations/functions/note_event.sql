-- Records an event that changes no audited row, such as a sign-in or a refusal. `details` become its `after`.
-- A login of haltless_app records only for the tenant of its transaction.
drop function if exists note_event(uuid, jsonb, text, text, text, text);
create or replace function note_event(
  tenant uuid, actor jsonb, action text, target_type text, target_id text, target_name text, details jsonb default null)
returns void
language plpgsql
security definer
set search_path = public, pg_temp
as $$
begin
  if not serves_tenant(tenant) then
    raise exception 'an event of another tenant';
  end if;
  insert into audit_log (tenant_id, at, actor_kind, actor_id, actor_name, ip, request_id, action, target_type, target_id, target_name, after)
  values (tenant, clock_timestamp(), actor ->> 'kind', actor ->> 'id', actor ->> 'name', actor ->> 'ip', actor ->> 'request_id',
    action, target_type, target_id, target_name, details);
end $$;
revoke all on function note_event(uuid, jsonb, text, text, text, text, jsonb) from public;
grant execute on function note_event(uuid, jsonb, text, text, text, text, jsonb) to haltless_app, haltless_system;
