CREATE TABLE "delivery_windows" (
	"tenant_id" uuid NOT NULL,
	"channel_id" uuid NOT NULL,
	"until" timestamp (3) with time zone NOT NULL,
	"sent" integer NOT NULL,
	CONSTRAINT "delivery_windows_tenant_id_channel_id_pk" PRIMARY KEY("tenant_id","channel_id")
);
--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "event" text DEFAULT 'raised' NOT NULL;--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "subject" text;--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "ticket_id" text;--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "lead_id" uuid;--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "group_size" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "delivery_attempts" ADD COLUMN "event" text DEFAULT 'raised' NOT NULL;--> statement-breakpoint
ALTER TABLE "delivery_windows" ADD CONSTRAINT "delivery_windows_tenant_id_channel_id_notification_channels_tenant_id_id_fk" FOREIGN KEY ("tenant_id","channel_id") REFERENCES "public"."notification_channels"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "notification_channels_endpoint_idx" ON "notification_channels" USING btree ("tenant_id",("masked_config" ->> 'endpoint_hash')) WHERE "notification_channels"."channel_type" = 'push';--> statement-breakpoint
CREATE INDEX "deliveries_gathering_idx" ON "deliveries" USING btree ("due_at") WHERE "deliveries"."status" = 'gathering';--> statement-breakpoint
CREATE INDEX "deliveries_alert_idx" ON "deliveries" USING btree ("tenant_id","alert_id");--> statement-breakpoint
CREATE INDEX "deliveries_subject_idx" ON "deliveries" USING btree ("tenant_id","channel_id","subject") WHERE "deliveries"."subject" is not null;--> statement-breakpoint
CREATE INDEX "deliveries_lead_idx" ON "deliveries" USING btree ("tenant_id","lead_id") WHERE "deliveries"."lead_id" is not null;
--> statement-breakpoint
call build_tenant_wall('delivery_windows');
-- What a delivery is about at an incident tool (the alert) or a ticketing tool (all alerts of one machine, metric and unit); null elsewhere.
create function delivery_subject(channel_type text, alert_id uuid, machine_id uuid, metric text, unit text) returns text language sql immutable as $$
  select case
    when channel_type like 'incident\_%' then alert_id::text
    when channel_type like 'ticketing\_%' then 'haltless-' || md5(machine_id || E'\n' || metric || E'\n' || unit)
  end
$$;
grant select (channel_type) on notification_channels to haltless_ingest;
--> statement-breakpoint
-- Incident and ticketing tools that were told of an alert are told when it is acknowledged and when it ends. Every way of changing an alert
-- passes here. At the end of the statement: an alert that is over when it is stored has its deliveries by then.
create function follow_alert() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  before alerts := case when TG_OP = 'UPDATE' then old end;
begin
  insert into deliveries (tenant_id, channel_id, alert_id, event, subject, due_at, created_at)
  select distinct d.tenant_id, d.channel_id, d.alert_id, happened.event, delivery_subject(c.channel_type, new.id, new.machine_id, new.metric_name, new.unit),
    happened.at, happened.at
  from (values
    ('acknowledged', case when before.acknowledged_at is null then new.acknowledged_at end),
    ('cleared', case when before.cleared_at is null then new.cleared_at end)
  ) happened(event, at)
  join deliveries d on d.tenant_id = new.tenant_id and d.alert_id = new.id and d.event = 'raised'
  join notification_channels c on c.tenant_id = d.tenant_id and c.id = d.channel_id and c.is_active
    and (c.channel_type like 'incident\_%' or c.channel_type like 'ticketing\_%')
  where happened.at is not null;
  if found then perform pg_notify('haltless_deliveries', ''); end if;
  return null;
end $$;
revoke all on function follow_alert() from public;
create trigger follow_alert_over after insert on alerts for each row when (new.cleared_at is not null) execute function follow_alert();
create trigger follow_alert_changed after update of acknowledged_at, cleared_at on alerts for each row
  when ((old.acknowledged_at is null and new.acknowledged_at is not null) or (old.cleared_at is null and new.cleared_at is not null))
  execute function follow_alert();
