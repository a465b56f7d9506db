-- Says when the job of escalations examines a new alert: when the delay of the first policy has passed; null: it has no policy.
-- Another end of the snooze makes it due, and the job reads the end.
create or replace function plan_escalation()
returns trigger
language plpgsql
security definer
set search_path = public, pg_temp
as $$
begin
  if TG_OP = 'INSERT' then
    new.escalation_due_at := (
      select min(new.created_at + make_interval(mins => p.wait_minutes)) from escalation_policies p
      where p.tenant_id = new.tenant_id and p.severity = new.severity and p.is_active);
  else
    new.escalation_due_at := '1970-01-01T00:00:00Z';
  end if;
  return new;
end $$;
revoke all on function plan_escalation() from public;
create or replace trigger plan_escalation
  before insert on alerts
  for each row
  when (new.cleared_at is null and not new.is_too_old_to_notify and not new.is_muted)
  execute function plan_escalation();
create or replace trigger plan_escalation_after_snooze
  before update of snoozed_until on alerts
  for each row
  when (old.snoozed_until is distinct from new.snoozed_until and old.escalation_due_at is not null)
  execute function plan_escalation();
