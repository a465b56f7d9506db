-- A new tenant gets the built-in roles.
create or replace function make_builtin_roles()
returns trigger
language plpgsql
security definer
set search_path = public, pg_temp
as $$
begin
  insert into roles (tenant_id, key, name, base_tier, is_builtin)
  values (new.id, 'admin', 'Admin', 'admin', true), (new.id, 'operator', 'Operator', 'operator', true), (new.id, 'viewer', 'Viewer', 'viewer', true);
  return null;
end $$;
revoke all on function make_builtin_roles() from public;
create or replace trigger make_builtin_roles
  after insert on tenants
  for each row
  execute function make_builtin_roles();
