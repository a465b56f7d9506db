-- Whether the login of this session may act for this tenant in a function that runs as the owner: the transaction is the tenant's, or it
-- is none's and the login serves all tenants (haltless_system, the owner).
create or replace function serves_tenant(tenant uuid)
returns boolean
language sql
stable
set search_path = public, pg_temp
as $$
  select case when current_setting('app.tenant_id', true) <> '' then tenant = current_setting('app.tenant_id', true)::uuid
    else pg_has_role(session_user, 'haltless_system', 'member') or session_user = current_user end
$$;
revoke all on function serves_tenant(uuid) from public;
