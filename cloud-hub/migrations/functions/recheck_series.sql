-- The job of recurring maintenance looks at the series of machines whose local time may be of another zone now: they are due at once. A series
-- that is due already is not written again, so many changes in one transaction cost no more than one.
create or replace function recheck_series()
returns trigger
language plpgsql
security definer
set search_path = public, pg_temp
as $$
begin
  if TG_TABLE_NAME = 'machine_group_members' then
    update maintenance_events e set next_occurrence_at = '1970-01-01T00:00:00Z'
    from (select distinct tenant_id, machine_id from changed) c
    where e.tenant_id = c.tenant_id and e.machine_id = c.machine_id and e.next_occurrence_at > '1970-01-01T00:00:00Z';
    return null;
  end if;
  if TG_TABLE_NAME = 'tenants' then
    update maintenance_events set next_occurrence_at = '1970-01-01T00:00:00Z'
    where tenant_id = new.id and next_occurrence_at > '1970-01-01T00:00:00Z';
    return null;
  end if;
  -- only sites have a time zone: of groups without one a deletion changes no machine's, and a move only where a site has one
  if TG_OP = 'DELETE' then
    update maintenance_events set next_occurrence_at = '1970-01-01T00:00:00Z'
    where tenant_id in (select tenant_id from changed where time_zone is not null) and next_occurrence_at > '1970-01-01T00:00:00Z';
    return null;
  end if;
  update maintenance_events set next_occurrence_at = '1970-01-01T00:00:00Z'
  where tenant_id in (
      select c.tenant_id from former f join changed c on c.tenant_id = f.tenant_id and c.id = f.id
      where f.time_zone is distinct from c.time_zone
        or (f.group_type, f.parent_id) is distinct from (c.group_type, c.parent_id)
          and exists (select from machine_groups g where g.tenant_id = c.tenant_id and g.time_zone is not null))
    and next_occurrence_at > '1970-01-01T00:00:00Z';
  return null;
end $$;
revoke all on function recheck_series() from public;
create or replace trigger recheck_series
  after update of time_zone on tenants
  for each row
  when (old.time_zone <> new.time_zone)
  execute function recheck_series();
create or replace trigger recheck_series
  after update on machine_groups
  referencing old table as former new table as changed
  for each statement
  execute function recheck_series();
create or replace trigger recheck_series_of_deleted
  after delete on machine_groups
  referencing old table as changed
  for each statement
  execute function recheck_series();
-- a change of members may have thousands of rows
create or replace trigger recheck_series
  after insert on machine_group_members
  referencing new table as changed
  for each statement
  execute function recheck_series();
create or replace trigger recheck_series_of_deleted
  after delete on machine_group_members
  referencing old table as changed
  for each statement
  execute function recheck_series();
