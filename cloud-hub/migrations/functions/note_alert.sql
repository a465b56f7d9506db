-- Writes the history of an alert that a person, a flush or a change of its rule changes. app.actor names the actor.
create or replace function note_alert()
returns trigger
language plpgsql
security definer
set search_path = public, pg_temp
as $$
declare
  acting jsonb := nullif(current_setting('app.actor', true), '')::jsonb;
  actor jsonb := case when acting is not null then jsonb_build_object('kind', acting -> 'kind', 'id', acting -> 'id', 'name', acting -> 'name') end;
begin
  insert into alert_history (tenant_id, alert_id, event, at, actor, details)
  select new.tenant_id, new.id, event, at, actor, details
  from (values
    ('acknowledged', new.acknowledged_at, TG_OP = 'INSERT' or old.acknowledged_at is distinct from new.acknowledged_at, null::jsonb),
    ('snoozed', case when new.snoozed_until is not null then clock_timestamp() end,
      TG_OP = 'INSERT' or old.snoozed_until is distinct from new.snoozed_until,
      jsonb_build_object('until', to_char(new.snoozed_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))),
    ('cleared', new.cleared_at, TG_OP = 'INSERT' or old.cleared_at is distinct from new.cleared_at, null)
  ) happened(event, at, is_new, details) where is_new and at is not null;
  return null;
end $$;
revoke all on function note_alert() from public;
create or replace trigger note_alert_over
  after insert on alerts
  for each row
  when (new.cleared_at is not null)
  execute function note_alert();
create or replace trigger note_alert_changed
  after update of acknowledged_at, snoozed_until, cleared_at on alerts
  for each row
  execute function note_alert();
