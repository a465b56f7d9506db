-- Flushes use confirmed mappings only, so suggestions do not raise facts_version.
create or replace function change_mapping_facts()
returns trigger
language plpgsql
security definer
set search_path = public, pg_temp
as $$
begin
  update tenants t set
    facts_version = facts_version + 1,
    has_tag_mappings = exists (select from tag_mappings m where m.tenant_id = t.id and m.is_confirmed)
  where id in (select distinct tenant_id from changed where is_confirmed);
  return null;
end $$;
revoke all on function change_mapping_facts() from public;
create or replace trigger mappings_made
  after insert on tag_mappings
  referencing new table as changed
  for each statement
  execute function change_mapping_facts();
create or replace trigger mappings_changed
  after update on tag_mappings
  referencing new table as changed
  for each statement
  execute function change_mapping_facts();
create or replace trigger mappings_deleted
  after delete on tag_mappings
  referencing old table as changed
  for each statement
  execute function change_mapping_facts();
