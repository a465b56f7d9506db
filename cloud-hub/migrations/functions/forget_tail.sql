-- Deletes the recent readings of deleted machines. A foreign key would lock the machine's row in every flush.
create or replace function forget_tail()
returns trigger
language plpgsql
security definer
set search_path = public, pg_temp
as $$
begin
  delete from reading_tail r using gone g where r.tenant_id = g.tenant_id and r.machine_id = g.id;
  return null;
end $$;
create or replace trigger forget_tail
  after delete on machines
  referencing old table as gone
  for each statement
  execute function forget_tail();
revoke all on function forget_tail() from public;
