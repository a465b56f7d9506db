-- Row-level security and grants for a table that a tenant owns. The migration that creates the table calls this and adds it to policies.sql.
-- The sub-select makes the setting an InitPlan. nullif: the setting is '' after the first SET LOCAL of a connection.
create or replace procedure build_tenant_wall(target regclass, tenant_column name default 'tenant_id')
language plpgsql
as $$
begin
  execute format('alter table %s enable row level security', target);
  execute format(
    'create policy tenant_wall on %s to haltless_app using (%2$I = (select nullif(current_setting(''app.tenant_id'', true), '''')::uuid)) '
    'with check (%2$I = (select nullif(current_setting(''app.tenant_id'', true), '''')::uuid))', target, tenant_column);
  execute format('create policy all_tenants on %s to haltless_system using (true) with check (true)', target);
  execute format('grant select, insert, update, delete on %s to haltless_app, haltless_system', target);
end $$;
