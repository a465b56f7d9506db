-- The calendar tokens of a user end when the user is deactivated.
create or replace function forget_calendars()
returns trigger
language plpgsql
security definer
set search_path = public, pg_temp
as $$
begin
  delete from calendar_tokens where tenant_id = new.tenant_id and user_id = new.id;
  return null;
end $$;
revoke all on function forget_calendars() from public;
create or replace trigger forget_calendars
  after update of is_active on users
  for each row
  when (old.is_active and not new.is_active)
  execute function forget_calendars();