--> statement-breakpoint
-- Lets deliveries to people's channels go: `at_once` of each channel, and what comes further within `span` as one message at its end. While that
-- goes on, one message per span. A channel's row is locked, so any replica may do it; answers how many may now be taken.
create function gather_deliveries(at timestamptz, at_once integer, span interval) returns integer language plpgsql as $$
declare
  c record;
  w delivery_windows;
  lead uuid;
  n integer;
  freed integer := 0;
begin
  for c in select distinct tenant_id, channel_id from deliveries where status = 'gathering' and due_at <= at order by 1, 2 limit 500 loop
    insert into delivery_windows values (c.tenant_id, c.channel_id, '-infinity', 0) on conflict do nothing;
    select * into w from delivery_windows where tenant_id = c.tenant_id and channel_id = c.channel_id for update skip locked;
    continue when not found;
    -- held back, unlike what has just come
    select id into lead from deliveries
    where tenant_id = c.tenant_id and channel_id = c.channel_id and status = 'gathering' and due_at <= at and due_at > created_at
    order by created_at, id limit 1;
    if found and w.until <= at then
      update deliveries set status = case when id = lead then 'waiting' else 'grouped' end, lead_id = nullif(lead, id)
      where tenant_id = c.tenant_id and channel_id = c.channel_id and status = 'gathering' and due_at <= at;
      get diagnostics n = row_count;
      update deliveries set group_size = n where tenant_id = c.tenant_id and id = lead;
      w.until := at + span;
      w.sent := at_once;
      freed := freed + 1;
    else
      if w.until <= at then
        w.until := at + span;
        w.sent := 0;
      end if;
      update deliveries set status = 'waiting' where tenant_id = c.tenant_id and id in (
        select id from deliveries where tenant_id = c.tenant_id and channel_id = c.channel_id and status = 'gathering' and due_at <= at
        order by created_at, id limit greatest(0, at_once - w.sent));
      get diagnostics n = row_count;
      w.sent := w.sent + n;
      freed := freed + n;
      update deliveries set due_at = w.until where tenant_id = c.tenant_id and channel_id = c.channel_id and status = 'gathering' and due_at <= at;
    end if;
    update delivery_windows set until = w.until, sent = w.sent where tenant_id = c.tenant_id and channel_id = c.channel_id;
  end loop;
  return freed;
end $$;
--> statement-breakpoint
-- Alerts no longer reach the browsers of whoever left.
create function forget_browsers() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from notification_channels where tenant_id = new.tenant_id and channel_type = 'push' and created_by = new.id;
  return null;
end $$;
revoke all on function forget_browsers() from public;
create trigger forget_browsers after update of is_active on users for each row when (old.is_active and not new.is_active) execute function forget_browsers();
--> statement-breakpoint
CREATE TABLE "report_turns" (
	"tenant_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"schedule" text NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "report_turns_tenant_id_user_id_pk" PRIMARY KEY("tenant_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "report_turns" ADD CONSTRAINT "report_turns_tenant_id_user_id_users_tenant_id_id_fk" FOREIGN KEY ("tenant_id","user_id") REFERENCES "public"."users"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "report_turns_due_idx" ON "report_turns" USING btree ("due_at");
--> statement-breakpoint
call build_tenant_wall('report_turns');
-- The day, week or month that had ended at an instant, where somebody lives, and when he is told of the next one: at 7 in the morning after it.
create function report_period(schedule text, of_zone text, at timestamptz, out zone text, out period_start timestamptz, out period_end timestamptz,
  out next_due timestamptz) language plpgsql stable as $$
declare
  unit text := case schedule when 'daily' then 'day' when 'weekly' then 'week' else 'month' end;
  step interval := ('1 ' || unit)::interval;
  begun timestamp;
begin
  zone := of_zone;
  begin
    begun := date_trunc(unit, at at time zone zone);
  exception when invalid_parameter_value then
    -- a zone that others know and PostgreSQL does not
    zone := 'UTC';
    begun := date_trunc(unit, at at time zone zone);
  end;
  period_start := (begun - step) at time zone zone;
  period_end := begun at time zone zone;
  next_due := (begun + interval '7 hours') at time zone zone;
  if next_due <= at then next_due := (begun + step + interval '7 hours') at time zone zone; end if;
end $$;
