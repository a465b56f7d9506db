-- Queues a delivery to channels that follow alerts when one that they received is acknowledged or cleared, by any code path.
-- The trigger runs at the end of the statement, when the deliveries of an alert that is cleared at once exist.
create or replace function follow_alert()
returns trigger
language plpgsql
security definer
set search_path = public, pg_temp
as $$
declare
  before alerts := case when TG_OP = 'UPDATE' then old end;
begin
  insert into deliveries (tenant_id, channel_id, alert_id, event, subject, due_at, created_at)
  select distinct d.tenant_id, d.channel_id, d.alert_id, happened.event, alert_subject(c.subject_kind, new.id, new.machine_id, new.metric_name, new.unit),
    happened.at, happened.at
  from (values
    ('acknowledged', case when before.acknowledged_at is null then new.acknowledged_at end),
    ('cleared', case when before.cleared_at is null then new.cleared_at end)
  ) happened(event, at)
  join deliveries d on d.tenant_id = new.tenant_id and d.alert_id = new.id and d.event = 'raised'
  join notification_channels c on c.tenant_id = d.tenant_id and c.id = d.channel_id and c.is_active and c.follows_alert
  where happened.at is not null;
  if found then perform pg_notify('haltless_deliveries', ''); end if;
  return null;
end $$;
revoke all on function follow_alert() from public;
create or replace trigger follow_alert_over
  after insert on alerts
  for each row
  when (new.cleared_at is not null)
  execute function follow_alert();
create or replace trigger follow_alert_changed
  after update of acknowledged_at, cleared_at on alerts
  for each row
  when ((old.acknowledged_at is null and new.acknowledged_at is not null) or (old.cleared_at is null and new.cleared_at is not null))
  execute function follow_alert();
