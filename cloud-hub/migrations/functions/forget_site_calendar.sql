-- A group that is deleted, or is no site any more, has no time zone, shifts or days of its own. Its shift definitions stay, because logs name
-- them: deactivated, and of no site.
create or replace function forget_site_calendar()
returns trigger
language plpgsql
security definer
set search_path = public, pg_temp
as $$
begin
  update shift_definitions set is_active = false, group_id = null, updated_at = now()
  where tenant_id = old.tenant_id and group_id = old.id;
  delete from non_production_days where tenant_id = old.tenant_id and group_id = old.id;
  if TG_OP = 'DELETE' then return old; end if;
  new.time_zone := null;
  return new;
end $$;
revoke all on function forget_site_calendar() from public;
create or replace trigger forget_site_calendar
  before delete on machine_groups
  for each row
  when (old.group_type = 'site')
  execute function forget_site_calendar();
create or replace trigger forget_site_calendar_of_group
  before update of group_type on machine_groups
  for each row
  when (old.group_type = 'site' and new.group_type <> 'site')
  execute function forget_site_calendar();
