-- Written from the catalogs by `npm run schema`; test/schema.test.ts compares. Review it in diffs, change migrations/ instead.

grant usage on schema drizzle to haltless_system;
grant usage on schema public to haltless_app;
grant usage on schema public to haltless_ingest;
grant usage on schema public to haltless_system;
grant usage on schema public to public;

create table agent_sources (
  tenant_id uuid not null,
  agent_id text not null,
  revision bigint not null,
  running_revision bigint,
  fault text,
  constraint agent_sources_tenant_id_agent_id_pk PRIMARY KEY (tenant_id, agent_id),
  constraint agent_sources_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);
alter table agent_sources enable row level security;
create policy all_tenants on agent_sources
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on agent_sources
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on agent_sources to haltless_app;
grant delete, insert, select, update on agent_sources to haltless_system;

create table agents (
  tenant_id uuid not null,
  agent_id text not null,
  agent_version text not null,
  uptime_seconds double precision,
  buffer_count bigint,
  buffer_age_hours double precision,
  collectors jsonb not null default '{}'::jsonb,
  hostname text,
  dropped_count bigint,
  dead_letter_count bigint,
  instance_id uuid,
  last_seen timestamp(3) with time zone not null,
  conflict_at timestamp(3) with time zone,
  conflict_hostname text,
  created_at timestamp(3) with time zone not null default now(),
  constraint agents_tenant_id_agent_id_pk PRIMARY KEY (tenant_id, agent_id),
  constraint agents_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);
alter table agents enable row level security;
create policy all_tenants on agents
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on agents
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on agents to haltless_app;
grant delete, insert, select, update on agents to haltless_system;

create table alert_comments (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  alert_id uuid not null,
  author_id uuid not null,
  author_name text not null,
  body text not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint alert_comments_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint alert_comments_tenant_id_alert_id_alerts_tenant_id_id_fk FOREIGN KEY (tenant_id, alert_id)
    REFERENCES alerts(tenant_id, id)
    ON DELETE CASCADE
);
CREATE INDEX alert_comments_alert_idx
  ON public.alert_comments USING btree (tenant_id, alert_id, created_at, id);
alter table alert_comments enable row level security;
create policy all_tenants on alert_comments
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on alert_comments
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant insert, select on alert_comments to haltless_app;
grant delete, insert, select, update on alert_comments to haltless_system;
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.alert_comments
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('alert_comment', '', 'updated_at');

create table alert_history (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  alert_id uuid not null,
  event text not null,
  at timestamp(3) with time zone not null,
  actor jsonb,
  details jsonb,
  constraint alert_history_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint alert_history_tenant_id_alert_id_alerts_tenant_id_id_fk FOREIGN KEY (tenant_id, alert_id)
    REFERENCES alerts(tenant_id, id)
    ON DELETE CASCADE
);
CREATE INDEX alert_history_alert_idx
  ON public.alert_history USING btree (tenant_id, alert_id, at, id);
alter table alert_history enable row level security;
create policy all_tenants on alert_history
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on alert_history
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on alert_history to haltless_app;
grant delete, insert, select, update on alert_history to haltless_system;

create table alerts (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  machine_id uuid not null,
  rule_id uuid,
  unit text not null,
  severity text not null,
  metric_name text not null,
  trigger_value double precision not null,
  threshold_value double precision not null,
  message text not null,
  triggered_at timestamp(3) with time zone not null,
  is_late boolean not null default false,
  acknowledged_at timestamp(3) with time zone,
  acknowledged_by uuid,
  snoozed_until timestamp(3) with time zone,
  cleared_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  constraint alerts_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint alerts_tenant_id_machine_id_machines_tenant_id_id_fk FOREIGN KEY (tenant_id, machine_id)
    REFERENCES machines(tenant_id, id)
    ON DELETE CASCADE
);
CREATE INDEX alerts_acknowledged_idx
  ON public.alerts USING btree (tenant_id, acknowledged_at)
  WHERE (acknowledged_at IS NOT NULL);
CREATE INDEX alerts_cleared_idx
  ON public.alerts USING btree (tenant_id, cleared_at)
  WHERE (cleared_at IS NOT NULL);
CREATE INDEX alerts_machine_idx
  ON public.alerts USING btree (tenant_id, machine_id, created_at DESC NULLS LAST);
