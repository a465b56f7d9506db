-- Flushes cache the rules and machines of a tenant and compare facts_version. These triggers increment it with every change.
create or replace function change_facts()
returns trigger
language plpgsql
security definer
set search_path = public, pg_temp
as $$
begin
  update tenants set facts_version = facts_version + 1 where id in (select distinct tenant_id from changed);
  return null;
end $$;
revoke all on function change_facts() from public;
create or replace trigger rules_made
  after insert on threshold_rules
  referencing new table as changed
  for each statement
  execute function change_facts();
create or replace trigger rules_changed
  after update on threshold_rules
  referencing new table as changed
  for each statement
  execute function change_facts();
create or replace trigger rules_deleted
  after delete on threshold_rules
  referencing old table as changed
  for each statement
  execute function change_facts();
create or replace trigger machines_deleted
  after delete on machines
  referencing old table as changed
  for each statement
  execute function change_facts();
create or replace trigger composite_rules_made
  after insert on composite_rules
  referencing new table as changed
  for each statement
  execute function change_facts();
create or replace trigger composite_rules_changed
  after update on composite_rules
  referencing new table as changed
  for each statement
  execute function change_facts();
create or replace trigger composite_rules_deleted
  after delete on composite_rules
  referencing old table as changed
  for each statement
  execute function change_facts();
