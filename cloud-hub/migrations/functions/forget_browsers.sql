-- A deactivated user's browsers receive no more alerts.
create or replace function forget_browsers()
returns trigger
language plpgsql
security definer
set search_path = public, pg_temp
as $$
begin
  delete from notification_channels where tenant_id = new.tenant_id and channel_type = 'push' and created_by = new.id;
  return null;
end $$;
revoke all on function forget_browsers() from public;
create or replace trigger forget_browsers
  after update of is_active on users
  for each row
  when (old.is_active and not new.is_active)
  execute function forget_browsers();