CREATE INDEX alerts_newest_idx
  ON public.alerts USING btree (tenant_id, created_at DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX alerts_open_idx
  ON public.alerts USING btree (tenant_id, severity)
  WHERE (acknowledged_at IS NULL);
CREATE INDEX alerts_snoozed_idx
  ON public.alerts USING btree (tenant_id, snoozed_until)
  WHERE (snoozed_until IS NOT NULL);
CREATE INDEX alerts_standing_idx
  ON public.alerts USING btree (tenant_id, rule_id, machine_id, unit)
  WHERE (cleared_at IS NULL);
alter table alerts enable row level security;
create policy all_tenants on alerts
  to haltless_system
  using (true)
  with check (true);
create policy ingest on alerts
  to haltless_ingest
  using (true)
  with check (true);
create policy tenant_wall on alerts
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on alerts to haltless_app;
grant insert, select on alerts to haltless_ingest;
grant update (cleared_at) on alerts to haltless_ingest;
grant delete, insert, select, update on alerts to haltless_system;
CREATE TRIGGER follow_alert_changed
  AFTER UPDATE OF acknowledged_at, cleared_at ON public.alerts
  FOR EACH ROW
  WHEN ((((old.acknowledged_at IS NULL) AND (new.acknowledged_at IS NOT NULL)) OR ((old.cleared_at IS NULL) AND (new.cleared_at IS NOT NULL))))
  EXECUTE FUNCTION follow_alert();
CREATE TRIGGER follow_alert_over
  AFTER INSERT ON public.alerts
  FOR EACH ROW
  WHEN ((new.cleared_at IS NOT NULL))
  EXECUTE FUNCTION follow_alert();
CREATE TRIGGER note_alert_changed
  AFTER UPDATE OF acknowledged_at, snoozed_until, cleared_at ON public.alerts
  FOR EACH ROW
  EXECUTE FUNCTION note_alert();
CREATE TRIGGER note_alert_over
  AFTER INSERT ON public.alerts
  FOR EACH ROW
  WHEN ((new.cleared_at IS NOT NULL))
  EXECUTE FUNCTION note_alert();
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.alerts
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('alert', '', '');

create table anomaly_events (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  machine_id uuid not null,
  series_id integer not null,
  metric_name text not null,
  unit text not null,
  value double precision not null,
  sigma double precision not null,
  baseline_mean double precision not null,
  baseline_std_dev double precision not null,
  started_at timestamp(3) with time zone not null,
  ended_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  constraint anomaly_events_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint anomaly_events_start_key UNIQUE (series_id, started_at),
  constraint anomaly_events_series_id_series_id_fk FOREIGN KEY (series_id)
    REFERENCES series(id)
    ON DELETE CASCADE,
  constraint anomaly_events_tenant_id_machine_id_machines_tenant_id_id_fk FOREIGN KEY (tenant_id, machine_id)
    REFERENCES machines(tenant_id, id)
    ON DELETE CASCADE
);
CREATE INDEX anomaly_events_ended_idx
  ON public.anomaly_events USING btree (ended_at);
CREATE INDEX anomaly_events_machine_idx
  ON public.anomaly_events USING btree (tenant_id, machine_id, started_at DESC NULLS LAST);
CREATE INDEX anomaly_events_standing_idx
  ON public.anomaly_events USING btree (series_id)
  WHERE (ended_at IS NULL);
alter table anomaly_events enable row level security;
create policy all_tenants on anomaly_events
  to haltless_system
  using (true)
  with check (true);
create policy ingest on anomaly_events
  to haltless_ingest
  using (true)
  with check (true);
create policy tenant_wall on anomaly_events
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on anomaly_events to haltless_app;
grant insert, select on anomaly_events to haltless_ingest;
grant update (ended_at) on anomaly_events to haltless_ingest;
grant delete, insert, select, update on anomaly_events to haltless_system;

create table api_keys (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  name text not null,
  prefix text not null,
  key_hash text not null,
  is_active boolean not null default true,
  created_by uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  last_used_at timestamp(3) with time zone,
  constraint api_keys_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint api_keys_prefix_unique UNIQUE (prefix),
  constraint api_keys_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);
alter table api_keys enable row level security;
create policy all_tenants on api_keys
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on api_keys
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on api_keys to haltless_app;
grant delete, insert, select, update on api_keys to haltless_system;
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.api_keys
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('api_key', 'key_hash', 'last_used_at');

create table audit_log (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  at timestamp(3) with time zone not null,
  actor_kind text not null,
  actor_id text,
  actor_name text,
  ip text,
  request_id text,
  action text not null,
  target_type text not null,
  target_id text,
  target_name text,
  before jsonb,
  after jsonb,
  constraint audit_log_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint audit_log_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);
CREATE INDEX audit_log_at_idx
  ON public.audit_log USING btree (tenant_id, at DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX audit_log_target_idx
  ON public.audit_log USING btree (tenant_id, target_id);
alter table audit_log enable row level security;
create policy all_tenants on audit_log
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on audit_log
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on audit_log to haltless_app;
grant select on audit_log to haltless_system;

create table baselines (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  machine_id uuid not null,
  series_id integer not null,
  metric_name text not null,
  unit text not null,
  mean_value double precision not null,
  std_dev double precision not null,
  min_value double precision not null,
  max_value double precision not null,
  sample_count bigint not null,
  window_start timestamp(3) with time zone not null,
  window_end timestamp(3) with time zone not null,
  constraint baselines_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint baselines_machine_key UNIQUE (tenant_id, machine_id, metric_name, unit),
  constraint baselines_series_key UNIQUE (series_id),
  constraint baselines_series_id_series_id_fk FOREIGN KEY (series_id)
    REFERENCES series(id)
    ON DELETE CASCADE,
  constraint baselines_tenant_id_machine_id_machines_tenant_id_id_fk FOREIGN KEY (tenant_id, machine_id)
    REFERENCES machines(tenant_id, id)
    ON DELETE CASCADE
);
alter table baselines enable row level security;
create policy all_tenants on baselines
  to haltless_system
  using (true)
  with check (true);
create policy ingest on baselines
  to haltless_ingest
  using (true)
  with check (true);
create policy tenant_wall on baselines
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on baselines to haltless_app;
grant select on baselines to haltless_ingest;
grant delete, insert, select, update on baselines to haltless_system;

create table composite_conditions (
  tenant_id uuid not null,
  rule_id uuid not null,
  machine_id uuid not null,
  standing boolean not null default false,
  back_count integer not null default 0,
  judged_at timestamp(3) with time zone,
  inputs jsonb not null,
  due_at timestamp(3) with time zone,
  holds_until timestamp(3) with time zone,
  version bigint not null default 0,
  pending_at timestamp(3) with time zone,
  constraint composite_conditions_tenant_id_rule_id_pk PRIMARY KEY (tenant_id, rule_id),
  constraint composite_conditions_tenant_id_rule_id_composite_rules_tenant_i FOREIGN KEY (tenant_id, rule_id)
    REFERENCES composite_rules(tenant_id, id)
    ON DELETE CASCADE
)
with (fillfactor=70);
CREATE INDEX composite_conditions_due_idx
  ON public.composite_conditions USING btree (due_at)
  WHERE (due_at IS NOT NULL);
CREATE INDEX composite_conditions_machine_idx
  ON public.composite_conditions USING btree (tenant_id, machine_id);
alter table composite_conditions enable row level security;
create policy all_tenants on composite_conditions
  to haltless_system
  using (true)
  with check (true);
create policy ingest on composite_conditions
  to haltless_ingest
  using (true)
  with check (true);
create policy tenant_wall on composite_conditions
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on composite_conditions to haltless_app;
grant select, update on composite_conditions to haltless_ingest;
grant delete, insert, select, update on composite_conditions to haltless_system;

create table composite_rules (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  machine_id uuid not null,
  name text not null,
  description text,
  expression jsonb not null,
  metrics text[] not null,
  severity text not null,
  is_active boolean not null default true,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint composite_rules_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint composite_rules_tenant_id_machine_id_machines_tenant_id_id_fk FOREIGN KEY (tenant_id, machine_id)
    REFERENCES machines(tenant_id, id)
    ON DELETE CASCADE
);
CREATE INDEX composite_rules_concern_idx
  ON public.composite_rules USING btree (tenant_id, machine_id)
  WHERE is_active;
alter table composite_rules enable row level security;
create policy all_tenants on composite_rules
  to haltless_system
  using (true)
  with check (true);
create policy ingest on composite_rules
  to haltless_ingest
  using (true)
  with check (true);
create policy tenant_wall on composite_rules
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on composite_rules to haltless_app;
grant select on composite_rules to haltless_ingest;
grant delete, insert, select, update on composite_rules to haltless_system;
CREATE TRIGGER composite_rules_changed
  AFTER UPDATE ON public.composite_rules
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION change_facts();
CREATE TRIGGER composite_rules_deleted
  AFTER DELETE ON public.composite_rules
  REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION change_facts();
CREATE TRIGGER composite_rules_made
  AFTER INSERT ON public.composite_rules
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION change_facts();
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.composite_rules
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('composite_rule', '', 'updated_at,metrics');

create table data_gaps (
  id uuid not null,
  tenant_id uuid not null,
  agent_id text not null,
  machine_identifier text not null,
  metric_name text not null,
  unit text not null,
  from_at timestamp(3) with time zone not null,
  to_at timestamp(3) with time zone not null,
  count bigint not null,
  reason text not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint data_gaps_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint data_gaps_tenant_id_agent_id_agents_tenant_id_agent_id_fk FOREIGN KEY (tenant_id, agent_id)
    REFERENCES agents(tenant_id, agent_id)
    ON DELETE CASCADE
);
CREATE INDEX data_gaps_machine_idx
  ON public.data_gaps USING btree (tenant_id, machine_identifier, from_at DESC NULLS LAST, id DESC NULLS LAST);
alter table data_gaps enable row level security;
create policy all_tenants on data_gaps
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on data_gaps
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on data_gaps to haltless_app;
grant delete, insert, select, update on data_gaps to haltless_system;

create table deliveries (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  channel_id uuid not null,
  alert_id uuid not null,
  status text not null default 'waiting'::text,
  attempts integer not null default 0,
  due_at timestamp(3) with time zone not null default now(),
  created_at timestamp(3) with time zone not null default now(),
  event text not null default 'raised'::text,
  subject text,
  ticket_id text,
  lead_id uuid,
  group_size integer not null default 1,
  constraint deliveries_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint deliveries_tenant_id_alert_id_alerts_tenant_id_id_fk FOREIGN KEY (tenant_id, alert_id)
    REFERENCES alerts(tenant_id, id)
    ON DELETE CASCADE,
  constraint deliveries_tenant_id_channel_id_notification_channels_tenant_id FOREIGN KEY (tenant_id, channel_id)
    REFERENCES notification_channels(tenant_id, id)
    ON DELETE CASCADE
)
with (fillfactor=80);
CREATE INDEX deliveries_alert_idx
  ON public.deliveries USING btree (tenant_id, alert_id);
CREATE INDEX deliveries_channel_subject_idx
  ON public.deliveries USING btree (tenant_id, channel_id, subject);
CREATE INDEX deliveries_due_idx
  ON public.deliveries USING btree (due_at)
  WHERE (status = 'waiting'::text);
CREATE INDEX deliveries_ended_idx
  ON public.deliveries USING btree (created_at)
  WHERE (status = ANY (ARRAY['delivered'::text, 'refused'::text]));
CREATE INDEX deliveries_gathering_idx
  ON public.deliveries USING btree (due_at)
  WHERE (status = 'gathering'::text);
CREATE INDEX deliveries_lead_idx
  ON public.deliveries USING btree (tenant_id, lead_id)
  WHERE (lead_id IS NOT NULL);
CREATE INDEX deliveries_turn_idx
  ON public.deliveries USING btree (tenant_id, channel_id, subject, ((event <> 'raised'::text)), id)
  WHERE ((status = 'waiting'::text) AND (subject IS NOT NULL));
alter table deliveries enable row level security;
create policy all_tenants on deliveries
  to haltless_system
  using (true)
  with check (true);
create policy ingest on deliveries
  to haltless_ingest
  using (true)
  with check (true);
create policy tenant_wall on deliveries
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on deliveries to haltless_app;
grant insert on deliveries to haltless_ingest;
grant delete, insert, select, update on deliveries to haltless_system;

create table delivery_attempts (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  channel_id uuid not null,
  delivery_id uuid,
  alert_id uuid,
  attempt integer not null,
  status text not null,
  response_status integer,
  error text,
  attempted_at timestamp(3) with time zone not null,
  event text not null default 'raised'::text,
  constraint delivery_attempts_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint delivery_attempts_tenant_id_channel_id_notification_channels_te FOREIGN KEY (tenant_id, channel_id)
    REFERENCES notification_channels(tenant_id, id)
    ON DELETE CASCADE
);
CREATE INDEX delivery_attempts_age_idx
  ON public.delivery_attempts USING btree (attempted_at);
CREATE INDEX delivery_attempts_channel_idx
  ON public.delivery_attempts USING btree (tenant_id, channel_id, attempted_at DESC NULLS LAST, id DESC NULLS LAST);
alter table delivery_attempts enable row level security;
create policy all_tenants on delivery_attempts
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on delivery_attempts
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on delivery_attempts to haltless_app;
grant delete, insert, select, update on delivery_attempts to haltless_system;

create table delivery_windows (
  tenant_id uuid not null,
  channel_id uuid not null,
  until timestamp(3) with time zone not null,
  sent integer not null,
  constraint delivery_windows_tenant_id_channel_id_pk PRIMARY KEY (tenant_id, channel_id),
  constraint delivery_windows_tenant_id_channel_id_notification_channels_ten FOREIGN KEY (tenant_id, channel_id)
    REFERENCES notification_channels(tenant_id, id)
    ON DELETE CASCADE
);
alter table delivery_windows enable row level security;
create policy all_tenants on delivery_windows
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on delivery_windows
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on delivery_windows to haltless_app;
grant delete, insert, select, update on delivery_windows to haltless_system;

create table drizzle.__drizzle_migrations (
  id integer not null default nextval('drizzle.__drizzle_migrations_id_seq'::regclass),
  hash text not null,
  created_at bigint,
  tag text,
  hub_version text,
  constraint __drizzle_migrations_pkey PRIMARY KEY (id)
);
grant select on drizzle.__drizzle_migrations to haltless_system;

create table escalation_policies (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  name text not null,
  severity text not null,
  wait_minutes integer not null,
  channel_id uuid not null,
  is_active boolean not null default true,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint escalation_policies_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint escalation_policies_channel_fk FOREIGN KEY (tenant_id, channel_id)
    REFERENCES notification_channels(tenant_id, id) DEFERRABLE INITIALLY DEFERRED,
  constraint escalation_policies_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);
alter table escalation_policies enable row level security;
create policy all_tenants on escalation_policies
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on escalation_policies
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on escalation_policies to haltless_app;
grant delete, insert, select, update on escalation_policies to haltless_system;
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.escalation_policies
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('escalation_policy', '', 'updated_at');

create table escalations (
  tenant_id uuid not null,
  policy_id uuid not null,
  alert_id uuid not null,
  escalated_at timestamp(3) with time zone not null,
  constraint escalations_tenant_id_policy_id_alert_id_pk PRIMARY KEY (tenant_id, policy_id, alert_id),
  constraint escalations_tenant_id_alert_id_alerts_tenant_id_id_fk FOREIGN KEY (tenant_id, alert_id)
    REFERENCES alerts(tenant_id, id)
    ON DELETE CASCADE,
  constraint escalations_tenant_id_policy_id_escalation_policies_tenant_id_i FOREIGN KEY (tenant_id, policy_id)
    REFERENCES escalation_policies(tenant_id, id)
    ON DELETE CASCADE
);
CREATE INDEX escalations_alert_idx
  ON public.escalations USING btree (tenant_id, alert_id);
alter table escalations enable row level security;
create policy all_tenants on escalations
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on escalations
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on escalations to haltless_app;
grant delete, insert, select, update on escalations to haltless_system;

create table hub_identity (
  is_only_row boolean not null default true,
  secret_key_fingerprint text not null,
  constraint hub_identity_pkey PRIMARY KEY (is_only_row),
  constraint hub_identity_is_only_row_check CHECK (is_only_row)
);
grant select on hub_identity to haltless_system;

create table hub_keys (
  name text not null,
  public_key text not null,
  sealed_private_key text not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint hub_keys_pkey PRIMARY KEY (name)
);
grant delete, insert, select, update on hub_keys to haltless_system;

create unlogged table hub_replicas (
  id uuid not null,
  seen_at timestamp with time zone not null,
  constraint hub_replicas_pkey PRIMARY KEY (id)
);
grant delete, insert, select, update on hub_replicas to haltless_system;

create table ingest_sources (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  machine_id uuid not null,
  name text not null,
  protocol text not null,
  host text not null,
  port integer not null,
  poll_interval_seconds integer not null,
  is_active boolean not null,
  agent_id text,
  config jsonb not null,
  sealed_secrets text,
  tag_count integer not null,
  last_polled_at timestamp(3) with time zone,
  last_error text,
  leased_by uuid,
  leased_until timestamp(3) with time zone,
  version bigint not null default 1,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint ingest_sources_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint ingest_sources_tenant_id_machine_id_machines_tenant_id_id_fk FOREIGN KEY (tenant_id, machine_id)
    REFERENCES machines(tenant_id, id)
    ON DELETE CASCADE,
  constraint ingest_sources_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
)
with (fillfactor=70);
CREATE INDEX ingest_sources_agent_idx
  ON public.ingest_sources USING btree (tenant_id, agent_id)
  WHERE (agent_id IS NOT NULL);
CREATE INDEX ingest_sources_hub_idx
  ON public.ingest_sources USING btree (id)
  WHERE (is_active AND (agent_id IS NULL));
CREATE INDEX ingest_sources_machine_idx
  ON public.ingest_sources USING btree (tenant_id, machine_id);
alter table ingest_sources enable row level security;
create policy all_tenants on ingest_sources
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on ingest_sources
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on ingest_sources to haltless_app;
grant delete, insert, select, update on ingest_sources to haltless_system;
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.ingest_sources
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('ingest_source', 'sealed_secrets', 'updated_at,version,tag_count,agent_id,last_polled_at,last_error,leased_by,leased_until');
CREATE TRIGGER source_changed
  AFTER INSERT OR DELETE OR UPDATE OF machine_id, name, protocol, host, port, poll_interval_seconds, is_active, agent_id, config, sealed_secrets ON public.ingest_sources
  FOR EACH ROW
  EXECUTE FUNCTION source_changed();
CREATE TRIGGER source_version
  BEFORE UPDATE OF machine_id, name, protocol, host, port, poll_interval_seconds, is_active, agent_id, config, sealed_secrets ON public.ingest_sources
  FOR EACH ROW
  EXECUTE FUNCTION source_version();

create table legacy_dropped (
  lower timestamp with time zone not null,
  upper timestamp with time zone not null,
  constraint readings_dropped_pkey PRIMARY KEY (lower, upper)
);
grant select on legacy_dropped to haltless_app;
grant select on legacy_dropped to haltless_ingest;
grant delete, select, update on legacy_dropped to haltless_system;

create table legacy_minute_partitions (
  name text not null,
  lower timestamp with time zone not null,
  upper timestamp with time zone not null,
  created_at timestamp with time zone,
  constraint minute_partitions_pkey PRIMARY KEY (name),
  constraint minute_partitions_tstzrange_excl EXCLUDE USING gist (tstzrange(lower, upper) WITH &&)
);
grant delete, select, update on legacy_minute_partitions to haltless_system;

create table legacy_partitions (
  name text not null,
  lower timestamp with time zone not null,
  upper timestamp with time zone not null,
  created_at timestamp with time zone,
  packed_through integer not null default 0,
  packed_at timestamp with time zone,
  constraint reading_partitions_pkey PRIMARY KEY (name),
  constraint reading_partitions_tstzrange_excl EXCLUDE USING gist (tstzrange(lower, upper) WITH &&)
);
grant select on legacy_partitions to haltless_app;
grant select on legacy_partitions to haltless_ingest;
grant delete, select, update on legacy_partitions to haltless_system;

create table legacy_reading_keys (
  tenant_id uuid not null,
  key uuid not null,
  seen_at timestamp(3) with time zone not null,
  constraint reading_keys_tenant_id_key_pk PRIMARY KEY (tenant_id, key)
);
CREATE INDEX reading_keys_seen_idx
  ON public.legacy_reading_keys USING btree (seen_at);
alter table legacy_reading_keys enable row level security;
create policy all_tenants on legacy_reading_keys
  to haltless_system
  using (true)
  with check (true);
create policy ingest on legacy_reading_keys
  to haltless_ingest
  using (true)
  with check (true);
create policy tenant_wall on legacy_reading_keys
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on legacy_reading_keys to haltless_app;
grant select on legacy_reading_keys to haltless_ingest;
grant delete, insert, select, update on legacy_reading_keys to haltless_system;

create table legacy_readings (
  series_id integer not null,
  ts timestamp(3) with time zone not null,
  value double precision not null,
  constraint readings_pkey PRIMARY KEY (series_id, ts)
)
partition by RANGE (ts);
grant select on legacy_readings to haltless_app;
grant insert, select on legacy_readings to haltless_ingest;
grant delete, insert, select, update on legacy_readings to haltless_system;

create table legacy_rollup_hours (
  series_id integer not null,
  ts timestamp(3) with time zone not null,
  n integer not null,
  mean double precision not null,
  m2 double precision,
  low double precision not null,
  high double precision not null,
  last double precision not null,
  last_at timestamp(3) with time zone not null,
  constraint rollup_hours_pkey PRIMARY KEY (series_id, ts)
);
grant select on legacy_rollup_hours to haltless_app;
grant select on legacy_rollup_hours to haltless_ingest;
grant delete, insert, select, update on legacy_rollup_hours to haltless_system;

create table legacy_rollup_minutes (
  series_id integer not null,
  ts timestamp(3) with time zone not null,
  n integer not null,
  mean double precision not null,
  m2 double precision,
  low double precision not null,
  high double precision not null,
  last double precision not null,
  last_at timestamp(3) with time zone not null,
  constraint rollup_minutes_pkey PRIMARY KEY (series_id, ts)
)
partition by RANGE (ts);
grant select on legacy_rollup_minutes to haltless_app;
grant select on legacy_rollup_minutes to haltless_ingest;
grant delete, insert, select, update on legacy_rollup_minutes to haltless_system;

create table login_throttle (
  subject text not null,
  failures timestamp(3) with time zone[] not null,
  reserved timestamp(3) with time zone[] not null,
  locked_until timestamp(3) with time zone,
  updated_at timestamp(3) with time zone not null,
  constraint login_throttle_pkey PRIMARY KEY (subject)
);
CREATE INDEX login_throttle_updated_idx
  ON public.login_throttle USING btree (updated_at);
grant delete, insert, select, update on login_throttle to haltless_system;

create table machine_group_members (
  tenant_id uuid not null,
  group_id uuid not null,
  machine_id uuid not null,
  constraint machine_group_members_tenant_id_group_id_machine_id_pk PRIMARY KEY (tenant_id, group_id, machine_id),
  constraint machine_group_members_tenant_id_group_id_machine_groups_tenant_ FOREIGN KEY (tenant_id, group_id)
    REFERENCES machine_groups(tenant_id, id)
    ON DELETE CASCADE,
  constraint machine_group_members_tenant_id_machine_id_machines_tenant_id_i FOREIGN KEY (tenant_id, machine_id)
    REFERENCES machines(tenant_id, id)
    ON DELETE CASCADE
);
CREATE INDEX machine_group_members_machine_idx
  ON public.machine_group_members USING btree (tenant_id, machine_id);
alter table machine_group_members enable row level security;
create policy all_tenants on machine_group_members
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on machine_group_members
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on machine_group_members to haltless_app;
grant delete, insert, select, update on machine_group_members to haltless_system;
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.machine_group_members
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('machine_group_member', '', '');

create table machine_groups (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  name text not null,
  group_type text not null default 'custom'::text,
  description text,
  color text,
  parent_id uuid,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint machine_groups_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint machine_groups_tenant_id_parent_id_machine_groups_tenant_id_id_ FOREIGN KEY (tenant_id, parent_id)
    REFERENCES machine_groups(tenant_id, id),
  constraint machine_groups_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);
CREATE INDEX machine_groups_parent_idx
  ON public.machine_groups USING btree (tenant_id, parent_id);
alter table machine_groups enable row level security;
create policy all_tenants on machine_groups
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on machine_groups
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on machine_groups to haltless_app;
grant delete, insert, select, update on machine_groups to haltless_system;
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.machine_groups
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('machine_group', '', 'updated_at');

create table machine_latest (
  tenant_id uuid not null,
  machine_id uuid not null,
  chunk smallint not null,
  written xid8 not null,
  tags bytea not null default '\x'::bytea,
  body bytea not null,
  constraint machine_latest_pkey PRIMARY KEY (tenant_id, machine_id, chunk),
  constraint machine_latest_tenant_id_machine_id_fkey FOREIGN KEY (tenant_id, machine_id)
    REFERENCES machines(tenant_id, id)
    ON DELETE CASCADE
)
with (fillfactor=50, toast_tuple_target=8160, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_cost_delay=0);
alter table machine_latest enable row level security;
create policy all_tenants on machine_latest
  to haltless_system
  using (true)
  with check (true);
create policy ingest on machine_latest
  to haltless_ingest
  using (true)
  with check (true);
create policy tenant_wall on machine_latest
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on machine_latest to haltless_app;
grant insert, select, update on machine_latest to haltless_ingest;
grant delete, insert, select, update on machine_latest to haltless_system;

create table machines (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  name text not null,
  machine_identifier text not null,
  protocol text not null,
  status text not null default 'offline'::text,
  status_is_manual boolean not null default false,
  offline_due_at timestamp(3) with time zone,
  location text,
  is_active boolean not null default true,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint machines_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint machines_identifier_key UNIQUE (tenant_id, machine_identifier),
  constraint machines_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);
CREATE INDEX machines_name_idx
  ON public.machines USING btree (tenant_id, name COLLATE "und-x-icu", id);
CREATE INDEX machines_offline_due_idx
  ON public.machines USING btree (offline_due_at)
  WHERE (is_active AND (status <> 'offline'::text));
alter table machines enable row level security;
create policy all_tenants on machines
  to haltless_system
  using (true)
  with check (true);
create policy ingest on machines
  to haltless_ingest
  using (true)
  with check (true);
create policy tenant_wall on machines
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on machines to haltless_app;
grant select on machines to haltless_ingest;
grant update (offline_due_at, status, status_is_manual) on machines to haltless_ingest;
grant delete, insert, select, update on machines to haltless_system;
CREATE TRIGGER forget_tail
  AFTER DELETE ON public.machines
  REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT
  EXECUTE FUNCTION forget_tail();
CREATE CONSTRAINT TRIGGER machines_changed
  AFTER UPDATE OF name, machine_identifier, location, is_active ON public.machines
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW
  WHEN (((((old.name IS DISTINCT FROM new.name) OR (old.machine_identifier IS DISTINCT FROM new.machine_identifier)) OR (old.location IS DISTINCT FROM new.location)) OR (old.is_active IS DISTINCT FROM new.is_active)))
  EXECUTE FUNCTION change_facts_of_machine();
CREATE TRIGGER machines_deleted
  AFTER DELETE ON public.machines
  REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION change_facts();
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.machines
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('machine', '', 'updated_at,offline_due_at,status_is_manual');
CREATE TRIGGER sources_of_machine_changed
  AFTER UPDATE OF is_active, machine_identifier ON public.machines
  FOR EACH ROW
  WHEN (((old.machine_identifier IS DISTINCT FROM new.machine_identifier) OR (old.is_active IS DISTINCT FROM new.is_active)))
  EXECUTE FUNCTION sources_of_machine_changed();

create table mails (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  user_id uuid not null,
  to_email text not null,
  template text not null,
  locale text not null,
  sealed_params text not null,
  status text not null default 'waiting'::text,
  attempts integer not null default 0,
  error text,
  due_at timestamp(3) with time zone not null default now(),
  created_at timestamp(3) with time zone not null default now(),
  constraint mails_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint mails_tenant_id_user_id_users_tenant_id_id_fk FOREIGN KEY (tenant_id, user_id)
    REFERENCES users(tenant_id, id)
    ON DELETE CASCADE
);
CREATE INDEX mails_created_idx
  ON public.mails USING btree (created_at);
CREATE INDEX mails_due_idx
  ON public.mails USING btree (due_at)
  WHERE (status = 'waiting'::text);
alter table mails enable row level security;
create policy all_tenants on mails
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on mails
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on mails to haltless_app;
grant delete, insert, select, update on mails to haltless_system;

create table mfa_secrets (
  tenant_id uuid not null,
  user_id uuid not null,
  sealed_secret text not null,
  last_step bigint not null default 0,
  enabled_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  constraint mfa_secrets_tenant_id_user_id_pk PRIMARY KEY (tenant_id, user_id),
  constraint mfa_secrets_tenant_id_user_id_users_tenant_id_id_fk FOREIGN KEY (tenant_id, user_id)
    REFERENCES users(tenant_id, id)
    ON DELETE CASCADE
);
alter table mfa_secrets enable row level security;
create policy all_tenants on mfa_secrets
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on mfa_secrets
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on mfa_secrets to haltless_app;
grant delete, insert, select, update on mfa_secrets to haltless_system;

create table notification_channels (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  name text not null,
  channel_type text not null,
  masked_config jsonb not null,
  sealed_config text not null,
  is_active boolean not null default true,
  notify_on_alert boolean not null default true,
  created_by uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  audience text not null default 'people'::text,
  follows_alert boolean not null default false,
  subject_kind text,
  constraint notification_channels_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint notification_channels_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);
CREATE UNIQUE INDEX notification_channels_endpoint_idx
  ON public.notification_channels USING btree (tenant_id, ((masked_config ->> 'endpoint_hash'::text)))
  WHERE (channel_type = 'push'::text);
alter table notification_channels enable row level security;
create policy all_tenants on notification_channels
  to haltless_system
  using (true)
  with check (true);
create policy ingest on notification_channels
  to haltless_ingest
  using (true)
  with check (true);
create policy tenant_wall on notification_channels
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on notification_channels to haltless_app;
grant select (audience, channel_type, id, is_active, notify_on_alert, subject_kind, tenant_id, xmin) on notification_channels to haltless_ingest;
grant delete, insert, select, update on notification_channels to haltless_system;
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.notification_channels
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('notification_channel', 'sealed_config', 'updated_at,audience,follows_alert,subject_kind');

create table one_time_tokens (
  token_hash text not null,
  tenant_id uuid not null,
  user_id uuid not null,
  purpose text not null,
  created_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null,
  used_at timestamp(3) with time zone,
  constraint one_time_tokens_pkey PRIMARY KEY (token_hash),
  constraint one_time_tokens_tenant_id_user_id_users_tenant_id_id_fk FOREIGN KEY (tenant_id, user_id)
    REFERENCES users(tenant_id, id)
    ON DELETE CASCADE
);
CREATE INDEX one_time_tokens_expires_idx
  ON public.one_time_tokens USING btree (expires_at);
CREATE INDEX one_time_tokens_user_idx
  ON public.one_time_tokens USING btree (tenant_id, user_id, purpose);
alter table one_time_tokens enable row level security;
create policy all_tenants on one_time_tokens
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on one_time_tokens
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on one_time_tokens to haltless_app;
grant delete, insert, select, update on one_time_tokens to haltless_system;

create unlogged table rate_windows (
  bucket text not null,
  counts integer[] not null,
  head bigint not null,
  constraint rate_windows_pkey PRIMARY KEY (bucket)
)
with (fillfactor=70);
CREATE INDEX rate_windows_head_idx
  ON public.rate_windows USING btree (head);
grant delete, insert, select, update on rate_windows to haltless_system;

create table reading_blocks (
  tenant_id uuid not null,
  series_id integer not null,
  t0 timestamp(3) with time zone not null,
  t1 timestamp(3) with time zone not null,
  n integer not null,
  sealed_at timestamp with time zone not null default now(),
  times bytea not null,
  vals bytea not null,
  hours bytea not null,
  constraint reading_blocks_pkey PRIMARY KEY (tenant_id, series_id, t0),
  constraint reading_blocks_tenant_id_series_id_fkey FOREIGN KEY (tenant_id, series_id)
    REFERENCES series(tenant_id, id)
    ON DELETE CASCADE
)
partition by RANGE (t0);
alter table reading_blocks enable row level security;
create policy all_tenants on reading_blocks
  to haltless_system
  using (true)
  with check (true);
create policy ingest on reading_blocks
  to haltless_ingest
  using (true)
  with check (true);
create policy tenant_wall on reading_blocks
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on reading_blocks to haltless_app;
grant select on reading_blocks to haltless_ingest;
grant delete, insert, select, update on reading_blocks to haltless_system;

create table reading_blocks_open (
  tenant_id uuid not null,
  series_id integer not null,
  t0 timestamp(3) with time zone not null,
  t1 timestamp(3) with time zone not null,
  n integer not null,
  sealed_at timestamp with time zone not null default now(),
  times bytea not null,
  vals bytea not null,
  hours bytea not null,
  constraint reading_blocks_open_pkey PRIMARY KEY (tenant_id, series_id, t0),
  constraint reading_blocks_open_tenant_id_series_id_fkey FOREIGN KEY (tenant_id, series_id)
    REFERENCES series(tenant_id, id)
    ON DELETE CASCADE
)
with (autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=2000, autovacuum_vacuum_cost_delay=0);
CREATE INDEX reading_blocks_open_t0_idx
  ON public.reading_blocks_open USING btree (t0);
alter table reading_blocks_open enable row level security;
create policy all_tenants on reading_blocks_open
  to haltless_system
  using (true)
  with check (true);
create policy ingest on reading_blocks_open
  to haltless_ingest
  using (true)
  with check (true);
create policy tenant_wall on reading_blocks_open
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on reading_blocks_open to haltless_app;
grant select on reading_blocks_open to haltless_ingest;
grant delete, insert, select, update on reading_blocks_open to haltless_system;

create table reading_hours (
  tenant_id uuid not null,
  series_id integer not null,
  day date not null,
  n integer not null,
  hours bytea not null,
  constraint reading_hours_pkey PRIMARY KEY (tenant_id, series_id, day),
  constraint reading_hours_tenant_id_series_id_fkey FOREIGN KEY (tenant_id, series_id)
    REFERENCES series(tenant_id, id)
    ON DELETE CASCADE
);
alter table reading_hours enable row level security;
create policy all_tenants on reading_hours
  to haltless_system
  using (true)
  with check (true);
create policy ingest on reading_hours
  to haltless_ingest
  using (true)
  with check (true);
create policy tenant_wall on reading_hours
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on reading_hours to haltless_app;
grant select on reading_hours to haltless_ingest;
grant delete, insert, select, update on reading_hours to haltless_system;

create table reading_key_filters (
  tenant_id uuid not null,
  id bigint not null,
  day date not null,
  runs bigint[] not null,
  bits smallint[] not null,
  n bigint not null,
  filter bytea not null,
  constraint reading_key_filters_pkey PRIMARY KEY (tenant_id, id)
);
alter table reading_key_filters enable row level security;
create policy all_tenants on reading_key_filters
  to haltless_system
  using (true)
  with check (true);
create policy ingest on reading_key_filters
  to haltless_ingest
  using (true)
  with check (true);
create policy tenant_wall on reading_key_filters
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on reading_key_filters to haltless_app;
grant select on reading_key_filters to haltless_ingest;
grant delete, insert, select, update on reading_key_filters to haltless_system;

create table reading_key_pages (
  tenant_id uuid not null,
  day date not null,
  run bigint not null,
  page integer not null,
  keys bytea not null,
  constraint reading_key_pages_pkey PRIMARY KEY (tenant_id, run, page, day)
)
partition by RANGE (day);
alter table reading_key_pages enable row level security;
create policy all_tenants on reading_key_pages
  to haltless_system
  using (true)
  with check (true);
create policy ingest on reading_key_pages
  to haltless_ingest
  using (true)
  with check (true);
create policy tenant_wall on reading_key_pages
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on reading_key_pages to haltless_app;
grant select on reading_key_pages to haltless_ingest;
grant delete, insert, select, update on reading_key_pages to haltless_system;

create table reading_key_tail (
  tenant_id uuid not null,
  id bigint not null generated always as identity,
  day date not null,
  keys bytea not null,
  constraint reading_key_tail_pkey PRIMARY KEY (tenant_id, id)
)
with (autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=500, autovacuum_vacuum_cost_delay=0);
alter table reading_key_tail enable row level security;
create policy all_tenants on reading_key_tail
  to haltless_system
  using (true)
  with check (true);
create policy ingest on reading_key_tail
  to haltless_ingest
  using (true)
  with check (true);
create policy tenant_wall on reading_key_tail
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on reading_key_tail to haltless_app;
grant insert, select on reading_key_tail to haltless_ingest;
grant delete, insert, select, update on reading_key_tail to haltless_system;

create table reading_minutes (
  tenant_id uuid not null,
  series_id integer not null,
  day date not null,
  minutes bytea not null,
  times bytea not null,
  constraint reading_minutes_pkey PRIMARY KEY (tenant_id, series_id, day),
  constraint reading_minutes_tenant_id_series_id_fkey FOREIGN KEY (tenant_id, series_id)
    REFERENCES series(tenant_id, id)
    ON DELETE CASCADE
)
partition by RANGE (day);
alter table reading_minutes enable row level security;
create policy all_tenants on reading_minutes
  to haltless_system
  using (true)
  with check (true);
create policy ingest on reading_minutes
  to haltless_ingest
  using (true)
  with check (true);
create policy tenant_wall on reading_minutes
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on reading_minutes to haltless_app;
grant select on reading_minutes to haltless_ingest;
grant delete, insert, select, update on reading_minutes to haltless_system;

create table reading_tail (
  tenant_id uuid not null,
  machine_id uuid not null,
  id bigint not null generated always as identity,
  t0 timestamp(3) with time zone not null,
  t1 timestamp(3) with time zone not null,
  s0 integer not null,
  s1 integer not null,
  n integer not null,
  body bytea not null,
  constraint reading_tail_pkey PRIMARY KEY (tenant_id, machine_id, id)
)
with (toast_tuple_target=8160, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=2000, autovacuum_vacuum_cost_delay=0);
alter table reading_tail enable row level security;
create policy all_tenants on reading_tail
  to haltless_system
  using (true)
  with check (true);
create policy ingest on reading_tail
  to haltless_ingest
  using (true)
  with check (true);
create policy tenant_wall on reading_tail
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on reading_tail to haltless_app;
grant insert, select on reading_tail to haltless_ingest;
grant delete, insert, select, update on reading_tail to haltless_system;

create table recovery_codes (
  tenant_id uuid not null,
  user_id uuid not null,
  code_hash text not null,
  used_at timestamp(3) with time zone,
  constraint recovery_codes_tenant_id_user_id_code_hash_pk PRIMARY KEY (tenant_id, user_id, code_hash),
  constraint recovery_codes_tenant_id_user_id_users_tenant_id_id_fk FOREIGN KEY (tenant_id, user_id)
    REFERENCES users(tenant_id, id)
    ON DELETE CASCADE
);
alter table recovery_codes enable row level security;
create policy all_tenants on recovery_codes
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on recovery_codes
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on recovery_codes to haltless_app;
grant delete, insert, select, update on recovery_codes to haltless_system;

create table refresh_tokens (
  token_hash text not null,
  tenant_id uuid not null,
  session_id uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null,
  used_at timestamp(3) with time zone,
  constraint refresh_tokens_pkey PRIMARY KEY (token_hash),
  constraint refresh_tokens_tenant_id_session_id_sessions_tenant_id_id_fk FOREIGN KEY (tenant_id, session_id)
    REFERENCES sessions(tenant_id, id)
    ON DELETE CASCADE
);
CREATE INDEX refresh_tokens_session_idx
  ON public.refresh_tokens USING btree (tenant_id, session_id);
alter table refresh_tokens enable row level security;
create policy all_tenants on refresh_tokens
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on refresh_tokens
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on refresh_tokens to haltless_app;
grant delete, insert, select, update on refresh_tokens to haltless_system;

create table report_turns (
  tenant_id uuid not null,
  user_id uuid not null,
  schedule text not null,
  due_at timestamp(3) with time zone not null,
  constraint report_turns_tenant_id_user_id_pk PRIMARY KEY (tenant_id, user_id),
  constraint report_turns_tenant_id_user_id_users_tenant_id_id_fk FOREIGN KEY (tenant_id, user_id)
    REFERENCES users(tenant_id, id)
    ON DELETE CASCADE
);
CREATE INDEX report_turns_due_idx
  ON public.report_turns USING btree (due_at);
alter table report_turns enable row level security;
create policy all_tenants on report_turns
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on report_turns
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on report_turns to haltless_app;
grant delete, insert, select, update on report_turns to haltless_system;

create table roles (
  tenant_id uuid not null,
  key text not null,
  name text not null,
  base_tier text not null,
  is_builtin boolean not null default false,
  created_at timestamp(3) with time zone not null default now(),
  constraint roles_tenant_id_key_pk PRIMARY KEY (tenant_id, key),
  constraint roles_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);
CREATE UNIQUE INDEX roles_name_key
  ON public.roles USING btree (tenant_id, lower(name));
alter table roles enable row level security;
create policy all_tenants on roles
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on roles
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on roles to haltless_app;
grant delete, insert, select, update on roles to haltless_system;
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.roles
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('role', '', '');

create table rule_conditions (
  tenant_id uuid not null,
  rule_id uuid not null,
  machine_id uuid not null,
  unit text not null,
  standing text not null default 'normal'::text,
  current text not null default 'normal'::text,
  back_count integer not null default 0,
  judged_at timestamp(3) with time zone,
  constraint rule_conditions_tenant_id_rule_id_machine_id_unit_pk PRIMARY KEY (tenant_id, rule_id, machine_id, unit),
  constraint rule_conditions_tenant_id_machine_id_machines_tenant_id_id_fk FOREIGN KEY (tenant_id, machine_id)
    REFERENCES machines(tenant_id, id)
    ON DELETE CASCADE,
  constraint rule_conditions_tenant_id_rule_id_threshold_rules_tenant_id_id_ FOREIGN KEY (tenant_id, rule_id)
    REFERENCES threshold_rules(tenant_id, id)
    ON DELETE CASCADE
)
with (fillfactor=70);
CREATE INDEX rule_conditions_machine_idx
  ON public.rule_conditions USING btree (tenant_id, machine_id);
alter table rule_conditions enable row level security;
create policy all_tenants on rule_conditions
  to haltless_system
  using (true)
  with check (true);
create policy ingest on rule_conditions
  to haltless_ingest
  using (true)
  with check (true);
create policy tenant_wall on rule_conditions
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on rule_conditions to haltless_app;
grant insert, select, update on rule_conditions to haltless_ingest;
grant delete, insert, select, update on rule_conditions to haltless_system;

create table sending_quotas (
  subject text not null,
  sent timestamp(3) with time zone[] not null,
  updated_at timestamp(3) with time zone not null,
  constraint sending_quotas_pkey PRIMARY KEY (subject)
);
CREATE INDEX sending_quotas_updated_idx
  ON public.sending_quotas USING btree (updated_at);
grant delete, insert, select, update on sending_quotas to haltless_system;

create table series (
  id integer not null generated always as identity,
  tenant_id uuid not null,
  machine_id uuid not null,
  metric text not null,
  unit text not null,
  place integer not null,
  constraint series_pkey PRIMARY KEY (id),
  constraint series_key UNIQUE (tenant_id, machine_id, metric, unit),
  constraint series_tenant_id_key UNIQUE (tenant_id, id),
  constraint series_tenant_id_machine_id_machines_tenant_id_id_fk FOREIGN KEY (tenant_id, machine_id)
    REFERENCES machines(tenant_id, id)
    ON DELETE CASCADE
);
alter table series enable row level security;
create policy all_tenants on series
  to haltless_system
  using (true)
  with check (true);
create policy ingest on series
  to haltless_ingest
  using (true)
  with check (true);
create policy tenant_wall on series
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on series to haltless_app;
grant insert, select on series to haltless_ingest;
grant delete, insert, select, update on series to haltless_system;

create table sessions (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  user_id uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null,
  revoked_at timestamp(3) with time zone,
  constraint sessions_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint sessions_tenant_id_user_id_users_tenant_id_id_fk FOREIGN KEY (tenant_id, user_id)
    REFERENCES users(tenant_id, id)
    ON DELETE CASCADE
);
CREATE INDEX sessions_expires_idx
  ON public.sessions USING btree (expires_at);
CREATE INDEX sessions_user_idx
  ON public.sessions USING btree (tenant_id, user_id);
alter table sessions enable row level security;
create policy all_tenants on sessions
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on sessions
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on sessions to haltless_app;
grant delete, insert, select, update on sessions to haltless_system;

create unlogged table source_pollers (
  id uuid not null,
  seen_at timestamp with time zone not null,
  constraint source_pollers_pkey PRIMARY KEY (id)
);
grant delete, insert, select, update on source_pollers to haltless_system;

create table sso_configs (
  tenant_id uuid not null,
  provider_name text not null,
  client_id text not null,
  sealed_client_secret text not null,
  discovery_url text not null,
  domain text not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  domain_token text not null default replace(((gen_random_uuid())::text || (gen_random_uuid())::text), '-'::text, ''::text),
  domain_verified_at timestamp(3) with time zone,
  domain_proof text,
  constraint sso_configs_pkey PRIMARY KEY (tenant_id),
  constraint sso_configs_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);
CREATE INDEX sso_configs_claims_idx
  ON public.sso_configs USING btree (lower(domain));
CREATE UNIQUE INDEX sso_configs_domain_key
  ON public.sso_configs USING btree (lower(domain))
  WHERE (domain_verified_at IS NOT NULL);
alter table sso_configs enable row level security;
create policy all_tenants on sso_configs
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on sso_configs
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on sso_configs to haltless_app;
grant delete, insert, select, update on sso_configs to haltless_system;
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.sso_configs
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('sso_config', 'sealed_client_secret', 'updated_at');
CREATE TRIGGER reset_domain_proof
  BEFORE UPDATE OF domain ON public.sso_configs
  FOR EACH ROW
  WHEN ((lower(old.domain) <> lower(new.domain)))
  EXECUTE FUNCTION reset_domain_proof();

create table sso_identities (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  user_id uuid not null,
  issuer text not null,
  subject text not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint sso_identities_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint sso_identities_tenant_id_user_id_users_tenant_id_id_fk FOREIGN KEY (tenant_id, user_id)
    REFERENCES users(tenant_id, id)
    ON DELETE CASCADE
);
CREATE UNIQUE INDEX sso_identities_subject_key
  ON public.sso_identities USING btree (tenant_id, issuer, subject);
alter table sso_identities enable row level security;
create policy all_tenants on sso_identities
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on sso_identities
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on sso_identities to haltless_app;
grant delete, insert, select, update on sso_identities to haltless_system;

create table sso_logins (
  state_hash text not null,
  tenant_id uuid not null,
  sealed_checks text not null,
  created_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null,
  constraint sso_logins_pkey PRIMARY KEY (state_hash),
  constraint sso_logins_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);
CREATE INDEX sso_logins_expires_idx
  ON public.sso_logins USING btree (expires_at);
alter table sso_logins enable row level security;
create policy all_tenants on sso_logins
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on sso_logins
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on sso_logins to haltless_app;
grant delete, insert, select, update on sso_logins to haltless_system;

create table store_partitions (
  name text not null,
  parent text not null,
  lower timestamp with time zone not null,
  upper timestamp with time zone not null,
  constraint store_partitions_pkey PRIMARY KEY (name),
  constraint store_partitions_parent_lower_key UNIQUE (parent, lower)
);
grant select on store_partitions to haltless_system;

create table tag_mappings (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  machine_id uuid not null,
  raw_tag text not null,
  standardized_name text not null,
  unit text not null,
  is_confirmed boolean not null default false,
  confidence_score double precision not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint tag_mappings_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint tag_mappings_tag_key UNIQUE (tenant_id, machine_id, raw_tag),
  constraint tag_mappings_tenant_id_machine_id_machines_tenant_id_id_fk FOREIGN KEY (tenant_id, machine_id)
    REFERENCES machines(tenant_id, id)
    ON DELETE CASCADE
);
CREATE INDEX tag_mappings_confirmed_idx
  ON public.tag_mappings USING btree (tenant_id, machine_id)
  WHERE is_confirmed;
alter table tag_mappings enable row level security;
create policy all_tenants on tag_mappings
  to haltless_system
  using (true)
  with check (true);
create policy ingest on tag_mappings
  to haltless_ingest
  using (true)
  with check (true);
create policy tenant_wall on tag_mappings
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on tag_mappings to haltless_app;
grant select on tag_mappings to haltless_ingest;
grant delete, insert, select, update on tag_mappings to haltless_system;
CREATE TRIGGER mappings_changed
  AFTER UPDATE ON public.tag_mappings
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION change_mapping_facts();
CREATE TRIGGER mappings_deleted
  AFTER DELETE ON public.tag_mappings
  REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION change_mapping_facts();
CREATE TRIGGER mappings_made
  AFTER INSERT ON public.tag_mappings
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION change_mapping_facts();
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.tag_mappings
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('tag_mapping', '', 'updated_at');

create table tenants (
  id uuid not null default uuidv7(),
  name text not null,
  subscription_status text not null default 'active'::text,
  subscription_tier text not null default 'free'::text,
  created_at timestamp(3) with time zone not null default now(),
  facts_version bigint not null default 0,
  unit_preferences jsonb not null default '{}'::jsonb,
  email_prefs jsonb not null default '{}'::jsonb,
  raw_retention_days integer,
  minute_retention_days integer,
  hour_retention_days integer,
  has_tag_mappings boolean not null default false,
  constraint tenants_pkey PRIMARY KEY (id)
);
alter table tenants enable row level security;
create policy all_tenants on tenants
  to haltless_system
  using (true)
  with check (true);
create policy ingest on tenants
  to haltless_ingest
  using (true)
  with check (true);
create policy tenant_wall on tenants
  to haltless_app
  using ((id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on tenants to haltless_app;
grant update (email_prefs, name, unit_preferences) on tenants to haltless_app;
grant select (facts_version, has_tag_mappings, id) on tenants to haltless_ingest;
grant delete, insert, select, update on tenants to haltless_system;
CREATE TRIGGER make_builtin_roles
  AFTER INSERT ON public.tenants
  FOR EACH ROW
  EXECUTE FUNCTION make_builtin_roles();
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.tenants
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('tenant', '', 'facts_version,has_tag_mappings');

create table threshold_rules (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  machine_id uuid,
  metric_name text not null,
  warning_threshold double precision not null,
  critical_threshold double precision not null,
  is_active boolean not null default true,
  created_by uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint threshold_rules_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint threshold_rules_tenant_id_machine_id_machines_tenant_id_id_fk FOREIGN KEY (tenant_id, machine_id)
    REFERENCES machines(tenant_id, id)
    ON DELETE CASCADE,
  constraint threshold_rules_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);
CREATE INDEX threshold_rules_concern_idx
  ON public.threshold_rules USING btree (tenant_id, metric_name, machine_id)
  WHERE is_active;
alter table threshold_rules enable row level security;
create policy all_tenants on threshold_rules
  to haltless_system
  using (true)
  with check (true);
create policy ingest on threshold_rules
  to haltless_ingest
  using (true)
  with check (true);
create policy tenant_wall on threshold_rules
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on threshold_rules to haltless_app;
grant select on threshold_rules to haltless_ingest;
grant delete, insert, select, update on threshold_rules to haltless_system;
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.threshold_rules
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('alert_rule', '', 'updated_at');
CREATE TRIGGER rules_changed
  AFTER UPDATE ON public.threshold_rules
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION change_facts();
CREATE TRIGGER rules_deleted
  AFTER DELETE ON public.threshold_rules
  REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION change_facts();
CREATE TRIGGER rules_made
  AFTER INSERT ON public.threshold_rules
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION change_facts();

create table users (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  email text not null,
  full_name text not null,
  password_hash text,
  role text not null,
  is_active boolean not null default true,
  mfa_enabled boolean not null default false,
  onboarding_completed boolean not null default false,
  last_login_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  is_invited boolean not null default false,
  phone text,
  timezone text,
  locale text,
  report_schedule text,
  report_emails text[] not null default '{}'::text[],
  constraint users_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint users_role_fk FOREIGN KEY (tenant_id, role)
    REFERENCES roles(tenant_id, key),
  constraint users_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);
CREATE UNIQUE INDEX users_email_key
  ON public.users USING btree (lower(email));
CREATE INDEX users_role_idx
  ON public.users USING btree (tenant_id, role);
alter table users enable row level security;
create policy all_tenants on users
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on users
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on users to haltless_app;
grant delete, insert, select, update on users to haltless_system;
CREATE TRIGGER forget_browsers
  AFTER UPDATE OF is_active ON public.users
  FOR EACH ROW
  WHEN ((old.is_active AND (NOT new.is_active)))
  EXECUTE FUNCTION forget_browsers();
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.users
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('user', 'password_hash', 'last_login_at');

grant usage on sequence reading_key_filters_id_seq to haltless_system;
grant usage on sequence series_id_seq to haltless_app;
grant usage on sequence series_id_seq to haltless_ingest;
grant usage on sequence series_id_seq to haltless_system;

CREATE OR REPLACE FUNCTION public.alert_subject(kind text, alert_id uuid, machine_id uuid, metric text, unit text)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select case kind
    when 'alert' then alert_id::text
    when 'series' then 'haltless-' || md5(machine_id || E'\n' || metric || E'\n' || unit)
  end
$function$;
grant execute on function alert_subject(text,uuid,uuid,text,text) to public;

CREATE OR REPLACE FUNCTION public.audit_view(whole jsonb, keys text[], secrets text[])
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select case when whole is null then null else (
    select jsonb_object_agg(key, case when key = any (secrets) and whole -> key <> 'null' then '"***"' else whole -> key end)
    from unnest(keys) key) end
$function$;
grant execute on function audit_view(jsonb,text[],text[]) to public;

CREATE OR REPLACE PROCEDURE public.build_audit(IN target regclass, IN kind text, IN secrets text DEFAULT ''::text, IN ignored text DEFAULT ''::text)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format('create trigger note_change after insert or update or delete on %s for each row '
    'when (current_setting(''app.actor'', true) <> '''') execute function note_change(%L, %L, %L)', target, kind, secrets, ignored);
end $procedure$;
grant execute on procedure build_audit(regclass,text,text,text) to public;

CREATE OR REPLACE PROCEDURE public.build_tenant_wall(IN target regclass, IN tenant_column name DEFAULT 'tenant_id'::name)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format('alter table %s enable row level security', target);
  execute format(
    'create policy tenant_wall on %s to haltless_app using (%2$I = (select nullif(current_setting(''app.tenant_id'', true), '''')::uuid)) '
    'with check (%2$I = (select nullif(current_setting(''app.tenant_id'', true), '''')::uuid))', target, tenant_column);
  execute format('create policy all_tenants on %s to haltless_system using (true) with check (true)', target);
  execute format('grant select, insert, update, delete on %s to haltless_app, haltless_system', target);
end $procedure$;
grant execute on procedure build_tenant_wall(regclass,name) to public;

CREATE OR REPLACE FUNCTION public.change_facts()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  update tenants set facts_version = facts_version + 1 where id in (select distinct tenant_id from changed);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.change_facts_of_machine()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  update tenants set facts_version = facts_version + 1 where id = new.tenant_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.change_mapping_facts()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  update tenants t set
    facts_version = facts_version + 1,
    has_tag_mappings = exists (select from tag_mappings m where m.tenant_id = t.id and m.is_confirmed)
  where id in (select distinct tenant_id from changed where is_confirmed);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.claim_sending(of_subject text, at timestamp with time zone, per_day integer, gap interval)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  recent timestamptz[];
  n integer;
begin
  insert into sending_quotas (subject, sent, updated_at) values (of_subject, '{}', at) on conflict do nothing;
  select array(select s from unnest(sent) s where s > at - interval '1 day' order by s) into recent
  from sending_quotas where subject = of_subject for update;
  n := cardinality(recent);
  if n >= per_day then return recent[n - per_day + 1] + interval '1 day'; end if;
  if n > 0 and recent[n] > at - gap then return recent[n] + gap; end if;
  update sending_quotas set sent = recent || at, updated_at = at where subject = of_subject;
  return null;
end $function$;
grant execute on function claim_sending(text,timestamp with time zone,integer,interval) to haltless_app;
grant execute on function claim_sending(text,timestamp with time zone,integer,interval) to haltless_system;

CREATE OR REPLACE FUNCTION public.delivery_subject(channel_type text, alert_id uuid, machine_id uuid, metric text, unit text)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select case
    when channel_type in ('incident_a', 'incident_b') then alert_id::text
    when channel_type in ('ticketing_a', 'ticketing_b') then 'haltless-' || md5(machine_id || E'\n' || metric || E'\n' || unit)
  end
$function$;
grant execute on function delivery_subject(text,uuid,uuid,text,text) to public;

CREATE OR REPLACE FUNCTION public.drop_empty_partition(part text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '300ms'
AS $function$
declare
  is_used boolean;
begin
  if not exists (select from store_partitions where name = part) then return false; end if;
  execute format('lock table %I in access exclusive mode', part);
  execute format('select exists (select from %I)', part) into is_used;
  if is_used then return false; end if;
  execute format('drop table %I', part);
  delete from store_partitions where name = part;
  return true;
end $function$;
grant execute on function drop_empty_partition(text) to haltless_system;

CREATE OR REPLACE FUNCTION public.drop_key_partitions(oldest date)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '300ms'
AS $function$
declare
  part record;
begin
  for part in
    select name from store_partitions
    where parent = 'reading_key_pages' and upper <= oldest::timestamp at time zone 'UTC' order by lower for update skip locked
  loop
    begin
      execute format('drop table %I', part.name);
      delete from store_partitions where name = part.name;
    exception when lock_not_available then
      null;
    end;
  end loop;
end $function$;
grant execute on function drop_key_partitions(date) to haltless_system;

CREATE OR REPLACE FUNCTION public.drop_legacy_partition(part text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '300ms'
AS $function$
declare
  is_used boolean;
begin
  if not exists (select from legacy_partitions where name = part and packed_at < now() - interval '3 minutes') then return false; end if;
  execute format('lock table %I in access exclusive mode', part);
  execute format('select exists (select from %I r join series s on s.id = r.series_id
    where r.series_id > (select packed_through from legacy_partitions where name = %L))', part, part) into is_used;
  if is_used then return false; end if;
  execute format('drop table %I', part);
  delete from legacy_partitions where name = part;
  return true;
end $function$;
grant execute on function drop_legacy_partition(text) to haltless_system;

CREATE OR REPLACE FUNCTION public.ensure_block_partition(at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select store_partition('reading_blocks', at,
    case when at >= now() - interval '26 weeks' then array['week', 'day'] else array['month', 'week', 'day'] end);
$function$;
grant execute on function ensure_block_partition(timestamp with time zone) to haltless_system;

CREATE OR REPLACE FUNCTION public.ensure_key_partition(day date)
 RETURNS text
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select store_partition('reading_key_pages', day::timestamp at time zone 'UTC', array['day']);
$function$;
grant execute on function ensure_key_partition(date) to haltless_system;

CREATE OR REPLACE FUNCTION public.ensure_minutes_partition(day date)
 RETURNS text
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select store_partition('reading_minutes', day::timestamp at time zone 'UTC', array['month']);
$function$;
grant execute on function ensure_minutes_partition(date) to haltless_system;

CREATE OR REPLACE FUNCTION public.follow_alert()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION public.forget_browsers()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  delete from notification_channels where tenant_id = new.tenant_id and channel_type = 'push' and created_by = new.id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.forget_latest_writers()
 RETURNS void
 LANGUAGE sql
AS $function$
  update machine_latest l set written = pg_current_xact_id(), body = '\x01'::bytea || (
    select string_agg(substr(l.body, 2 + 29 * i, 21) || '\x0000000000000000'::bytea, '' order by i)
    from generate_series(0, (length(l.body) - 1) / 29 - 1) i)
  where length(l.body) > 1
$function$;

CREATE OR REPLACE FUNCTION public.forget_tail()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  delete from reading_tail r using gone g where r.tenant_id = g.tenant_id and r.machine_id = g.id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.gather_deliveries(at timestamp with time zone, at_once integer, span interval)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  c record;
  w delivery_windows;
  lead uuid;
  n integer;
  freed integer := 0;
begin
  update deliveries set due_at = at where status = 'gathering' and due_at > at + span;
  for c in select distinct tenant_id, channel_id from deliveries where status = 'gathering' and due_at <= at order by 1, 2 limit 500 loop
    insert into delivery_windows values (c.tenant_id, c.channel_id, '-infinity', 0) on conflict do nothing;
    select * into w from delivery_windows where tenant_id = c.tenant_id and channel_id = c.channel_id for update skip locked;
    continue when not found;
    if w.until > at + span then
      w.until := at;
      w.sent := at_once;
    end if;
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
end $function$;
grant execute on function gather_deliveries(timestamp with time zone,integer,interval) to public;

CREATE OR REPLACE FUNCTION public.legacy_instants_of(ids integer[], ats timestamp with time zone[])
 RETURNS SETOF integer
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  if not exists (select from legacy_partitions where packed_at is null) then return; end if;
  return query
    select w.ord::integer from unnest(ids, ats) with ordinality w(id, at, ord)
    join legacy_partitions p on p.lower <= w.at and w.at < p.upper and p.packed_through < w.id
    where exists (select from legacy_readings l where l.series_id = w.id and l.ts = w.at);
end $function$;
grant execute on function legacy_instants_of(integer[],timestamp with time zone[]) to public;

CREATE OR REPLACE FUNCTION public.legacy_neighbours_of(tenants uuid[], ids integer[], ats timestamp with time zone[], before integer[], after integer[])
 RETURNS TABLE(place integer, series_id integer, n integer, times bytea, vals bytea)
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  if not exists (select from legacy_partitions where packed_at is null) then return; end if;
  return query
    select w.ord::integer - 1, w.id, count(*)::integer, array_send(array_agg(r.ts order by r.ts)), array_send(array_agg(r.value order by r.ts))
    from unnest(tenants, ids, ats, before, after) with ordinality w(tenant, id, at, b, a, ord)
    join series s on s.tenant_id = w.tenant and s.id = w.id
    cross join lateral (
      (select o.ts, o.value from legacy_partitions p cross join lateral (
          select l.ts, l.value from legacy_readings l where l.series_id = w.id and l.ts >= p.lower and l.ts < p.upper and l.ts <= w.at
          order by l.ts desc limit w.b) o
        where p.packed_through < w.id and p.lower <= w.at order by o.ts desc limit w.b)
      union all
      (select o.ts, o.value from legacy_partitions p cross join lateral (
          select l.ts, l.value from legacy_readings l where l.series_id = w.id and l.ts >= p.lower and l.ts < p.upper and l.ts > w.at
          order by l.ts limit w.a) o
        where p.packed_through < w.id and p.upper > w.at order by o.ts limit w.a)) r
    group by w.ord, w.id;
end $function$;
grant execute on function legacy_neighbours_of(uuid[],integer[],timestamp with time zone[],integer[],integer[]) to public;

CREATE OR REPLACE FUNCTION public.legacy_readings_of(tenant uuid, ids integer[], since timestamp with time zone, until timestamp with time zone, most double precision)
 RETURNS TABLE(place integer, series_id integer, n integer, times bytea, vals bytea)
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  if not exists (select from legacy_partitions where packed_at is null) then return; end if;
  return query
    select w.ord::integer - 1, s.id, count(*)::integer, array_send(array_agg(r.ts order by r.ts)), array_send(array_agg(r.value order by r.ts))
    from unnest(ids) with ordinality w(id, ord)
    join series s on s.tenant_id = tenant and s.id = w.id
    cross join lateral (
      select o.ts, o.value from legacy_partitions p
      cross join lateral (
        select l.ts, l.value from legacy_readings l
        where l.series_id = s.id and l.ts >= greatest(p.lower, since) and l.ts < least(p.upper, until)) o
      where p.packed_through < s.id and p.lower < until and p.upper > since
      order by o.ts limit least(most, 1e9)::bigint) r
    group by w.ord, s.id, date_bin('1 day', r.ts, 'epoch'::timestamptz);
end $function$;
grant execute on function legacy_readings_of(uuid,integer[],timestamp with time zone,timestamp with time zone,double precision) to public;

CREATE OR REPLACE FUNCTION public.legacy_statistics_of(tenant uuid, ids integer[], since timestamp with time zone, until timestamp with time zone, are_minutes boolean)
 RETURNS TABLE(place integer, series_id integer, day timestamp with time zone, stats bytea)
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  if not exists (select from legacy_dropped) then return; end if;
  return query
    select w.ord::integer - 1, s.id, date_bin('1 day', h.ts, 'epoch'::timestamptz), array_send(array_agg(v.x order by h.ts, v.i))
    from unnest(ids) with ordinality w(id, ord) join series s on s.tenant_id = tenant and s.id = w.id
    cross join legacy_dropped d
    cross join lateral (
      select * from legacy_rollup_minutes m where are_minutes and m.series_id = s.id and m.ts >= greatest(d.lower, since) and m.ts < least(d.upper, until)
      union all
      select * from legacy_rollup_hours o where not are_minutes and o.series_id = s.id and o.ts >= greatest(d.lower, since) and o.ts < least(d.upper, until)) h
    cross join lateral unnest(array[extract(epoch from h.ts) * 1000, h.n, h.mean, coalesce(h.m2, 'NaN'), h.low, h.high, extract(epoch from h.last_at) * 1000,
      h.last]::float8[]) with ordinality v(x, i)
    group by w.ord, s.id, 3;
end $function$;
grant execute on function legacy_statistics_of(uuid,integer[],timestamp with time zone,timestamp with time zone,boolean) to public;

CREATE OR REPLACE PROCEDURE public.let_ingest(IN target regclass, IN privileges text)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format('create policy ingest on %s to haltless_ingest using (true) with check (true)', target);
  execute format('grant %s on %s to haltless_ingest', privileges, target);
end $procedure$;
grant execute on procedure let_ingest(regclass,text) to public;

CREATE OR REPLACE FUNCTION public.make_builtin_roles()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into roles (tenant_id, key, name, base_tier, is_builtin)
  values (new.id, 'admin', 'Admin', 'admin', true), (new.id, 'operator', 'Operator', 'operator', true), (new.id, 'viewer', 'Viewer', 'viewer', true);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.memory_is_out_of_date()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'what this process remembers is out of date' using errcode = 'HL001';
end $function$;
grant execute on function memory_is_out_of_date() to public;

CREATE OR REPLACE FUNCTION public.newest_of_latest(body bytea)
 RETURNS timestamp with time zone
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select to_timestamp(max(ms) / 1000.0) from (
    select substr(body, 6 + 29 * i, 8)::bigint as ms from generate_series(0, (length(body) - 1) / 29 - 1) i) entries
  where ms > -9223372036854775808
$function$;
grant execute on function newest_of_latest(bytea) to public;

CREATE OR REPLACE FUNCTION public.note_alert()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION public.note_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  actor jsonb := current_setting('app.actor', true)::jsonb;
  secrets text[] := string_to_array(TG_ARGV[1], ',');
  ignored text[] := string_to_array(TG_ARGV[2], ',');
  old_row jsonb := case when TG_OP <> 'INSERT' then to_jsonb(old) end;
  new_row jsonb := case when TG_OP <> 'DELETE' then to_jsonb(new) end;
  whole jsonb := coalesce(new_row, old_row);
  changed text[];
begin
  -- a status that was judged, not set by a person
  if TG_TABLE_NAME = 'machines' and not (whole ->> 'status_is_manual')::boolean then ignored := array_append(ignored, 'status'); end if;
  changed := array(select key from jsonb_object_keys(whole) key
    where key <> all (ignored) and (TG_OP <> 'UPDATE' or old_row -> key is distinct from new_row -> key));
  if cardinality(changed) = 0 then return null; end if;
  insert into audit_log (tenant_id, at, actor_kind, actor_id, actor_name, ip, request_id, action, target_type, target_id, target_name, before, after)
  values (
    coalesce(whole ->> 'tenant_id', whole ->> 'id')::uuid, clock_timestamp(),
    actor ->> 'kind', actor ->> 'id', actor ->> 'name', actor ->> 'ip', actor ->> 'request_id',
    TG_ARGV[0] || case TG_OP when 'INSERT' then '.created' when 'UPDATE' then '.updated' else '.deleted' end,
    TG_ARGV[0], coalesce(whole ->> 'id', whole ->> 'key', whole ->> 'group_id', whole ->> 'tenant_id'),
    coalesce(whole ->> 'email', whole ->> 'name', whole ->> 'title', whole ->> 'message', whole ->> 'provider_name', whole ->> 'metric_name'),
    audit_view(old_row, changed, secrets), audit_view(new_row, changed, secrets));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.note_event(tenant uuid, actor jsonb, action text, target_type text, target_id text, target_name text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if tenant <> coalesce(nullif(current_setting('app.tenant_id', true), '')::uuid, tenant) then
    raise exception 'an event of another tenant';
  end if;
  insert into audit_log (tenant_id, at, actor_kind, actor_id, actor_name, ip, request_id, action, target_type, target_id, target_name)
  values (tenant, clock_timestamp(), actor ->> 'kind', actor ->> 'id', actor ->> 'name', actor ->> 'ip', actor ->> 'request_id',
    action, target_type, target_id, target_name);
end $function$;
grant execute on function note_event(uuid,jsonb,text,text,text,text) to haltless_app;
grant execute on function note_event(uuid,jsonb,text,text,text,text) to haltless_system;

CREATE OR REPLACE FUNCTION public.patch_latest(body bytea, changes bytea)
 RETURNS bytea
 LANGUAGE plpgsql
AS $function$
declare
  own constant bytea := int8send(pg_current_xact_id()::text::bigint);
  width constant integer := 41;
  result bytea := body;
  at integer;
  place integer;
  newest bigint;
  known bigint;
begin
  for i in 0 .. length(changes) / width - 1 loop
    at := i * width;
    place := 2 + 29 * substr(changes, at + 1, 4)::integer;
    newest := substr(result, place + 4, 8)::bigint;
    known := substr(changes, at + 13, 8)::bigint;
    if substr(result, place, 4) <> substr(changes, at + 21, 4) or newest >= substr(changes, at + 5, 8)::bigint
      or (known > -9223372036854775808 and newest <> known) or (known = -9223372036854775808 and get_byte(result, place + 19) = 1) then
      perform memory_is_out_of_date();
    end if;
    result := overlay(result placing substr(changes, at + 21, 21) || own from place);
  end loop;
  return result;
end $function$;
grant execute on function patch_latest(bytea,bytea) to public;

CREATE OR REPLACE FUNCTION public.refresh_statistics()
 RETURNS SETOF text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  grown record;
begin
  for grown in
    select c.oid::regclass::text as name from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relispartition
      and pg_stat_get_live_tuples(c.oid) > 100 + 2 * greatest(c.reltuples, 0)
    order by 1
  loop
    execute 'analyze (skip_locked) ' || grown.name;
    return next grown.name;
  end loop;
end $function$;
grant execute on function refresh_statistics() to haltless_system;

CREATE OR REPLACE FUNCTION public.report_period(schedule text, of_zone text, at timestamp with time zone, OUT zone text, OUT period_start timestamp with time zone, OUT period_end timestamp with time zone, OUT next_due timestamp with time zone)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  unit text := case schedule when 'daily' then 'day' when 'weekly' then 'week' else 'month' end;
  step interval := ('1 ' || unit)::interval;
  -- of the reader's clock
  turn interval := interval '7 hours';
  begun timestamp;
begin
  zone := of_zone;
  begin
    begun := date_trunc(unit, at at time zone zone - turn);
  exception when invalid_parameter_value then
    -- a zone that others know and PostgreSQL does not
    zone := 'UTC';
    begun := date_trunc(unit, at at time zone zone - turn);
  end;
  period_start := (begun - step) at time zone zone;
  period_end := begun at time zone zone;
  next_due := (begun + step + turn) at time zone zone;
end $function$;
grant execute on function report_period(text,text,timestamp with time zone) to public;

CREATE OR REPLACE FUNCTION public.reset_domain_proof()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.domain_token := replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
  new.domain_verified_at := null;
  new.domain_proof := null;
  return new;
end $function$;
grant execute on function reset_domain_proof() to public;

CREATE OR REPLACE FUNCTION public.source_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if TG_OP <> 'INSERT' then perform tell_poller(old.tenant_id, old.agent_id); end if;
  if TG_OP <> 'DELETE' and (TG_OP = 'INSERT' or new.agent_id is distinct from old.agent_id) then
    perform tell_poller(new.tenant_id, new.agent_id);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.source_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.version := old.version + 1;
  return new;
end $function$;
grant execute on function source_version() to public;

CREATE OR REPLACE FUNCTION public.sources_of_machine_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  perform tell_poller(new.tenant_id, agent)
  from (select distinct agent_id as agent from ingest_sources where tenant_id = new.tenant_id and machine_id = new.id order by 1) agents;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.store_partition(parent text, at timestamp with time zone, widths text[])
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  part store_partitions;
  width text;
begin
  select * into part from store_partitions p where p.parent = store_partition.parent and p.lower <= at and at < p.upper;
  if found then return part.name; end if;
  perform pg_advisory_xact_lock(hashtext('store_partition'));
  select * into part from store_partitions p where p.parent = store_partition.parent and p.lower <= at and at < p.upper;
  if found then return part.name; end if;
  foreach width in array widths loop
    part.lower := date_trunc(width, at, 'UTC');
    part.upper := ((part.lower at time zone 'UTC') + ('1 ' || width)::interval) at time zone 'UTC';
    continue when exists (select from store_partitions p where p.parent = store_partition.parent and p.lower < part.upper and p.upper > part.lower);
    part.parent := store_partition.parent;
    part.name := store_partition.parent || to_char(part.lower at time zone 'UTC', '_YYYYMMDD') || '_' || width;
    execute format('create table %I (like %I including all)', part.name, part.parent);
    execute format('alter table %I attach partition %I for values from (%L) to (%L)', part.parent, part.name,
      case part.parent when 'reading_blocks' then part.lower::text else (part.lower at time zone 'UTC')::date::text end,
      case part.parent when 'reading_blocks' then part.upper::text else (part.upper at time zone 'UTC')::date::text end);
    insert into store_partitions values (part.*);
    return part.name;
  end loop;
  raise exception 'no partition of % can hold %', parent, at;
end $function$;

CREATE OR REPLACE FUNCTION public.take_places(of_bucket text, wanted integer, allowed integer, seed integer, OUT granted integer, OUT used integer, OUT free_in double precision)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
declare
  at double precision := extract(epoch from clock_timestamp());
  slice bigint := floor(at / 2);
  w rate_windows;
  shift integer;
  oldest integer;
begin
  insert into rate_windows values (of_bucket, array_fill(0, array[30]), slice) on conflict do nothing;
  select * into w from rate_windows where bucket = of_bucket for update;
  shift := least(greatest(slice - w.head, 0), 30);
  if shift > 0 then w.counts := w.counts[shift + 1:30] || array_fill(0, array[shift]); end if;
  select sum(n) into used from unnest(w.counts) n;
  granted := greatest(0, least(wanted, allowed - used - seed));
  w.counts[30] := w.counts[30] + granted + seed;
  used := used + granted + seed;
  update rate_windows set counts = w.counts, head = greatest(slice, w.head) where bucket = of_bucket;
  select min(i) into oldest from generate_subscripts(w.counts, 1) i where w.counts[i] > 0;
  free_in := greatest(0, (greatest(slice, w.head) - 30 + coalesce(oldest, 30) + 30) * 2 - at);
end $function$;
grant execute on function take_places(text,integer,integer,integer) to haltless_system;

CREATE OR REPLACE FUNCTION public.tell_poller(tenant uuid, agent text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if agent is not null then
    insert into agent_sources as a (tenant_id, agent_id, revision) select id, agent, 1 from tenants where id = tenant
    on conflict (tenant_id, agent_id) do update set revision = a.revision + 1;
  end if;
  perform pg_notify('haltless_sources', coalesce(tenant::text || '/' || agent, ''));
end $function$;
