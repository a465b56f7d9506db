-- Makes the job of escalations examine open alerts again: those of the severity of a new or changed policy, those of the policies of
-- a channel that is enabled again, and those of a machine whose maintenance has ended.
-- It locks them by id, as flushes do.
create or replace function examine_escalations()
returns trigger
language plpgsql
security definer
set search_path = public, pg_temp
as $$
declare
  changed jsonb := to_jsonb(case when TG_OP = 'DELETE' then old else new end);
  tenant uuid := (changed ->> 'tenant_id')::uuid;
  severities text[];
  concerned uuid[];
begin
  if TG_TABLE_NAME = 'maintenance_events' then
    concerned := array(select a.id from alerts a
      where a.tenant_id = tenant and a.machine_id = old.machine_id and a.acknowledged_at is null and a.cleared_at is null
        and not a.is_too_old_to_notify and not a.is_muted
      order by a.id for no key update);
  else
    severities := case TG_TABLE_NAME when 'escalation_policies' then array[changed ->> 'severity']
      else array(select p.severity from escalation_policies p
        where p.tenant_id = tenant and p.channel_id = (changed ->> 'id')::uuid and p.is_active) end;
    concerned := array(select a.id from alerts a
      where a.tenant_id = tenant and a.severity = any (severities) and a.acknowledged_at is null and a.cleared_at is null
        and not a.is_too_old_to_notify and not a.is_muted
      order by a.id for no key update);
  end if;
  update alerts a set escalation_due_at = '1970-01-01T00:00:00Z' where a.tenant_id = tenant and a.id = any (concerned);
  return null;
end $$;
revoke all on function examine_escalations() from public;
create or replace trigger examine_escalations
  after insert or update of severity, wait_minutes, channel_id, is_active on escalation_policies
  for each row
  when (new.is_active)
  execute function examine_escalations();
create or replace trigger examine_escalations
  after update of is_active on notification_channels
  for each row
  when (new.is_active and not old.is_active)
  execute function examine_escalations();
create or replace trigger examine_escalations
  after update of status, machine_id on maintenance_events
  for each row
  when (old.status = 'in_progress' and (new.status <> 'in_progress' or new.machine_id <> old.machine_id))
  execute function examine_escalations();
create or replace trigger examine_escalations_after_deletion
  after delete on maintenance_events
  for each row
  when (old.status = 'in_progress')
  execute function examine_escalations();
