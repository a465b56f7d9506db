-- Written from the catalogs by `npm run schema`; test/schema.test.ts compares. Review it in diffs, change migrations/ instead.

grant usage on schema drizzle to haltless_system;
grant usage on schema public to haltless_app;
grant usage on schema public to haltless_ingest;
grant usage on schema public to haltless_system;
grant usage on schema public to public;

create collation natural_order (provider = icu, locale = 'und-u-kn-true', deterministic = t);

create table access_tokens (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  kind text not null,
  user_id uuid not null,
  name text not null,
  prefix text not null,
  token_hash text not null,
  scopes text[] not null,
  group_ids uuid[],
  source_addresses text[],
  is_active boolean not null default true,
  created_by uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null,
  revoked_at timestamp(3) with time zone,
  last_used_at timestamp(3) with time zone,
  warnings integer not null default 0,
  constraint access_tokens_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint access_tokens_prefix_unique UNIQUE (prefix),
  constraint access_tokens_tenant_id_user_id_users_tenant_id_id_fk FOREIGN KEY (tenant_id, user_id)
    REFERENCES users(tenant_id, id)
    ON DELETE CASCADE
);
CREATE INDEX access_tokens_expires_idx
  ON public.access_tokens USING btree (expires_at);
CREATE INDEX access_tokens_revoked_idx
  ON public.access_tokens USING btree (revoked_at)
  WHERE (revoked_at IS NOT NULL);
CREATE INDEX access_tokens_user_idx
  ON public.access_tokens USING btree (tenant_id, user_id);
alter table access_tokens enable row level security;
create policy all_tenants on access_tokens
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on access_tokens
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on access_tokens to haltless_app;
grant delete, insert, select, update on access_tokens to haltless_system;
CREATE TRIGGER count_activation
  AFTER UPDATE OF is_active ON public.access_tokens
  FOR EACH ROW
  WHEN ((old.is_active <> new.is_active))
  EXECUTE FUNCTION count_activation('tokens');
CREATE TRIGGER count_use_of_deleted
  AFTER DELETE ON public.access_tokens
  REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION count_use('tokens', 'is_active::int');
CREATE TRIGGER count_use_of_new
  AFTER INSERT ON public.access_tokens
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION count_use('tokens', 'is_active::int');
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.access_tokens
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('access_token', 'token_hash', 'last_used_at,warnings');

create unlogged table agent_connections (
  tenant_id uuid not null,
  agent_id text not null,
  hub_id uuid not null,
  instance text not null,
  connection_id uuid not null,
  connected_at timestamp(3) with time zone not null default now(),
  constraint agent_connections_pkey PRIMARY KEY (tenant_id, agent_id),
  constraint agent_connections_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);
CREATE INDEX agent_connections_hub_idx
  ON public.agent_connections USING btree (hub_id);
alter table agent_connections enable row level security;
create policy all_tenants on agent_connections
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on agent_connections
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on agent_connections to haltless_app;
grant delete, insert, select, update on agent_connections to haltless_system;

create table agent_dictionaries (
  tenant_id uuid not null,
  agent_id text not null,
  name bytea not null,
  content bytea storage external not null,
  used_at timestamp(3) with time zone not null,
  constraint agent_dictionaries_tenant_id_agent_id_name_pk PRIMARY KEY (tenant_id, agent_id, name),
  constraint agent_dictionaries_tenant_id_agent_id_agents_tenant_id_agent_id FOREIGN KEY (tenant_id, agent_id)
    REFERENCES agents(tenant_id, agent_id)
    ON DELETE CASCADE
);
CREATE INDEX agent_dictionaries_used_idx
  ON public.agent_dictionaries USING btree (used_at);
alter table agent_dictionaries enable row level security;
create policy all_tenants on agent_dictionaries
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on agent_dictionaries
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on agent_dictionaries to haltless_app;
grant delete, insert, select, update on agent_dictionaries to haltless_system;

create table agent_release_pieces (
  version text not null,
  platform text not null,
  piece integer not null,
  content bytea storage external not null,
  constraint agent_release_pieces_version_platform_piece_pk PRIMARY KEY (version, platform, piece),
  constraint agent_release_pieces_version_agent_releases_version_fk FOREIGN KEY (version)
    REFERENCES agent_releases(version)
    ON DELETE CASCADE
);
grant select on agent_release_pieces to haltless_app;
grant delete, insert, select, update on agent_release_pieces to haltless_system;

create table agent_releases (
  version text not null,
  sequence bigint not null,
  release jsonb not null,
  added_at timestamp(3) with time zone not null,
  constraint agent_releases_pkey PRIMARY KEY (version),
  constraint agent_releases_sequence_unique UNIQUE (sequence)
);
grant select on agent_releases to haltless_app;
grant delete, insert, select, update on agent_releases to haltless_system;

create table agent_rollout_agents (
  tenant_id uuid not null,
  rollout_id uuid not null,
  agent_id text not null,
  wave integer not null,
  state text not null,
  since timestamp(3) with time zone not null,
  reason text,
  from_version text not null,
  received_bytes bigint,
  fault jsonb,
  constraint agent_rollout_agents_tenant_id_rollout_id_agent_id_pk PRIMARY KEY (tenant_id, rollout_id, agent_id),
  constraint agent_rollout_agents_tenant_id_agent_id_agents_tenant_id_agent_ FOREIGN KEY (tenant_id, agent_id)
    REFERENCES agents(tenant_id, agent_id)
    ON DELETE CASCADE,
  constraint agent_rollout_agents_tenant_id_rollout_id_agent_rollouts_tenant FOREIGN KEY (tenant_id, rollout_id)
    REFERENCES agent_rollouts(tenant_id, id)
    ON DELETE CASCADE
);
CREATE UNIQUE INDEX agent_rollout_agents_open_key
  ON public.agent_rollout_agents USING btree (tenant_id, agent_id)
  WHERE (state = ANY (ARRAY['pending'::text, 'announced'::text, 'waiting'::text, 'downloading'::text, 'verified'::text, 'switched'::text]));
CREATE INDEX agent_rollout_agents_updating_idx
  ON public.agent_rollout_agents USING btree (since)
  WHERE (state = ANY (ARRAY['downloading'::text, 'verified'::text, 'switched'::text]));
CREATE INDEX agent_rollout_agents_wave_idx
  ON public.agent_rollout_agents USING btree (tenant_id, rollout_id, wave);
alter table agent_rollout_agents enable row level security;
create policy all_tenants on agent_rollout_agents
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on agent_rollout_agents
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on agent_rollout_agents to haltless_app;
grant delete, insert, select, update on agent_rollout_agents to haltless_system;

create table agent_rollouts (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  version text not null,
  wave_sizes integer[] not null,
  stop_after_failures integer not null,
  spread_seconds integer not null,
  state text not null,
  reason text,
  wave integer not null,
  wave_began_at timestamp(3) with time zone not null,
  failures integer not null default 0,
  created_by text not null,
  created_at timestamp(3) with time zone not null default now(),
  ended_at timestamp(3) with time zone,
  fault jsonb,
  constraint agent_rollouts_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint agent_rollouts_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);
CREATE INDEX agent_rollouts_ended_idx
  ON public.agent_rollouts USING btree (ended_at);
CREATE INDEX agent_rollouts_newest_idx
  ON public.agent_rollouts USING btree (tenant_id, created_at DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX agent_rollouts_open_idx
  ON public.agent_rollouts USING btree (id)
  WHERE (ended_at IS NULL);
alter table agent_rollouts enable row level security;
create policy all_tenants on agent_rollouts
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on agent_rollouts
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on agent_rollouts to haltless_app;
grant delete, insert, select, update on agent_rollouts to haltless_system;

create table agent_sources (
  tenant_id uuid not null,
  agent_id text not null,
  revision bigint not null,
  running_revision bigint,
  fault text,
  revision_fault jsonb,
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
  buffer_bytes bigint,
  buffer_capacity_bytes bigint,
  buffer_bytes_per_hour double precision,
  dead_letters jsonb not null default '[]'::jsonb,
  requeue_id uuid,
  requeue_requested_at timestamp(3) with time zone,
  missed_polls jsonb not null default '{}'::jsonb,
  released_at timestamp(3) with time zone,
  retired_at timestamp(3) with time zone,
  clock_offset_ms bigint,
  update_report jsonb,
  rollout_id uuid,
  browse_id uuid,
  browse_request jsonb,
  browse_answer jsonb,
  browse_at timestamp(3) with time zone,
  source_clocks jsonb not null default '{}'::jsonb,
  collector_faults jsonb not null default '{}'::jsonb,
  group_id uuid,
  constraint agents_tenant_id_agent_id_pk PRIMARY KEY (tenant_id, agent_id),
  constraint agents_tenant_id_group_id_machine_groups_tenant_id_id_fk FOREIGN KEY (tenant_id, group_id)
    REFERENCES machine_groups(tenant_id, id)
    ON DELETE SET NULL (group_id),
  constraint agents_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);
CREATE INDEX agents_released_idx
  ON public.agents USING btree (tenant_id, agent_id)
  WHERE (released_at IS NOT NULL);
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
  is_too_old_to_notify boolean not null default false,
  acknowledged_at timestamp(3) with time zone,
  acknowledged_by uuid,
  snoozed_until timestamp(3) with time zone,
  cleared_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  is_muted boolean not null default false,
  escalation_due_at timestamp(3) with time zone,
  comparison text,
  rule_name text,
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
CREATE INDEX alerts_created_idx
  ON public.alerts USING btree (created_at);
CREATE INDEX alerts_ended_idx
  ON public.alerts USING btree (cleared_at)
  WHERE (cleared_at IS NOT NULL);
CREATE INDEX alerts_escalation_idx
  ON public.alerts USING btree (escalation_due_at)
  WHERE ((acknowledged_at IS NULL) AND (cleared_at IS NULL) AND (escalation_due_at IS NOT NULL));
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
  EXECUTE FUNCTION note_change('alert', '', 'escalation_due_at');
CREATE TRIGGER plan_escalation
  BEFORE INSERT ON public.alerts
  FOR EACH ROW
  WHEN (((new.cleared_at IS NULL) AND (NOT new.is_too_old_to_notify) AND (NOT new.is_muted)))
  EXECUTE FUNCTION plan_escalation();
CREATE TRIGGER plan_escalation_after_snooze
  BEFORE UPDATE OF snoozed_until ON public.alerts
  FOR EACH ROW
  WHEN (((old.snoozed_until IS DISTINCT FROM new.snoozed_until) AND (old.escalation_due_at IS NOT NULL)))
  EXECUTE FUNCTION plan_escalation();

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
CREATE INDEX anomaly_events_id_idx
  ON public.anomaly_events USING btree (id);
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
  agent_id text,
  activated_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  enrolment_key_id uuid,
  group_id uuid,
  constraint api_keys_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint api_keys_prefix_unique UNIQUE (prefix),
  constraint api_keys_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);
CREATE UNIQUE INDEX api_keys_activated_key
  ON public.api_keys USING btree (tenant_id, agent_id)
  WHERE ((agent_id IS NOT NULL) AND is_active AND (activated_at IS NOT NULL));
CREATE INDEX api_keys_agent_idx
  ON public.api_keys USING btree (tenant_id, agent_id)
  WHERE (agent_id IS NOT NULL);
CREATE UNIQUE INDEX api_keys_pending_key
  ON public.api_keys USING btree (tenant_id, agent_id)
  WHERE ((agent_id IS NOT NULL) AND is_active AND (activated_at IS NULL));
CREATE INDEX api_keys_revoked_idx
  ON public.api_keys USING btree (revoked_at)
  WHERE ((agent_id IS NOT NULL) AND (NOT is_active));
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

create table attachment_deletions (
  tenant_id uuid not null,
  storage_key text not null,
  attempts integer not null default 0,
  error text,
  due_at timestamp(3) with time zone not null default now(),
  created_at timestamp(3) with time zone not null default now(),
  constraint attachment_deletions_tenant_id_storage_key_pk PRIMARY KEY (tenant_id, storage_key)
);
CREATE INDEX attachment_deletions_due_idx
  ON public.attachment_deletions USING btree (due_at);
alter table attachment_deletions enable row level security;
create policy all_tenants on attachment_deletions
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on attachment_deletions
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on attachment_deletions to haltless_app;
grant delete, insert, select, update on attachment_deletions to haltless_system;

create table attachment_uploads (
  tenant_id uuid not null,
  storage_key text not null,
  size_bytes bigint not null,
  expires_at timestamp(3) with time zone not null,
  constraint attachment_uploads_tenant_id_storage_key_pk PRIMARY KEY (tenant_id, storage_key)
);
CREATE INDEX attachment_uploads_expiry_idx
  ON public.attachment_uploads USING btree (expires_at);
alter table attachment_uploads enable row level security;
create policy all_tenants on attachment_uploads
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on attachment_uploads
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on attachment_uploads to haltless_app;
grant delete, insert, select, update on attachment_uploads to haltless_system;
CREATE TRIGGER count_use_of_deleted
  AFTER DELETE ON public.attachment_uploads
  REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION count_use('attachment_bytes', 'size_bytes');
CREATE TRIGGER count_use_of_new
  AFTER INSERT ON public.attachment_uploads
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION count_use('attachment_bytes', 'size_bytes');

create table attachments (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  work_order_id uuid,
  maintenance_event_id uuid,
  uploaded_by uuid not null,
  filename text not null,
  content_type text not null,
  size_bytes bigint not null,
  sha256 text not null,
  storage_key text not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint attachments_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint attachments_storage_key_unique UNIQUE (storage_key),
  constraint attachments_work_order_key UNIQUE (tenant_id, work_order_id, id),
  constraint attachments_tenant_id_maintenance_event_id_maintenance_events_t FOREIGN KEY (tenant_id, maintenance_event_id)
    REFERENCES maintenance_events(tenant_id, id)
    ON DELETE CASCADE,
  constraint attachments_tenant_id_work_order_id_work_orders_tenant_id_id_fk FOREIGN KEY (tenant_id, work_order_id)
    REFERENCES work_orders(tenant_id, id)
    ON DELETE CASCADE,
  constraint attachments_owner_check CHECK ((num_nonnulls(work_order_id, maintenance_event_id) = 1))
);
CREATE INDEX attachments_event_idx
  ON public.attachments USING btree (tenant_id, maintenance_event_id, created_at, id)
  WHERE (maintenance_event_id IS NOT NULL);
CREATE INDEX attachments_order_idx
  ON public.attachments USING btree (tenant_id, work_order_id, created_at, id)
  WHERE (work_order_id IS NOT NULL);
CREATE INDEX attachments_size_idx
  ON public.attachments USING btree (tenant_id, size_bytes);
alter table attachments enable row level security;
create policy all_tenants on attachments
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on attachments
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on attachments to haltless_app;
grant delete, insert, select, update on attachments to haltless_system;
CREATE TRIGGER count_use_of_deleted
  AFTER DELETE ON public.attachments
  REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION count_use('attachment_bytes', 'size_bytes');
CREATE TRIGGER count_use_of_new
  AFTER INSERT ON public.attachments
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION count_use('attachment_bytes', 'size_bytes');
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.attachments
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('attachment', '', 'updated_at,storage_key');
CREATE TRIGGER note_work
  AFTER INSERT OR DELETE ON public.attachments
  FOR EACH ROW
  EXECUTE FUNCTION note_work('attachment');
CREATE TRIGGER queue_file_deletion
  AFTER DELETE ON public.attachments
  FOR EACH ROW
  EXECUTE FUNCTION queue_file_deletion();

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

create table calendar_tokens (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  user_id uuid not null,
  label text not null,
  token_hash text not null,
  created_at timestamp(3) with time zone not null default now(),
  last_used_at timestamp(3) with time zone,
  constraint calendar_tokens_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint calendar_tokens_token_hash_unique UNIQUE (token_hash),
  constraint calendar_tokens_tenant_id_user_id_users_tenant_id_id_fk FOREIGN KEY (tenant_id, user_id)
    REFERENCES users(tenant_id, id)
    ON DELETE CASCADE
);
CREATE INDEX calendar_tokens_user_idx
  ON public.calendar_tokens USING btree (tenant_id, user_id, created_at);
alter table calendar_tokens enable row level security;
create policy all_tenants on calendar_tokens
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on calendar_tokens
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on calendar_tokens to haltless_app;
grant delete, insert, select, update on calendar_tokens to haltless_system;
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.calendar_tokens
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('calendar_token', 'token_hash', 'last_used_at');

create table certificates (
  tenant_id uuid not null,
  work_order_id uuid not null,
  reference text not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint certificates_tenant_id_work_order_id_pk PRIMARY KEY (tenant_id, work_order_id),
  constraint certificates_reference_unique UNIQUE (reference),
  constraint certificates_tenant_id_work_order_id_work_orders_tenant_id_id_f FOREIGN KEY (tenant_id, work_order_id)
    REFERENCES work_orders(tenant_id, id)
    ON DELETE CASCADE
);
alter table certificates enable row level security;
create policy all_tenants on certificates
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on certificates
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on certificates to haltless_app;
grant delete, insert, select, update on certificates to haltless_system;

create table checklists (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  name text not null,
  steps jsonb not null,
  created_by uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint checklists_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint checklists_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);
CREATE UNIQUE INDEX checklists_name_key
  ON public.checklists USING btree (tenant_id, lower(name));
alter table checklists enable row level security;
create policy all_tenants on checklists
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on checklists
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on checklists to haltless_app;
grant delete, insert, select, update on checklists to haltless_system;
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.checklists
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('checklist', '', 'updated_at');

create table composite_conditions (
  tenant_id uuid not null,
  rule_id uuid not null,
  machine_id uuid not null,
  standing boolean not null default false,
  normal_count integer not null default 0,
  evaluated_at timestamp(3) with time zone,
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
CREATE TRIGGER count_use_of_deleted
  AFTER DELETE ON public.composite_rules
  REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION count_use('rules', '1');
CREATE TRIGGER count_use_of_new
  AFTER INSERT ON public.composite_rules
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION count_use('rules', '1');
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
  metric_name text,
  unit text,
  from_at timestamp(3) with time zone not null,
  to_at timestamp(3) with time zone not null,
  count bigint not null,
  reason text not null,
  created_at timestamp(3) with time zone not null default now(),
  collector text,
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

create table deleted_resources (
  tenant_id uuid not null,
  kind text not null,
  id uuid not null,
  machine_id uuid,
  deleted_at timestamp(3) with time zone not null,
  group_id uuid,
  constraint deleted_resources_tenant_id_kind_id_pk PRIMARY KEY (tenant_id, kind, id)
);
CREATE INDEX deleted_resources_age_idx
  ON public.deleted_resources USING btree (deleted_at);
CREATE INDEX deleted_resources_newest_idx
  ON public.deleted_resources USING btree (tenant_id, deleted_at);
alter table deleted_resources enable row level security;
create policy all_tenants on deleted_resources
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on deleted_resources
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on deleted_resources to haltless_app;
grant delete, select on deleted_resources to haltless_system;

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
CREATE INDEX deliveries_lead_idx
  ON public.deliveries USING btree (tenant_id, lead_id)
  WHERE (lead_id IS NOT NULL);
CREATE INDEX deliveries_pending_digest_idx
  ON public.deliveries USING btree (due_at)
  WHERE (status = 'pending_digest'::text);
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
  fault jsonb,
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

create table downtime_detections (
  tenant_id uuid not null,
  machine_id uuid not null,
  is_active boolean not null,
  signal text not null,
  metric_name text,
  unit text,
  stopped_values double precision[],
  limit_value double precision,
  for_seconds integer not null,
  silent_after_seconds integer,
  reason_code_id uuid,
  active_since timestamp(3) with time zone not null,
  next_check_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint downtime_detections_tenant_id_machine_id_pk PRIMARY KEY (tenant_id, machine_id),
  constraint downtime_detections_reason_code_fk FOREIGN KEY (tenant_id, reason_code_id)
    REFERENCES reason_codes(tenant_id, id),
  constraint downtime_detections_tenant_id_machine_id_machines_tenant_id_id_ FOREIGN KEY (tenant_id, machine_id)
    REFERENCES machines(tenant_id, id)
    ON DELETE CASCADE,
  constraint downtime_detections_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE,
  constraint downtime_detections_metric_check CHECK (((signal = 'silence'::text) = (metric_name IS NULL)))
);
CREATE INDEX downtime_detections_code_idx
  ON public.downtime_detections USING btree (tenant_id, reason_code_id)
  WHERE (reason_code_id IS NOT NULL);
CREATE INDEX downtime_detections_due_idx
  ON public.downtime_detections USING btree (next_check_at)
  WHERE (next_check_at IS NOT NULL);
alter table downtime_detections enable row level security;
create policy all_tenants on downtime_detections
  to haltless_system
  using (true)
  with check (true);
create policy ingest on downtime_detections
  to haltless_ingest
  using (true)
  with check (true);
create policy tenant_wall on downtime_detections
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on downtime_detections to haltless_app;
grant select on downtime_detections to haltless_ingest;
grant delete, insert, select, update on downtime_detections to haltless_system;
CREATE TRIGGER detections_changed
  AFTER INSERT OR UPDATE OF is_active, signal, metric_name, unit, stopped_values, limit_value, silent_after_seconds ON public.downtime_detections
  FOR EACH ROW
  EXECUTE FUNCTION change_facts_of_machine();
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.downtime_detections
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('downtime_detection', '', 'updated_at,next_check_at,active_since');

create table downtime_figures (
  tenant_id uuid not null,
  machine_id uuid not null,
  started_at timestamp(3) with time zone not null,
  record_id uuid not null,
  ended_at timestamp(3) with time zone not null,
  is_unplanned boolean not null,
  repair_seconds double precision,
  attributed_from timestamp(3) with time zone,
  starts_failure boolean not null,
  previous_failure_at timestamp(3) with time zone,
  uptime_before_seconds double precision,
  covered_until timestamp(3) with time zone not null,
  failed_until timestamp(3) with time zone,
  failed_at timestamp(3) with time zone,
  uptime_seconds double precision not null,
  constraint downtime_figures_tenant_id_machine_id_started_at_record_id_pk PRIMARY KEY (tenant_id, machine_id, started_at, record_id)
);
CREATE INDEX downtime_figures_coverage_idx
  ON public.downtime_figures USING btree (tenant_id, ended_at, machine_id, attributed_from);
CREATE INDEX downtime_figures_long_idx
  ON public.downtime_figures USING btree (tenant_id, ended_at, machine_id, attributed_from)
  WHERE ((ended_at - attributed_from) > '7 days'::interval);
CREATE INDEX downtime_figures_reliability_idx
  ON public.downtime_figures USING btree (tenant_id, started_at, machine_id, repair_seconds, starts_failure, previous_failure_at, uptime_before_seconds);
alter table downtime_figures enable row level security;
create policy all_tenants on downtime_figures
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on downtime_figures
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on downtime_figures to haltless_app;
grant select on downtime_figures to haltless_system;

create table downtime_records (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  machine_id uuid not null,
  started_at timestamp(3) with time zone not null,
  ended_at timestamp(3) with time zone,
  reason_type text not null default 'unplanned'::text,
  reason_code_id uuid,
  reason_note text,
  source text not null default 'manual'::text,
  edited_at timestamp(3) with time zone,
  created_by uuid,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint downtime_records_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint downtime_records_reason_code_fk FOREIGN KEY (tenant_id, reason_code_id)
    REFERENCES reason_codes(tenant_id, id),
  constraint downtime_records_tenant_id_machine_id_machines_tenant_id_id_fk FOREIGN KEY (tenant_id, machine_id)
    REFERENCES machines(tenant_id, id)
    ON DELETE CASCADE,
  constraint downtime_records_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE,
  constraint downtime_records_order_check CHECK ((ended_at > started_at))
);
CREATE INDEX downtime_records_changed_idx
  ON public.downtime_records USING btree (updated_at);
CREATE INDEX downtime_records_code_idx
  ON public.downtime_records USING btree (tenant_id, reason_code_id)
  WHERE (reason_code_id IS NOT NULL);
CREATE INDEX downtime_records_created_idx
  ON public.downtime_records USING btree (tenant_id, created_at, id);
CREATE INDEX downtime_records_duration_idx
  ON public.downtime_records USING btree (tenant_id, ((ended_at - started_at)), id);
CREATE INDEX downtime_records_ended_idx
  ON public.downtime_records USING btree (tenant_id, ended_at, id);
CREATE INDEX downtime_records_machine_idx
  ON public.downtime_records USING btree (tenant_id, machine_id, started_at, id);
CREATE UNIQUE INDEX downtime_records_ongoing_key
  ON public.downtime_records USING btree (tenant_id, machine_id)
  WHERE (ended_at IS NULL);
CREATE INDEX downtime_records_started_idx
  ON public.downtime_records USING btree (tenant_id, started_at, id);
CREATE INDEX downtime_records_type_idx
  ON public.downtime_records USING btree (tenant_id, reason_type, started_at, id);
CREATE INDEX downtime_records_updated_idx
  ON public.downtime_records USING btree (tenant_id, updated_at);
alter table downtime_records enable row level security;
create policy all_tenants on downtime_records
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on downtime_records
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on downtime_records to haltless_app;
grant delete, insert, select, update on downtime_records to haltless_system;
CREATE TRIGGER fold_downtime
  AFTER INSERT OR DELETE OR UPDATE OF started_at, ended_at, reason_type ON public.downtime_records
  FOR EACH ROW
  EXECUTE FUNCTION fold_downtime();
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.downtime_records
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('downtime', '', 'updated_at');
CREATE TRIGGER note_deletion
  AFTER DELETE ON public.downtime_records
  FOR EACH ROW
  EXECUTE FUNCTION note_deletion('downtime');
CREATE TRIGGER oee_of_downtime_added
  AFTER INSERT OR DELETE ON public.downtime_records
  FOR EACH ROW
  EXECUTE FUNCTION queue_oee_of_downtime();
CREATE TRIGGER oee_of_downtime_changed
  AFTER UPDATE ON public.downtime_records
  FOR EACH ROW
  WHEN ((((((old.machine_id IS DISTINCT FROM new.machine_id) OR (old.started_at IS DISTINCT FROM new.started_at)) OR (old.ended_at IS DISTINCT FROM new.ended_at)) OR (old.reason_type IS DISTINCT FROM new.reason_type)) OR (old.reason_code_id IS DISTINCT FROM new.reason_code_id)))
  EXECUTE FUNCTION queue_oee_of_downtime();
CREATE TRIGGER queue_erp_change
  AFTER INSERT OR DELETE OR UPDATE ON public.downtime_records
  FOR EACH ROW
  EXECUTE FUNCTION queue_erp_change('downtime', 'id');

create table downtime_rollups (
  tenant_id uuid not null,
  machine_id uuid not null,
  days integer not null,
  start_at timestamp(3) with time zone not null,
  downtime_ms bigint not null,
  records integer not null,
  repairs integer not null,
  repair_ms bigint not null,
  failures integer not null,
  intervals integer not null,
  uptime_ms bigint not null,
  entering_intervals integer not null,
  entering_uptime_ms bigint not null,
  entering_from_ms bigint not null,
  constraint downtime_rollups_tenant_id_days_start_at_machine_id_pk PRIMARY KEY (tenant_id, days, start_at, machine_id),
  constraint downtime_rollups_tenant_id_machine_id_machines_tenant_id_id_fk FOREIGN KEY (tenant_id, machine_id)
    REFERENCES machines(tenant_id, id)
    ON DELETE CASCADE
);
CREATE INDEX downtime_rollups_machine_idx
  ON public.downtime_rollups USING btree (tenant_id, machine_id, days, start_at);
alter table downtime_rollups enable row level security;
create policy all_tenants on downtime_rollups
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on downtime_rollups
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on downtime_rollups to haltless_app;
grant delete, insert, select, update on downtime_rollups to haltless_system;

create table drizzle.__drizzle_migrations (
  id integer not null default nextval('drizzle.__drizzle_migrations_id_seq'::regclass),
  hash text not null,
  created_at bigint,
  tag text,
  hub_version text,
  constraint __drizzle_migrations_pkey PRIMARY KEY (id)
);
grant select on drizzle.__drizzle_migrations to haltless_system;

create table enrolment_keys (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  name text not null,
  prefix text not null,
  key_hash text not null,
  agent_id text,
  expires_at timestamp(3) with time zone not null,
  used_at timestamp(3) with time zone,
  used_by_agent text,
  created_by uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  group_id uuid,
  constraint enrolment_keys_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint enrolment_keys_prefix_unique UNIQUE (prefix),
  constraint enrolment_keys_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);
CREATE INDEX enrolment_keys_expires_idx
  ON public.enrolment_keys USING btree (expires_at);
alter table enrolment_keys enable row level security;
create policy all_tenants on enrolment_keys
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on enrolment_keys
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on enrolment_keys to haltless_app;
grant delete, insert, select, update on enrolment_keys to haltless_system;
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.enrolment_keys
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('enrolment_key', 'key_hash', '');

create table erp_backfills (
  tenant_id uuid not null,
  connection_id uuid not null,
  entity_type text not null,
  through_id uuid,
  is_complete boolean not null default false,
  constraint erp_backfills_tenant_id_connection_id_entity_type_pk PRIMARY KEY (tenant_id, connection_id, entity_type),
  constraint erp_backfills_tenant_id_connection_id_erp_connections_tenant_id FOREIGN KEY (tenant_id, connection_id)
    REFERENCES erp_connections(tenant_id, id)
    ON DELETE CASCADE
);
alter table erp_backfills enable row level security;
create policy all_tenants on erp_backfills
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on erp_backfills
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on erp_backfills to haltless_app;
grant delete, insert, select, update on erp_backfills to haltless_system;

create table erp_changes (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  entity_type text not null,
  entity_id uuid not null,
  constraint erp_changes_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint erp_changes_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);
CREATE INDEX erp_changes_id_idx
  ON public.erp_changes USING btree (id);
alter table erp_changes enable row level security;
create policy all_tenants on erp_changes
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on erp_changes
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on erp_changes to haltless_app;
grant delete, insert, select, update on erp_changes to haltless_system;

create table erp_connections (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  provider text not null,
  name text not null,
  masked_config jsonb not null,
  sealed_config text not null,
  is_active boolean not null default true,
  auto_push_work_orders boolean not null default false,
  auto_push_production_data boolean not null default false,
  auto_push_downtime boolean not null default false,
  auto_pull_assets boolean not null default false,
  sync_interval_minutes integer not null default 60,
  field_mapping jsonb not null default '{}'::jsonb,
  paused_at timestamp(3) with time zone,
  next_run_at timestamp(3) with time zone not null default now(),
  failures_in_a_row integer not null default 0,
  breaker_open_until timestamp(3) with time zone,
  last_sync_at timestamp(3) with time zone,
  last_sync_status text,
  created_by uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint erp_connections_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint erp_connections_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);
CREATE INDEX erp_connections_automatic_idx
  ON public.erp_connections USING btree (next_run_at)
  WHERE (is_active AND (paused_at IS NULL) AND (auto_push_work_orders OR auto_push_production_data OR auto_push_downtime OR auto_pull_assets));
alter table erp_connections enable row level security;
create policy all_tenants on erp_connections
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on erp_connections
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on erp_connections to haltless_app;
grant delete, insert, select, update on erp_connections to haltless_system;
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.erp_connections
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('erp_connection', 'sealed_config', 'updated_at,next_run_at,failures_in_a_row,breaker_open_until,last_sync_at,last_sync_status,paused_at');

create table erp_records (
  tenant_id uuid not null,
  connection_id uuid not null,
  entity_type text not null,
  entity_id uuid not null,
  external_id text,
  sent_hash text,
  is_due boolean not null default true,
  version integer not null default 1,
  failures integer not null default 0,
  next_attempt_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint erp_records_tenant_id_connection_id_entity_type_entity_id_pk PRIMARY KEY (tenant_id, connection_id, entity_type, entity_id),
  constraint erp_records_tenant_id_connection_id_erp_connections_tenant_id_i FOREIGN KEY (tenant_id, connection_id)
    REFERENCES erp_connections(tenant_id, id)
    ON DELETE CASCADE
);
CREATE INDEX erp_records_due_idx
  ON public.erp_records USING btree (tenant_id, connection_id, entity_type, next_attempt_at, entity_id)
  WHERE is_due;
alter table erp_records enable row level security;
create policy all_tenants on erp_records
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on erp_records
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on erp_records to haltless_app;
grant delete, insert, select, update on erp_records to haltless_system;

create table erp_runs (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  connection_id uuid not null,
  direction text not null,
  entity_type text not null,
  entity_id uuid,
  trigger text not null,
  status text not null default 'running'::text,
  total integer,
  succeeded integer not null default 0,
  failed integer not null default 0,
  skipped integer not null default 0,
  error_message text,
  next_page text,
  leased_until timestamp(3) with time zone not null,
  leased_by uuid not null,
  started_at timestamp(3) with time zone not null,
  ended_at timestamp(3) with time zone,
  fault jsonb,
  constraint erp_runs_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint erp_runs_tenant_id_connection_id_erp_connections_tenant_id_id_f FOREIGN KEY (tenant_id, connection_id)
    REFERENCES erp_connections(tenant_id, id)
    ON DELETE CASCADE,
  constraint erp_runs_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE,
  constraint erp_runs_end_check CHECK (((status = 'running'::text) = (ended_at IS NULL)))
);
CREATE INDEX erp_runs_ended_idx
  ON public.erp_runs USING btree (ended_at);
CREATE INDEX erp_runs_lease_idx
  ON public.erp_runs USING btree (leased_until)
  WHERE (status = 'running'::text);
CREATE INDEX erp_runs_newest_idx
  ON public.erp_runs USING btree (tenant_id, connection_id, started_at DESC NULLS LAST, id DESC NULLS LAST);
CREATE UNIQUE INDEX erp_runs_running_key
  ON public.erp_runs USING btree (tenant_id, connection_id)
  WHERE (status = 'running'::text);
alter table erp_runs enable row level security;
create policy all_tenants on erp_runs
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on erp_runs
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on erp_runs to haltless_app;
grant delete, insert, select, update on erp_runs to haltless_system;

create table erp_sync_logs (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  erp_connection_id uuid not null,
  run_id uuid not null,
  direction text not null,
  entity_type text not null,
  entity_id uuid,
  external_id text,
  status text not null,
  error_message text,
  request_summary text,
  response_summary text,
  created_at timestamp(3) with time zone not null default now(),
  fault jsonb,
  constraint erp_sync_logs_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint erp_sync_logs_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);
CREATE INDEX erp_sync_logs_connection_idx
  ON public.erp_sync_logs USING btree (tenant_id, erp_connection_id, created_at DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX erp_sync_logs_created_idx
  ON public.erp_sync_logs USING btree (created_at);
CREATE INDEX erp_sync_logs_entity_idx
  ON public.erp_sync_logs USING btree (tenant_id, entity_id, created_at DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX erp_sync_logs_failed_idx
  ON public.erp_sync_logs USING btree (tenant_id, created_at DESC NULLS LAST, id DESC NULLS LAST)
  WHERE (status = 'failed'::text);
CREATE INDEX erp_sync_logs_newest_idx
  ON public.erp_sync_logs USING btree (tenant_id, created_at DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX erp_sync_logs_run_idx
  ON public.erp_sync_logs USING btree (tenant_id, run_id, id);
alter table erp_sync_logs enable row level security;
create policy all_tenants on erp_sync_logs
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on erp_sync_logs
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on erp_sync_logs to haltless_app;
grant delete, insert, select, update on erp_sync_logs to haltless_system;

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
CREATE TRIGGER examine_escalations
  AFTER INSERT OR UPDATE OF severity, wait_minutes, channel_id, is_active ON public.escalation_policies
  FOR EACH ROW
  WHEN (new.is_active)
  EXECUTE FUNCTION examine_escalations();
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
  next_fingerprint text,
  is_undoing boolean not null default false,
  key_generation integer not null default 1,
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
  wire_versions smallint[] not null default '{1}'::smallint[],
  reads_arrivals boolean not null default false,
  key_fingerprints text[],
  sealing_fingerprint text,
  login text,
  constraint hub_replicas_pkey PRIMARY KEY (id)
);
grant delete, insert, select, update on hub_replicas to haltless_system;

create table idempotent_requests (
  tenant_id uuid not null,
  credential text not null,
  key text not null,
  fingerprint text not null,
  claim_id uuid not null,
  claimed_until timestamp(3) with time zone not null,
  status integer,
  answer text,
  created_at timestamp(3) with time zone not null default now(),
  constraint idempotent_requests_tenant_id_credential_key_pk PRIMARY KEY (tenant_id, credential, key),
  constraint idempotent_requests_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE,
  constraint idempotent_requests_answer_check CHECK (((status IS NOT NULL) OR (answer IS NULL)))
);
CREATE INDEX idempotent_requests_age_idx
  ON public.idempotent_requests USING btree (created_at);
alter table idempotent_requests enable row level security;
create policy all_tenants on idempotent_requests
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on idempotent_requests
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on idempotent_requests to haltless_app;
grant delete, insert, select, update on idempotent_requests to haltless_system;
CREATE TRIGGER count_use_of_deleted
  AFTER DELETE ON public.idempotent_requests
  REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION count_use('idempotency_keys', '1');
CREATE TRIGGER count_use_of_new
  AFTER INSERT ON public.idempotent_requests
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION count_use('idempotency_keys', '1');

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
  namespaces jsonb,
  last_fault jsonb,
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
  EXECUTE FUNCTION note_change('ingest_source', 'sealed_secrets', 'updated_at,version,tag_count,agent_id,last_polled_at,last_error,last_fault,leased_by,leased_until');
CREATE TRIGGER source_changed
  AFTER INSERT OR DELETE OR UPDATE OF machine_id, name, protocol, host, port, poll_interval_seconds, is_active, agent_id, config, sealed_secrets ON public.ingest_sources
  FOR EACH ROW
  EXECUTE FUNCTION source_changed();
CREATE TRIGGER source_version
  BEFORE UPDATE OF machine_id, name, protocol, host, port, poll_interval_seconds, is_active, agent_id, config, sealed_secrets ON public.ingest_sources
  FOR EACH ROW
  EXECUTE FUNCTION source_version();

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
CREATE TRIGGER examine_shift_logs
  AFTER INSERT ON public.machine_group_members
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION examine_shift_logs();
CREATE TRIGGER examine_shift_logs_of_deleted
  AFTER DELETE ON public.machine_group_members
  REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION examine_shift_logs();
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.machine_group_members
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('machine_group_member', '', '');
CREATE TRIGGER recheck_series
  AFTER INSERT ON public.machine_group_members
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION recheck_series();
CREATE TRIGGER recheck_series_of_deleted
  AFTER DELETE ON public.machine_group_members
  REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION recheck_series();

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
  time_zone text,
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
CREATE TRIGGER examine_shift_logs
  AFTER UPDATE OF time_zone, group_type, parent_id ON public.machine_groups
  FOR EACH ROW
  WHEN ((((old.time_zone IS DISTINCT FROM new.time_zone) OR (old.group_type IS DISTINCT FROM new.group_type)) OR (old.parent_id IS DISTINCT FROM new.parent_id)))
  EXECUTE FUNCTION examine_shift_logs();
CREATE TRIGGER examine_shift_logs_of_deleted
  AFTER DELETE ON public.machine_groups
  FOR EACH ROW
  EXECUTE FUNCTION examine_shift_logs();
CREATE TRIGGER forget_site_calendar
  BEFORE DELETE ON public.machine_groups
  FOR EACH ROW
  WHEN ((old.group_type = 'site'::text))
  EXECUTE FUNCTION forget_site_calendar();
CREATE TRIGGER forget_site_calendar_of_group
  BEFORE UPDATE OF group_type ON public.machine_groups
  FOR EACH ROW
  WHEN (((old.group_type = 'site'::text) AND (new.group_type <> 'site'::text)))
  EXECUTE FUNCTION forget_site_calendar();
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.machine_groups
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('machine_group', '', 'updated_at');
CREATE TRIGGER recheck_series
  AFTER UPDATE ON public.machine_groups
  REFERENCING OLD TABLE AS former NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION recheck_series();
CREATE TRIGGER recheck_series_of_deleted
  AFTER DELETE ON public.machine_groups
  REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION recheck_series();

create table machine_latest (
  tenant_id uuid not null,
  machine_id uuid not null,
  chunk smallint not null,
  written xid8 not null,
  tags bytea storage external not null default '\x'::bytea,
  body bytea storage external not null,
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

create table machine_oee_days (
  tenant_id uuid not null,
  machine_id uuid not null,
  shift_date date not null,
  oee_count integer not null,
  oee_sum_ppb bigint not null,
  planned_ms bigint not null default 0,
  run_ms bigint not null default 0,
  net_ms bigint not null default 0,
  counted_ms bigint not null default 0,
  good_ms bigint not null default 0,
  parts numeric not null default '0'::numeric,
  good_parts numeric not null default '0'::numeric,
  constraint machine_oee_days_tenant_id_shift_date_machine_id_pk PRIMARY KEY (tenant_id, shift_date, machine_id),
  constraint machine_oee_days_tenant_id_machine_id_machines_tenant_id_id_fk FOREIGN KEY (tenant_id, machine_id)
    REFERENCES machines(tenant_id, id)
    ON DELETE CASCADE
);
CREATE INDEX machine_oee_days_machine_idx
  ON public.machine_oee_days USING btree (tenant_id, machine_id, shift_date, planned_ms, run_ms, net_ms, counted_ms, good_ms, parts, good_parts);
alter table machine_oee_days enable row level security;
create policy all_tenants on machine_oee_days
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on machine_oee_days
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on machine_oee_days to haltless_app;
grant delete, insert, select, update on machine_oee_days to haltless_system;

create table machine_predictions (
  tenant_id uuid not null,
  machine_id uuid not null,
  health_score integer not null,
  risk_level text not null,
  days_to_maintenance double precision,
  days_to_failure double precision,
  failure_low double precision,
  failure_high double precision,
  limiting_metric text,
  degradation_rate double precision not null,
  factors jsonb not null,
  narratives jsonb not null default '{}'::jsonb,
  read_until timestamp(3) with time zone,
  analyzed_at timestamp(3) with time zone not null,
  constraint machine_predictions_tenant_id_machine_id_pk PRIMARY KEY (tenant_id, machine_id),
  constraint machine_predictions_machine_fk FOREIGN KEY (tenant_id, machine_id)
    REFERENCES machines(tenant_id, id)
    ON DELETE CASCADE
);
alter table machine_predictions enable row level security;
create policy all_tenants on machine_predictions
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on machine_predictions
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on machine_predictions to haltless_app;
grant update (narratives) on machine_predictions to haltless_app;
grant delete, insert, select, update on machine_predictions to haltless_system;

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
  analysis_due_at timestamp(3) with time zone not null default '1970-01-01 00:00:00+00'::timestamp with time zone,
  constraint machines_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint machines_identifier_key UNIQUE (tenant_id, machine_identifier),
  constraint machines_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
)
with (fillfactor=80);
CREATE INDEX machines_analysis_due_idx
  ON public.machines USING btree (analysis_due_at)
  WHERE is_active;
CREATE INDEX machines_natural_name_idx
  ON public.machines USING btree (tenant_id, name COLLATE natural_order, id);
CREATE INDEX machines_offline_due_idx
  ON public.machines USING btree (offline_due_at)
  WHERE (is_active AND (offline_due_at IS NOT NULL));
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
grant update (analysis_due_at, offline_due_at, status, status_is_manual) on machines to haltless_ingest;
grant delete, insert, select, update on machines to haltless_system;
CREATE TRIGGER count_activation
  AFTER UPDATE OF is_active ON public.machines
  FOR EACH ROW
  WHEN ((old.is_active <> new.is_active))
  EXECUTE FUNCTION count_activation('machines');
CREATE TRIGGER count_use_of_deleted
  AFTER DELETE ON public.machines
  REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION count_use('machines', 'is_active::int');
CREATE TRIGGER count_use_of_new
  AFTER INSERT ON public.machines
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION count_use('machines', 'is_active::int');
CREATE TRIGGER forget_tail
  AFTER DELETE ON public.machines
  REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT
  EXECUTE FUNCTION forget_tail();
CREATE CONSTRAINT TRIGGER machines_changed
  AFTER UPDATE OF name, machine_identifier, location, is_active, status, status_is_manual ON public.machines
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW
  WHEN ((((((old.name IS DISTINCT FROM new.name) OR (old.machine_identifier IS DISTINCT FROM new.machine_identifier)) OR (old.location IS DISTINCT FROM new.location)) OR (old.is_active IS DISTINCT FROM new.is_active)) OR (new.status_is_manual AND ((old.status IS DISTINCT FROM new.status) OR (old.status_is_manual IS DISTINCT FROM new.status_is_manual)))))
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
  EXECUTE FUNCTION note_change('machine', '', 'updated_at,offline_due_at,analysis_due_at,status_is_manual');
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

create table maintenance_events (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  machine_id uuid not null,
  title text not null,
  description text,
  scheduled_start timestamp(3) with time zone not null,
  scheduled_end timestamp(3) with time zone not null,
  status text not null default 'scheduled'::text,
  linked_alert_id uuid,
  assigned_to uuid,
  checklist_id uuid,
  recurrence_rule text,
  time_zone text,
  next_occurrence integer,
  next_occurrence_at timestamp(3) with time zone,
  parent_event_id uuid,
  occurrence integer,
  is_edited boolean not null default false,
  sequence integer not null default 0,
  created_by uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint maintenance_events_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint maintenance_events_checklist_fk FOREIGN KEY (tenant_id, checklist_id)
    REFERENCES checklists(tenant_id, id),
  constraint maintenance_events_parent_fk FOREIGN KEY (tenant_id, parent_event_id)
    REFERENCES maintenance_events(tenant_id, id),
  constraint maintenance_events_tenant_id_assigned_to_users_tenant_id_id_fk FOREIGN KEY (tenant_id, assigned_to)
    REFERENCES users(tenant_id, id),
  constraint maintenance_events_tenant_id_linked_alert_id_alerts_tenant_id_i FOREIGN KEY (tenant_id, linked_alert_id)
    REFERENCES alerts(tenant_id, id),
  constraint maintenance_events_tenant_id_machine_id_machines_tenant_id_id_f FOREIGN KEY (tenant_id, machine_id)
    REFERENCES machines(tenant_id, id)
    ON DELETE CASCADE,
  constraint maintenance_events_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE,
  constraint maintenance_events_order_check CHECK ((scheduled_end > scheduled_start))
);
CREATE INDEX maintenance_events_alert_idx
  ON public.maintenance_events USING btree (tenant_id, linked_alert_id)
  WHERE (linked_alert_id IS NOT NULL);
CREATE INDEX maintenance_events_assigned_idx
  ON public.maintenance_events USING btree (tenant_id, assigned_to, scheduled_start)
  WHERE (assigned_to IS NOT NULL);
CREATE INDEX maintenance_events_checklist_idx
  ON public.maintenance_events USING btree (tenant_id, checklist_id)
  WHERE (checklist_id IS NOT NULL);
CREATE INDEX maintenance_events_fill_idx
  ON public.maintenance_events USING btree (next_occurrence_at)
  WHERE (next_occurrence_at IS NOT NULL);
CREATE INDEX maintenance_events_machine_idx
  ON public.maintenance_events USING btree (tenant_id, machine_id, scheduled_start, id);
CREATE INDEX maintenance_events_muting_idx
  ON public.maintenance_events USING btree (tenant_id, machine_id)
  WHERE (status = 'in_progress'::text);
CREATE UNIQUE INDEX maintenance_events_occurrence_key
  ON public.maintenance_events USING btree (tenant_id, parent_event_id, occurrence)
  WHERE (parent_event_id IS NOT NULL);
CREATE INDEX maintenance_events_overrun_idx
  ON public.maintenance_events USING btree (scheduled_end)
  WHERE (status = 'in_progress'::text);
CREATE INDEX maintenance_events_reminder_idx
  ON public.maintenance_events USING btree (scheduled_start)
  WHERE (status = 'scheduled'::text);
CREATE INDEX maintenance_events_start_idx
  ON public.maintenance_events USING btree (tenant_id, scheduled_start, id);
CREATE INDEX maintenance_events_status_idx
  ON public.maintenance_events USING btree (tenant_id, status, scheduled_start, id);
CREATE INDEX maintenance_events_updated_idx
  ON public.maintenance_events USING btree (tenant_id, updated_at);
alter table maintenance_events enable row level security;
create policy all_tenants on maintenance_events
  to haltless_system
  using (true)
  with check (true);
create policy ingest on maintenance_events
  to haltless_ingest
  using (true)
  with check (true);
create policy tenant_wall on maintenance_events
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on maintenance_events to haltless_app;
grant select (machine_id, status, tenant_id) on maintenance_events to haltless_ingest;
grant delete, insert, select, update on maintenance_events to haltless_system;
CREATE TRIGGER examine_escalations
  AFTER UPDATE OF status, machine_id ON public.maintenance_events
  FOR EACH ROW
  WHEN (((old.status = 'in_progress'::text) AND ((new.status <> 'in_progress'::text) OR (new.machine_id <> old.machine_id))))
  EXECUTE FUNCTION examine_escalations();
CREATE TRIGGER examine_escalations_after_deletion
  AFTER DELETE ON public.maintenance_events
  FOR EACH ROW
  WHEN ((old.status = 'in_progress'::text))
  EXECUTE FUNCTION examine_escalations();
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.maintenance_events
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('maintenance_event', '', 'updated_at,time_zone,next_occurrence,next_occurrence_at,occurrence,is_edited,sequence');
CREATE TRIGGER note_deletion
  AFTER DELETE ON public.maintenance_events
  FOR EACH ROW
  EXECUTE FUNCTION note_deletion('maintenance');

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

create table non_production_days (
  tenant_id uuid not null,
  date date not null,
  name text not null,
  id uuid not null default uuidv7(),
  group_id uuid,
  constraint non_production_days_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint non_production_days_date_key UNIQUE NULLS NOT DISTINCT (tenant_id, date, group_id),
  constraint non_production_days_site_fk FOREIGN KEY (tenant_id, group_id)
    REFERENCES machine_groups(tenant_id, id),
  constraint non_production_days_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);
alter table non_production_days enable row level security;
create policy all_tenants on non_production_days
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on non_production_days
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on non_production_days to haltless_app;
grant delete, insert, select, update on non_production_days to haltless_system;
CREATE TRIGGER examine_shift_logs
  AFTER INSERT OR DELETE OR UPDATE ON public.non_production_days
  FOR EACH ROW
  EXECUTE FUNCTION examine_shift_logs();
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.non_production_days
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('non_production_day', '', '');

create table notes (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  machine_id uuid,
  group_id uuid,
  starts_at timestamp(3) with time zone not null,
  ends_at timestamp(3) with time zone,
  body text not null,
  mention_ids uuid[] not null default '{}'::uuid[],
  author_id uuid not null,
  author_name text not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint notes_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint notes_tenant_id_group_id_machine_groups_tenant_id_id_fk FOREIGN KEY (tenant_id, group_id)
    REFERENCES machine_groups(tenant_id, id)
    ON DELETE CASCADE,
  constraint notes_tenant_id_machine_id_machines_tenant_id_id_fk FOREIGN KEY (tenant_id, machine_id)
    REFERENCES machines(tenant_id, id)
    ON DELETE CASCADE,
  constraint notes_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE,
  constraint notes_order_check CHECK ((ends_at > starts_at)),
  constraint notes_subject_check CHECK ((num_nonnulls(machine_id, group_id) = 1))
);
CREATE INDEX notes_group_idx
  ON public.notes USING btree (tenant_id, group_id, starts_at DESC NULLS LAST, id DESC NULLS LAST)
  WHERE (group_id IS NOT NULL);
CREATE INDEX notes_machine_idx
  ON public.notes USING btree (tenant_id, machine_id, starts_at DESC NULLS LAST, id DESC NULLS LAST)
  WHERE (machine_id IS NOT NULL);
CREATE INDEX notes_newest_idx
  ON public.notes USING btree (tenant_id, starts_at DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX notes_updated_idx
  ON public.notes USING btree (tenant_id, updated_at);
alter table notes enable row level security;
create policy all_tenants on notes
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on notes
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on notes to haltless_app;
grant delete, insert, select, update on notes to haltless_system;
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.notes
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('note', '', 'updated_at');
CREATE TRIGGER note_deletion
  AFTER DELETE ON public.notes
  FOR EACH ROW
  EXECUTE FUNCTION note_deletion('note');

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
  refused_since timestamp(3) with time zone,
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
CREATE TRIGGER count_use_of_deleted
  AFTER DELETE ON public.notification_channels
  REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION count_use('channels', '(channel_type <> ''push'')::int');
CREATE TRIGGER count_use_of_new
  AFTER INSERT ON public.notification_channels
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION count_use('channels', '(channel_type <> ''push'')::int');
CREATE TRIGGER examine_escalations
  AFTER UPDATE OF is_active ON public.notification_channels
  FOR EACH ROW
  WHEN ((new.is_active AND (NOT old.is_active)))
  EXECUTE FUNCTION examine_escalations();
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.notification_channels
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('notification_channel', 'sealed_config', 'updated_at,audience,follows_alert,subject_kind');

create table oee_changes (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  shift_log_id uuid,
  has_new_counts boolean not null default false,
  reason_code_id uuid,
  machine_id uuid,
  from_at timestamp(3) with time zone,
  until_at timestamp(3) with time zone,
  writer bigint not null default ((pg_current_xact_id())::text)::bigint,
  is_read boolean not null default false,
  constraint oee_changes_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint oee_changes_tenant_id_machine_id_machines_tenant_id_id_fk FOREIGN KEY (tenant_id, machine_id)
    REFERENCES machines(tenant_id, id)
    ON DELETE CASCADE,
  constraint oee_changes_tenant_id_reason_code_id_reason_codes_tenant_id_id_ FOREIGN KEY (tenant_id, reason_code_id)
    REFERENCES reason_codes(tenant_id, id)
    ON DELETE CASCADE,
  constraint oee_changes_tenant_id_shift_log_id_shift_logs_tenant_id_id_fk FOREIGN KEY (tenant_id, shift_log_id)
    REFERENCES shift_logs(tenant_id, id)
    ON DELETE CASCADE,
  constraint oee_changes_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE,
  constraint oee_changes_subject_check CHECK ((num_nonnulls(shift_log_id, reason_code_id, machine_id) = 1))
);
CREATE INDEX oee_changes_id_idx
  ON public.oee_changes USING btree (id);
CREATE INDEX oee_changes_log_idx
  ON public.oee_changes USING btree (tenant_id, shift_log_id)
  WHERE (shift_log_id IS NOT NULL);
alter table oee_changes enable row level security;
create policy all_tenants on oee_changes
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on oee_changes
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on oee_changes to haltless_app;
grant delete, insert, select, update on oee_changes to haltless_system;
CREATE TRIGGER queue_erp_change
  AFTER INSERT ON public.oee_changes
  FOR EACH ROW
  WHEN ((new.shift_log_id IS NOT NULL))
  EXECUTE FUNCTION queue_erp_change('production_data', 'shift_log_id');

create table oee_rollups (
  tenant_id uuid not null,
  machine_id uuid not null,
  days integer not null,
  start_date date not null,
  planned_ms bigint not null,
  run_ms bigint not null default 0,
  net_ms bigint not null default 0,
  counted_ms bigint not null default 0,
  good_ms bigint not null default 0,
  parts numeric not null default '0'::numeric,
  good_parts numeric not null default '0'::numeric,
  constraint oee_rollups_tenant_id_days_start_date_machine_id_pk PRIMARY KEY (tenant_id, days, start_date, machine_id),
  constraint oee_rollups_tenant_id_machine_id_machines_tenant_id_id_fk FOREIGN KEY (tenant_id, machine_id)
    REFERENCES machines(tenant_id, id)
    ON DELETE CASCADE
);
CREATE INDEX oee_rollups_machine_idx
  ON public.oee_rollups USING btree (tenant_id, machine_id, days, start_date);
alter table oee_rollups enable row level security;
create policy all_tenants on oee_rollups
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on oee_rollups
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on oee_rollups to haltless_app;
grant delete, insert, select, update on oee_rollups to haltless_system;

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

create table prediction_history (
  tenant_id uuid not null,
  machine_id uuid not null,
  recorded_at timestamp(3) with time zone not null,
  health_score integer not null,
  risk_level text not null,
  constraint prediction_history_tenant_id_machine_id_recorded_at_pk PRIMARY KEY (tenant_id, machine_id, recorded_at),
  constraint prediction_history_tenant_id_machine_id_machines_tenant_id_id_f FOREIGN KEY (tenant_id, machine_id)
    REFERENCES machines(tenant_id, id)
    ON DELETE CASCADE
);
CREATE INDEX prediction_history_recorded_idx
  ON public.prediction_history USING btree (recorded_at);
alter table prediction_history enable row level security;
create policy all_tenants on prediction_history
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on prediction_history
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on prediction_history to haltless_app;
grant delete, insert, select, update on prediction_history to haltless_system;

create table prediction_series (
  tenant_id uuid not null,
  series_id integer not null,
  first_day integer not null,
  medians double precision[] not null default '{}'::double precision[],
  constraint prediction_series_tenant_id_series_id_pk PRIMARY KEY (tenant_id, series_id),
  constraint prediction_series_tenant_id_series_id_series_tenant_id_id_fk FOREIGN KEY (tenant_id, series_id)
    REFERENCES series(tenant_id, id)
    ON DELETE CASCADE
);
alter table prediction_series enable row level security;
create policy all_tenants on prediction_series
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on prediction_series
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on prediction_series to haltless_app;
grant delete, insert, select, update on prediction_series to haltless_system;

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

create table reading_arrivals (
  tenant_id uuid not null,
  series_group integer not null,
  id bigint not null generated always as identity,
  t0 timestamp(3) with time zone not null,
  t1 timestamp(3) with time zone not null,
  n integer not null,
  body bytea storage external not null,
  constraint reading_arrivals_pkey PRIMARY KEY (tenant_id, series_group, id)
)
with (toast_tuple_target=8160, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=2000, autovacuum_vacuum_cost_delay=0);
alter table reading_arrivals enable row level security;
create policy all_tenants on reading_arrivals
  to haltless_system
  using (true)
  with check (true);
create policy ingest on reading_arrivals
  to haltless_ingest
  using (true)
  with check (true);
create policy tenant_wall on reading_arrivals
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on reading_arrivals to haltless_app;
grant insert, select on reading_arrivals to haltless_ingest;
grant delete, insert, select, update on reading_arrivals to haltless_system;

create table reading_blocks (
  tenant_id uuid not null,
  series_id integer not null,
  t0 timestamp(3) with time zone not null,
  t1 timestamp(3) with time zone not null,
  n integer not null,
  sealed_at timestamp with time zone not null default now(),
  times bytea storage external not null,
  vals bytea storage external not null,
  hours bytea storage external not null,
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
  times bytea storage external not null,
  vals bytea storage external not null,
  hours bytea storage external not null,
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
  hours bytea storage external not null,
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
  filter bytea storage external not null,
  constraint reading_key_filters_pkey PRIMARY KEY (tenant_id, id)
);
CREATE INDEX reading_key_filters_day_idx
  ON public.reading_key_filters USING btree (day);
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
  keys bytea storage external not null,
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
  keys bytea storage external not null,
  constraint reading_key_tail_pkey PRIMARY KEY (tenant_id, id)
)
with (autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=500, autovacuum_vacuum_cost_delay=0, toast.autovacuum_vacuum_scale_factor=0.05, toast.autovacuum_vacuum_threshold=2000, toast.autovacuum_vacuum_cost_delay=0);
CREATE INDEX reading_key_tail_day_idx
  ON public.reading_key_tail USING btree (day);
CREATE INDEX reading_key_tail_mark_idx
  ON public.reading_key_tail USING btree (id)
  WHERE ((id % (32)::bigint) = 0);
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
  minutes bytea storage external not null,
  times bytea storage external not null,
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
  body bytea storage external not null,
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

create table reason_codes (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  code text not null,
  label text not null,
  category text not null,
  oee_loss_category text not null,
  description text,
  parent_id uuid,
  is_active boolean not null default true,
  sort_order integer not null default 0,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint reason_codes_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint reason_codes_parent_fk FOREIGN KEY (tenant_id, parent_id)
    REFERENCES reason_codes(tenant_id, id),
  constraint reason_codes_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);
CREATE UNIQUE INDEX reason_codes_code_key
  ON public.reason_codes USING btree (tenant_id, code);
CREATE INDEX reason_codes_parent_idx
  ON public.reason_codes USING btree (tenant_id, parent_id);
alter table reason_codes enable row level security;
create policy all_tenants on reason_codes
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on reason_codes
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on reason_codes to haltless_app;
grant delete, insert, select, update on reason_codes to haltless_system;
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.reason_codes
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('reason_code', '', 'updated_at');
CREATE TRIGGER oee_of_reason_code_changed
  AFTER UPDATE ON public.reason_codes
  FOR EACH ROW
  WHEN ((old.oee_loss_category <> new.oee_loss_category))
  EXECUTE FUNCTION queue_oee_of_reason_code();

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
CREATE INDEX report_turns_schedule_idx
  ON public.report_turns USING btree (schedule, due_at);
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
CREATE TRIGGER count_use_of_deleted
  AFTER DELETE ON public.series
  REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION count_use('series', '1');
CREATE TRIGGER count_use_of_new
  AFTER INSERT ON public.series
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION count_use('series', '1');

create table sessions (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  user_id uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null,
  revoked_at timestamp(3) with time zone,
  is_sso boolean not null default false,
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

create table shift_definitions (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  name text not null,
  start_time time without time zone not null,
  end_time time without time zone not null,
  duration_minutes integer not null,
  color text not null,
  is_active boolean not null default true,
  sort_order integer not null default 0,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  group_id uuid,
  constraint shift_definitions_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint shift_definitions_site_fk FOREIGN KEY (tenant_id, group_id)
    REFERENCES machine_groups(tenant_id, id),
  constraint shift_definitions_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);
alter table shift_definitions enable row level security;
create policy all_tenants on shift_definitions
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on shift_definitions
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on shift_definitions to haltless_app;
grant delete, insert, select, update on shift_definitions to haltless_system;
CREATE TRIGGER examine_shift_logs
  AFTER INSERT OR DELETE OR UPDATE ON public.shift_definitions
  FOR EACH ROW
  EXECUTE FUNCTION examine_shift_logs();
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.shift_definitions
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('shift_definition', '', 'updated_at');

create table shift_log_oee (
  tenant_id uuid not null,
  shift_log_id uuid not null,
  machine_id uuid not null,
  shift_definition_id uuid not null,
  shift_date date not null,
  planned_ms bigint not null,
  not_scheduled_ms bigint not null,
  availability_loss_ms bigint not null,
  performance_loss_ms bigint not null,
  quality_loss_ms bigint not null,
  downtime_ms bigint not null,
  total_count double precision,
  good_count double precision,
  ideal_cycle_seconds double precision,
  oee_ppb bigint,
  availability_ppb bigint,
  performance_ppb bigint,
  quality_ppb bigint,
  ignored_dips integer,
  has_open_drop boolean,
  constraint shift_log_oee_tenant_id_shift_log_id_pk PRIMARY KEY (tenant_id, shift_log_id),
  constraint shift_log_oee_tenant_id_shift_log_id_shift_logs_tenant_id_id_fk FOREIGN KEY (tenant_id, shift_log_id)
    REFERENCES shift_logs(tenant_id, id)
    ON DELETE CASCADE
);
CREATE INDEX shift_log_oee_machine_idx
  ON public.shift_log_oee USING btree (tenant_id, machine_id, shift_date);
CREATE INDEX shift_log_oee_open_drop_idx
  ON public.shift_log_oee USING btree (tenant_id, machine_id)
  WHERE has_open_drop;
alter table shift_log_oee enable row level security;
create policy all_tenants on shift_log_oee
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on shift_log_oee
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on shift_log_oee to haltless_app;
grant delete, insert, select, update on shift_log_oee to haltless_system;
CREATE TRIGGER oee_added
  AFTER INSERT ON public.shift_log_oee
  REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT
  EXECUTE FUNCTION sum_oee();
CREATE TRIGGER oee_changed
  AFTER UPDATE ON public.shift_log_oee
  REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT
  EXECUTE FUNCTION sum_oee();
CREATE TRIGGER oee_removed
  AFTER DELETE ON public.shift_log_oee
  REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT
  EXECUTE FUNCTION sum_oee();
CREATE TRIGGER queue_erp_change
  AFTER INSERT OR UPDATE ON public.shift_log_oee
  FOR EACH ROW
  EXECUTE FUNCTION queue_erp_change('production_data', 'shift_log_id');

create table shift_log_runs (
  tenant_id uuid not null,
  started_through timestamp(3) with time zone not null,
  constraint shift_log_runs_pkey PRIMARY KEY (tenant_id),
  constraint shift_log_runs_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);
alter table shift_log_runs enable row level security;
create policy all_tenants on shift_log_runs
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on shift_log_runs
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on shift_log_runs to haltless_app;
grant delete, insert, select, update on shift_log_runs to haltless_system;

create table shift_logs (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  machine_id uuid not null,
  shift_definition_id uuid not null,
  shift_date date not null,
  actual_start timestamp(3) with time zone not null,
  actual_end timestamp(3) with time zone,
  supervisor text,
  operator_count integer,
  handover_notes text,
  status text not null,
  automatic_end timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint shift_logs_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint shift_logs_definition_fk FOREIGN KEY (tenant_id, shift_definition_id)
    REFERENCES shift_definitions(tenant_id, id),
  constraint shift_logs_tenant_id_machine_id_machines_tenant_id_id_fk FOREIGN KEY (tenant_id, machine_id)
    REFERENCES machines(tenant_id, id)
    ON DELETE CASCADE,
  constraint shift_logs_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE,
  constraint shift_logs_end_check CHECK (((status = 'cancelled'::text) OR ((status = 'completed'::text) = (actual_end IS NOT NULL)))),
  constraint shift_logs_order_check CHECK ((actual_end > actual_start))
);
CREATE UNIQUE INDEX shift_logs_active_key
  ON public.shift_logs USING btree (tenant_id, machine_id)
  WHERE (status = 'active'::text);
CREATE UNIQUE INDEX shift_logs_automatic_key
  ON public.shift_logs USING btree (tenant_id, machine_id, shift_definition_id, shift_date)
  WHERE (automatic_end IS NOT NULL);
CREATE INDEX shift_logs_completed_idx
  ON public.shift_logs USING btree (tenant_id, machine_id, actual_end, actual_start)
  WHERE (status = 'completed'::text);
CREATE INDEX shift_logs_date_idx
  ON public.shift_logs USING btree (tenant_id, shift_date, actual_start, id);
CREATE INDEX shift_logs_definition_idx
  ON public.shift_logs USING btree (tenant_id, shift_definition_id);
CREATE INDEX shift_logs_due_idx
  ON public.shift_logs USING btree (automatic_end)
  WHERE ((status = 'active'::text) AND (automatic_end IS NOT NULL));
CREATE INDEX shift_logs_machine_idx
  ON public.shift_logs USING btree (tenant_id, machine_id, shift_date, actual_start, id);
CREATE INDEX shift_logs_updated_idx
  ON public.shift_logs USING btree (tenant_id, updated_at);
alter table shift_logs enable row level security;
create policy all_tenants on shift_logs
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on shift_logs
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on shift_logs to haltless_app;
grant delete, insert, select, update on shift_logs to haltless_system;
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.shift_logs
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('shift_log', '', 'updated_at');
CREATE TRIGGER note_deletion
  AFTER DELETE ON public.shift_logs
  FOR EACH ROW
  EXECUTE FUNCTION note_deletion('shift');
CREATE TRIGGER queue_erp_change
  AFTER DELETE OR UPDATE ON public.shift_logs
  FOR EACH ROW
  WHEN ((old.status = 'completed'::text))
  EXECUTE FUNCTION queue_erp_change('production_data', 'id');
CREATE TRIGGER shift_log_changed
  AFTER UPDATE ON public.shift_logs
  FOR EACH ROW
  WHEN (((new.status = 'completed'::text) AND (((old.status IS DISTINCT FROM new.status) OR (old.actual_start IS DISTINCT FROM new.actual_start)) OR (old.actual_end IS DISTINCT FROM new.actual_end))))
  EXECUTE FUNCTION queue_oee_of_log();
CREATE TRIGGER shift_log_completed
  AFTER INSERT ON public.shift_logs
  FOR EACH ROW
  WHEN ((new.status = 'completed'::text))
  EXECUTE FUNCTION queue_oee_of_log();

create table shift_oee_days (
  tenant_id uuid not null,
  shift_definition_id uuid not null,
  shift_date date not null,
  log_count bigint not null,
  downtime_ms bigint not null,
  oee_count bigint not null,
  planned_ms bigint not null,
  oee_sum_ppb bigint not null,
  availability_sum_ppb bigint not null,
  performance_count bigint not null,
  performance_sum_ppb bigint not null,
  quality_count bigint not null,
  quality_sum_ppb bigint not null,
  run_ms bigint not null default 0,
  net_ms bigint not null default 0,
  counted_ms bigint not null default 0,
  good_ms bigint not null default 0,
  parts numeric not null default '0'::numeric,
  good_parts numeric not null default '0'::numeric,
  constraint shift_oee_days_tenant_id_shift_date_shift_definition_id_pk PRIMARY KEY (tenant_id, shift_date, shift_definition_id),
  constraint shift_oee_days_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);
alter table shift_oee_days enable row level security;
create policy all_tenants on shift_oee_days
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on shift_oee_days
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on shift_oee_days to haltless_app;
grant delete, insert, select, update on shift_oee_days to haltless_system;

create table signal_changes (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  machine_id uuid not null,
  from_at timestamp(3) with time zone not null,
  until_at timestamp(3) with time zone not null,
  constraint signal_changes_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint signal_changes_tenant_id_machine_id_machines_tenant_id_id_fk FOREIGN KEY (tenant_id, machine_id)
    REFERENCES machines(tenant_id, id)
    ON DELETE CASCADE,
  constraint signal_changes_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);
CREATE INDEX signal_changes_id_idx
  ON public.signal_changes USING btree (id);
CREATE INDEX signal_changes_machine_idx
  ON public.signal_changes USING btree (tenant_id, machine_id);
alter table signal_changes enable row level security;
create policy all_tenants on signal_changes
  to haltless_system
  using (true)
  with check (true);
create policy ingest on signal_changes
  to haltless_ingest
  using (true)
  with check (true);
create policy tenant_wall on signal_changes
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on signal_changes to haltless_app;
grant insert on signal_changes to haltless_ingest;
grant delete, insert, select, update on signal_changes to haltless_system;

create table signoff_chains (
  tenant_id uuid not null,
  sequence bigint not null,
  head_hash text not null,
  anchored_sequence bigint not null default 0,
  anchored_at timestamp(3) with time zone,
  constraint signoff_chains_pkey PRIMARY KEY (tenant_id),
  constraint signoff_chains_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);
CREATE INDEX signoff_chains_grown_idx
  ON public.signoff_chains USING btree (anchored_at)
  WHERE (sequence > anchored_sequence);
alter table signoff_chains enable row level security;
create policy all_tenants on signoff_chains
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on signoff_chains
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on signoff_chains to haltless_app;
grant delete, insert, select, update on signoff_chains to haltless_system;

create table signoffs (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  work_order_id uuid not null,
  number smallint not null,
  sequence bigint not null,
  signed_by uuid not null,
  signer_name text not null,
  signer_email text not null,
  signer_role text not null,
  names jsonb not null,
  payload_version integer not null,
  payload text not null,
  key_id text not null,
  signature_hash text not null,
  previous_hash text,
  tenant_previous_hash text,
  signed_at timestamp(3) with time zone not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint signoffs_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint signoffs_number_key UNIQUE (tenant_id, work_order_id, number),
  constraint signoffs_sequence_key UNIQUE (tenant_id, sequence),
  constraint signoffs_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE,
  constraint signoffs_tenant_id_work_order_id_work_orders_tenant_id_id_fk FOREIGN KEY (tenant_id, work_order_id)
    REFERENCES work_orders(tenant_id, id),
  constraint signoffs_number_check CHECK (((number >= 1) AND (number <= 20)))
);
alter table signoffs enable row level security;
create policy all_tenants on signoffs
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on signoffs
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant insert, select on signoffs to haltless_app;
grant insert, select on signoffs to haltless_system;
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.signoffs
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('signoff', '', 'names,payload');
CREATE TRIGGER note_work
  AFTER INSERT ON public.signoffs
  FOR EACH ROW
  EXECUTE FUNCTION note_work('signoff');

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
  trust_email boolean not null default false,
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

create table tenant_usage (
  tenant_id uuid not null,
  kind text not null,
  used bigint not null,
  constraint tenant_usage_tenant_id_kind_pk PRIMARY KEY (tenant_id, kind),
  constraint tenant_usage_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);
alter table tenant_usage enable row level security;
create policy all_tenants on tenant_usage
  to haltless_system
  using (true)
  with check (true);
create policy ingest on tenant_usage
  to haltless_ingest
  using (true)
  with check (true);
create policy tenant_wall on tenant_usage
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant select on tenant_usage to haltless_app;
grant select on tenant_usage to haltless_ingest;
grant select on tenant_usage to haltless_system;

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
  time_zone text not null default 'UTC'::text,
  auto_shift_logs boolean not null default false,
  narratives_enabled boolean not null default false,
  shift_logs_due_at timestamp(3) with time zone not null default '1970-01-01 00:00:00+00'::timestamp with time zone,
  require_mfa boolean not null default false,
  limits jsonb not null default '{}'::jsonb,
  constraint tenants_pkey PRIMARY KEY (id)
);
CREATE INDEX tenants_shift_logs_due_idx
  ON public.tenants USING btree (shift_logs_due_at)
  WHERE auto_shift_logs;
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
grant update (auto_shift_logs, email_prefs, name, narratives_enabled, require_mfa, time_zone, unit_preferences) on tenants to haltless_app;
grant select (facts_version, has_tag_mappings, id, limits) on tenants to haltless_ingest;
grant delete, insert, select, update on tenants to haltless_system;
CREATE TRIGGER examine_shift_logs
  BEFORE UPDATE OF time_zone, auto_shift_logs ON public.tenants
  FOR EACH ROW
  WHEN (((old.time_zone <> new.time_zone) OR (old.auto_shift_logs <> new.auto_shift_logs)))
  EXECUTE FUNCTION examine_shift_logs();
CREATE TRIGGER make_builtin_roles
  AFTER INSERT ON public.tenants
  FOR EACH ROW
  EXECUTE FUNCTION make_builtin_roles();
CREATE TRIGGER make_reason_codes
  AFTER INSERT ON public.tenants
  FOR EACH ROW
  EXECUTE FUNCTION make_reason_codes();
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.tenants
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('tenant', '', 'facts_version,has_tag_mappings,shift_logs_due_at');
CREATE TRIGGER recheck_series
  AFTER UPDATE OF time_zone ON public.tenants
  FOR EACH ROW
  WHEN ((old.time_zone <> new.time_zone))
  EXECUTE FUNCTION recheck_series();

create table threshold_conditions (
  tenant_id uuid not null,
  rule_id uuid not null,
  machine_id uuid not null,
  unit text not null,
  standing text not null default 'normal'::text,
  current text not null default 'normal'::text,
  normal_count integer not null default 0,
  evaluated_at timestamp(3) with time zone,
  constraint threshold_conditions_tenant_id_rule_id_machine_id_unit_pk PRIMARY KEY (tenant_id, rule_id, machine_id, unit),
  constraint threshold_conditions_tenant_id_machine_id_machines_tenant_id_id FOREIGN KEY (tenant_id, machine_id)
    REFERENCES machines(tenant_id, id)
    ON DELETE CASCADE,
  constraint threshold_conditions_tenant_id_rule_id_threshold_rules_tenant_i FOREIGN KEY (tenant_id, rule_id)
    REFERENCES threshold_rules(tenant_id, id)
    ON DELETE CASCADE
)
with (fillfactor=70);
CREATE INDEX threshold_conditions_machine_idx
  ON public.threshold_conditions USING btree (tenant_id, machine_id);
alter table threshold_conditions enable row level security;
create policy all_tenants on threshold_conditions
  to haltless_system
  using (true)
  with check (true);
create policy ingest on threshold_conditions
  to haltless_ingest
  using (true)
  with check (true);
create policy tenant_wall on threshold_conditions
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on threshold_conditions to haltless_app;
grant insert, select, update on threshold_conditions to haltless_ingest;
grant delete, insert, select, update on threshold_conditions to haltless_system;

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
CREATE TRIGGER count_use_of_deleted
  AFTER DELETE ON public.threshold_rules
  REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION count_use('rules', '1');
CREATE TRIGGER count_use_of_new
  AFTER INSERT ON public.threshold_rules
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION count_use('rules', '1');
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
  is_report_stale boolean not null default false,
  pinned_metrics text[] not null default '{}'::text[],
  is_service boolean not null default false,
  responsible_id uuid,
  constraint users_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint users_role_fk FOREIGN KEY (tenant_id, role)
    REFERENCES roles(tenant_id, key),
  constraint users_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE,
  constraint users_service_check CHECK (((NOT is_service) OR ((password_hash IS NULL) AND (NOT is_invited) AND (NOT mfa_enabled))))
);
CREATE UNIQUE INDEX users_email_key
  ON public.users USING btree (lower(email));
CREATE INDEX users_report_stale_idx
  ON public.users USING btree (tenant_id, id)
  WHERE is_report_stale;
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
CREATE TRIGGER count_activation
  AFTER UPDATE OF is_active ON public.users
  FOR EACH ROW
  WHEN ((old.is_active <> new.is_active))
  EXECUTE FUNCTION count_activation('users');
CREATE TRIGGER count_use_of_deleted
  AFTER DELETE ON public.users
  REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION count_use('users', 'is_active::int');
CREATE TRIGGER count_use_of_new
  AFTER INSERT ON public.users
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION count_use('users', 'is_active::int');
CREATE TRIGGER forget_browsers
  AFTER UPDATE OF is_active ON public.users
  FOR EACH ROW
  WHEN ((old.is_active AND (NOT new.is_active)))
  EXECUTE FUNCTION forget_browsers();
CREATE TRIGGER forget_calendars
  AFTER UPDATE OF is_active ON public.users
  FOR EACH ROW
  WHEN ((old.is_active AND (NOT new.is_active)))
  EXECUTE FUNCTION forget_calendars();
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.users
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('user', 'password_hash', 'last_login_at,is_report_stale');
CREATE TRIGGER note_report_change
  BEFORE UPDATE OF report_schedule, timezone, is_active ON public.users
  FOR EACH ROW
  WHEN ((((old.report_schedule IS NOT NULL) OR (new.report_schedule IS NOT NULL)) AND (((old.report_schedule IS DISTINCT FROM new.report_schedule) OR (old.timezone IS DISTINCT FROM new.timezone)) OR (old.is_active IS DISTINCT FROM new.is_active))))
  EXECUTE FUNCTION note_report_change();
CREATE TRIGGER note_report_of_new_user
  BEFORE INSERT ON public.users
  FOR EACH ROW
  WHEN ((new.report_schedule IS NOT NULL))
  EXECUTE FUNCTION note_report_change();

create table work_messages (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  kind text not null,
  user_id uuid not null,
  channel_id uuid,
  work_order_id uuid,
  maintenance_event_id uuid,
  status text not null default 'waiting'::text,
  attempts integer not null default 0,
  error text,
  due_at timestamp(3) with time zone not null default now(),
  created_at timestamp(3) with time zone not null default now(),
  note_id uuid,
  constraint work_messages_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint work_messages_tenant_id_channel_id_notification_channels_tenant FOREIGN KEY (tenant_id, channel_id)
    REFERENCES notification_channels(tenant_id, id)
    ON DELETE CASCADE,
  constraint work_messages_tenant_id_maintenance_event_id_maintenance_events FOREIGN KEY (tenant_id, maintenance_event_id)
    REFERENCES maintenance_events(tenant_id, id)
    ON DELETE CASCADE,
  constraint work_messages_tenant_id_note_id_notes_tenant_id_id_fk FOREIGN KEY (tenant_id, note_id)
    REFERENCES notes(tenant_id, id)
    ON DELETE CASCADE,
  constraint work_messages_tenant_id_user_id_users_tenant_id_id_fk FOREIGN KEY (tenant_id, user_id)
    REFERENCES users(tenant_id, id)
    ON DELETE CASCADE,
  constraint work_messages_tenant_id_work_order_id_work_orders_tenant_id_id_ FOREIGN KEY (tenant_id, work_order_id)
    REFERENCES work_orders(tenant_id, id)
    ON DELETE CASCADE,
  constraint work_messages_subject_check CHECK ((num_nonnulls(work_order_id, maintenance_event_id, note_id) = 1))
);
CREATE INDEX work_messages_channel_idx
  ON public.work_messages USING btree (tenant_id, channel_id)
  WHERE (channel_id IS NOT NULL);
CREATE INDEX work_messages_created_idx
  ON public.work_messages USING btree (created_at);
CREATE INDEX work_messages_due_idx
  ON public.work_messages USING btree (due_at)
  WHERE (status = 'waiting'::text);
CREATE INDEX work_messages_event_idx
  ON public.work_messages USING btree (tenant_id, maintenance_event_id)
  WHERE (maintenance_event_id IS NOT NULL);
CREATE INDEX work_messages_note_idx
  ON public.work_messages USING btree (tenant_id, note_id)
  WHERE (note_id IS NOT NULL);
CREATE INDEX work_messages_order_idx
  ON public.work_messages USING btree (tenant_id, work_order_id)
  WHERE (work_order_id IS NOT NULL);
CREATE INDEX work_messages_user_idx
  ON public.work_messages USING btree (tenant_id, user_id);
alter table work_messages enable row level security;
create policy all_tenants on work_messages
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on work_messages
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on work_messages to haltless_app;
grant delete, insert, select, update on work_messages to haltless_system;

create table work_order_assignees (
  tenant_id uuid not null,
  work_order_id uuid not null,
  user_id uuid not null,
  "position" integer not null,
  constraint work_order_assignees_tenant_id_work_order_id_user_id_pk PRIMARY KEY (tenant_id, work_order_id, user_id),
  constraint work_order_assignees_tenant_id_user_id_users_tenant_id_id_fk FOREIGN KEY (tenant_id, user_id)
    REFERENCES users(tenant_id, id)
    ON DELETE CASCADE,
  constraint work_order_assignees_tenant_id_work_order_id_work_orders_tenant FOREIGN KEY (tenant_id, work_order_id)
    REFERENCES work_orders(tenant_id, id)
    ON DELETE CASCADE
);
CREATE INDEX work_order_assignees_user_idx
  ON public.work_order_assignees USING btree (tenant_id, user_id);
alter table work_order_assignees enable row level security;
create policy all_tenants on work_order_assignees
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on work_order_assignees
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on work_order_assignees to haltless_app;
grant delete, insert, select, update on work_order_assignees to haltless_system;
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.work_order_assignees
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('work_order_assignee', '', 'position');
CREATE TRIGGER note_work
  AFTER INSERT OR DELETE ON public.work_order_assignees
  FOR EACH ROW
  EXECUTE FUNCTION note_work('assignee');

create table work_order_comments (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  work_order_id uuid not null,
  author_id uuid not null,
  author_name text not null,
  body text not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint work_order_comments_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint work_order_comments_tenant_id_work_order_id_work_orders_tenant_ FOREIGN KEY (tenant_id, work_order_id)
    REFERENCES work_orders(tenant_id, id)
    ON DELETE CASCADE
);
CREATE INDEX work_order_comments_order_idx
  ON public.work_order_comments USING btree (tenant_id, work_order_id, created_at, id);
alter table work_order_comments enable row level security;
create policy all_tenants on work_order_comments
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on work_order_comments
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on work_order_comments to haltless_app;
grant delete, insert, select, update on work_order_comments to haltless_system;
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.work_order_comments
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('work_order_comment', '', 'updated_at');

create table work_order_history (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  work_order_id uuid not null,
  at timestamp(3) with time zone not null,
  actor jsonb,
  event text not null,
  subject_id uuid,
  subject_name text,
  changes jsonb,
  constraint work_order_history_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint work_order_history_tenant_id_work_order_id_work_orders_tenant_i FOREIGN KEY (tenant_id, work_order_id)
    REFERENCES work_orders(tenant_id, id)
    ON DELETE CASCADE
);
CREATE INDEX work_order_history_order_idx
  ON public.work_order_history USING btree (tenant_id, work_order_id, at, id);
alter table work_order_history enable row level security;
create policy all_tenants on work_order_history
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on work_order_history
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant insert, select on work_order_history to haltless_app;
grant insert, select on work_order_history to haltless_system;

create table work_order_instructions (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  work_order_id uuid not null,
  step_order integer not null,
  title text not null,
  body text,
  attachment_id uuid,
  completed_at timestamp(3) with time zone,
  completed_by uuid,
  created_by uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint work_order_instructions_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint work_order_instructions_attachment_fk FOREIGN KEY (tenant_id, work_order_id, attachment_id)
    REFERENCES attachments(tenant_id, work_order_id, id),
  constraint work_order_instructions_tenant_id_work_order_id_work_orders_ten FOREIGN KEY (tenant_id, work_order_id)
    REFERENCES work_orders(tenant_id, id)
    ON DELETE CASCADE,
  constraint work_order_instructions_step_check CHECK ((step_order >= 1))
);
CREATE INDEX work_order_instructions_attachment_idx
  ON public.work_order_instructions USING btree (tenant_id, attachment_id)
  WHERE (attachment_id IS NOT NULL);
CREATE INDEX work_order_instructions_order_idx
  ON public.work_order_instructions USING btree (tenant_id, work_order_id, step_order, created_at, id);
alter table work_order_instructions enable row level security;
create policy all_tenants on work_order_instructions
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on work_order_instructions
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on work_order_instructions to haltless_app;
grant delete, insert, select, update on work_order_instructions to haltless_system;
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.work_order_instructions
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('work_order_instruction', '', 'updated_at');
CREATE TRIGGER note_work
  AFTER INSERT OR DELETE OR UPDATE ON public.work_order_instructions
  FOR EACH ROW
  EXECUTE FUNCTION note_work('instruction');
CREATE TRIGGER queue_erp_change
  AFTER INSERT OR DELETE OR UPDATE ON public.work_order_instructions
  FOR EACH ROW
  EXECUTE FUNCTION queue_erp_change('work_order', 'work_order_id');

create table work_orders (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  machine_id uuid not null,
  alert_id uuid,
  maintenance_event_id uuid,
  title text not null,
  description text,
  status text not null default 'open'::text,
  priority text not null default 'medium'::text,
  assigned_to uuid,
  due_date timestamp(3) with time zone,
  completed_at timestamp(3) with time zone,
  completion_notes text,
  created_by uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint work_orders_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint work_orders_tenant_id_alert_id_alerts_tenant_id_id_fk FOREIGN KEY (tenant_id, alert_id)
    REFERENCES alerts(tenant_id, id),
  constraint work_orders_tenant_id_assigned_to_users_tenant_id_id_fk FOREIGN KEY (tenant_id, assigned_to)
    REFERENCES users(tenant_id, id),
  constraint work_orders_tenant_id_machine_id_machines_tenant_id_id_fk FOREIGN KEY (tenant_id, machine_id)
    REFERENCES machines(tenant_id, id)
    ON DELETE CASCADE,
  constraint work_orders_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);
CREATE INDEX work_orders_alert_idx
  ON public.work_orders USING btree (tenant_id, alert_id)
  WHERE (alert_id IS NOT NULL);
CREATE UNIQUE INDEX work_orders_alert_key
  ON public.work_orders USING btree (tenant_id, alert_id)
  WHERE ((alert_id IS NOT NULL) AND (status = ANY (ARRAY['open'::text, 'in_progress'::text])));
CREATE INDEX work_orders_assigned_idx
  ON public.work_orders USING btree (tenant_id, assigned_to, created_at DESC NULLS LAST)
  WHERE (assigned_to IS NOT NULL);
CREATE INDEX work_orders_due_idx
  ON public.work_orders USING btree (tenant_id, due_date, id)
  WHERE (status = ANY (ARRAY['open'::text, 'in_progress'::text]));
CREATE INDEX work_orders_event_idx
  ON public.work_orders USING btree (tenant_id, maintenance_event_id)
  WHERE (maintenance_event_id IS NOT NULL);
CREATE UNIQUE INDEX work_orders_event_key
  ON public.work_orders USING btree (tenant_id, maintenance_event_id)
  WHERE ((maintenance_event_id IS NOT NULL) AND (status = ANY (ARRAY['open'::text, 'in_progress'::text])));
CREATE INDEX work_orders_machine_idx
  ON public.work_orders USING btree (tenant_id, machine_id, created_at DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX work_orders_newest_idx
  ON public.work_orders USING btree (tenant_id, created_at DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX work_orders_priority_idx
  ON public.work_orders USING btree (tenant_id, priority, created_at DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX work_orders_reminder_idx
  ON public.work_orders USING btree (due_date)
  WHERE (status = ANY (ARRAY['open'::text, 'in_progress'::text]));
CREATE INDEX work_orders_status_idx
  ON public.work_orders USING btree (tenant_id, status, created_at DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX work_orders_updated_idx
  ON public.work_orders USING btree (tenant_id, updated_at);
alter table work_orders enable row level security;
create policy all_tenants on work_orders
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on work_orders
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on work_orders to haltless_app;
grant delete, insert, select, update on work_orders to haltless_system;
CREATE TRIGGER note_change
  AFTER INSERT OR DELETE OR UPDATE ON public.work_orders
  FOR EACH ROW
  WHEN ((current_setting('app.actor'::text, true) <> ''::text))
  EXECUTE FUNCTION note_change('work_order', '', 'updated_at');
CREATE TRIGGER note_deletion
  AFTER DELETE ON public.work_orders
  FOR EACH ROW
  EXECUTE FUNCTION note_deletion('work_order');
CREATE TRIGGER note_work
  AFTER INSERT OR UPDATE ON public.work_orders
  FOR EACH ROW
  EXECUTE FUNCTION note_work('work_order');
CREATE TRIGGER queue_erp_change
  AFTER INSERT OR DELETE OR UPDATE ON public.work_orders
  FOR EACH ROW
  EXECUTE FUNCTION queue_erp_change('work_order', 'id');

create table work_reminders (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  kind text not null,
  work_order_id uuid,
  maintenance_event_id uuid,
  for_time timestamp(3) with time zone not null,
  sent_at timestamp(3) with time zone not null,
  constraint work_reminders_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint work_reminders_once_key UNIQUE NULLS NOT DISTINCT (tenant_id, work_order_id, maintenance_event_id, kind, for_time),
  constraint work_reminders_tenant_id_maintenance_event_id_maintenance_event FOREIGN KEY (tenant_id, maintenance_event_id)
    REFERENCES maintenance_events(tenant_id, id)
    ON DELETE CASCADE,
  constraint work_reminders_tenant_id_work_order_id_work_orders_tenant_id_id FOREIGN KEY (tenant_id, work_order_id)
    REFERENCES work_orders(tenant_id, id)
    ON DELETE CASCADE,
  constraint work_reminders_subject_check CHECK ((num_nonnulls(work_order_id, maintenance_event_id) = 1))
);
CREATE INDEX work_reminders_age_idx
  ON public.work_reminders USING btree (for_time);
CREATE INDEX work_reminders_event_idx
  ON public.work_reminders USING btree (tenant_id, maintenance_event_id)
  WHERE (maintenance_event_id IS NOT NULL);
alter table work_reminders enable row level security;
create policy all_tenants on work_reminders
  to haltless_system
  using (true)
  with check (true);
create policy tenant_wall on work_reminders
  to haltless_app
  using ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")))
  with check ((tenant_id = ( SELECT (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid AS "nullif")));
grant delete, insert, select, update on work_reminders to haltless_app;
grant delete, insert, select, update on work_reminders to haltless_system;

create sequence reading_key_filters_id_seq;
grant usage on sequence reading_key_filters_id_seq to haltless_system;
grant usage on sequence series_id_seq to haltless_app;
grant usage on sequence series_id_seq to haltless_ingest;
grant usage on sequence series_id_seq to haltless_system;

CREATE OR REPLACE FUNCTION public.add_default_reason_codes(tenant uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  actor constant text := current_setting('app.actor', true);
begin
  -- Defaults are no change by a person. A SET clause of the function would need a superuser.
  perform set_config('app.actor', '', true);
  with defaults (place, code, label, category, loss) as (values
    (10, 'planned', 'Planned stops', 'planned', 'not_scheduled'),
    (11, 'planned.no_orders', 'No production scheduled', 'planned', 'not_scheduled'),
    (12, 'planned.break', 'Break', 'planned', 'not_scheduled'),
    (13, 'planned.meeting', 'Meeting or training', 'planned', 'not_scheduled'),
    (20, 'maintenance', 'Maintenance', 'maintenance', 'availability_loss'),
    (21, 'maintenance.preventive', 'Preventive maintenance', 'maintenance', 'not_scheduled'),
    (22, 'maintenance.corrective', 'Corrective maintenance', 'maintenance', 'availability_loss'),
    (23, 'maintenance.cleaning', 'Cleaning', 'maintenance', 'availability_loss'),
    (30, 'changeover', 'Changeover', 'changeover', 'availability_loss'),
    (31, 'changeover.setup', 'Set-up and adjustment', 'changeover', 'availability_loss'),
    (32, 'changeover.tool', 'Tool change', 'changeover', 'availability_loss'),
    (33, 'changeover.material', 'Material change', 'changeover', 'availability_loss'),
    (40, 'breakdown', 'Breakdown', 'unplanned', 'availability_loss'),
    (41, 'breakdown.mechanical', 'Mechanical failure', 'unplanned', 'availability_loss'),
    (42, 'breakdown.electrical', 'Electrical failure', 'unplanned', 'availability_loss'),
    (43, 'breakdown.control', 'Control system failure', 'unplanned', 'availability_loss'),
    (44, 'breakdown.tool', 'Tool breakage', 'unplanned', 'availability_loss'),
    (50, 'waiting', 'Waiting', 'unplanned', 'availability_loss'),
    (51, 'waiting.material', 'No material', 'unplanned', 'availability_loss'),
    (52, 'waiting.operator', 'No operator', 'unplanned', 'availability_loss'),
    (53, 'waiting.blocked', 'Blocked downstream', 'unplanned', 'availability_loss'),
    (54, 'waiting.utilities', 'No power, air or water', 'unplanned', 'availability_loss'),
    (60, 'performance', 'Performance losses', 'unplanned', 'performance_loss'),
    (61, 'performance.minor_stop', 'Minor stop', 'unplanned', 'performance_loss'),
    (62, 'performance.reduced_speed', 'Reduced speed', 'unplanned', 'performance_loss'),
    (70, 'quality', 'Quality losses', 'unplanned', 'quality_loss'),
    (71, 'quality.rework', 'Rework', 'unplanned', 'quality_loss'),
    (72, 'quality.startup_rejects', 'Start-up rejects', 'unplanned', 'quality_loss')
  ), identified as (
    select *, uuidv7() as id from defaults
  )
  insert into reason_codes (tenant_id, id, code, label, category, oee_loss_category, parent_id, sort_order)
  select tenant, own.id, own.code, own.label, own.category, own.loss, parent.id, own.place
  from identified own left join identified parent on own.code like parent.code || '.%'
  on conflict do nothing;
  perform set_config('app.actor', coalesce(actor, ''), true);
end $function$;

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
  if not serves_tenant(case split_part(of_subject, ':', 1)
    when 'address' then nullif(current_setting('app.tenant_id', true), '')::uuid else split_part(of_subject, ':', 2)::uuid end)
  then
    raise exception 'a quota of another tenant';
  end if;
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

CREATE OR REPLACE FUNCTION public.count_activation()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into tenant_usage as u (tenant_id, kind, used) values (new.tenant_id, TG_ARGV[0], case when new.is_active then 1 else -1 end)
  on conflict (tenant_id, kind) do update set used = u.used + excluded.used;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.count_use()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  -- By tenant, so that two statements about several tenants lock their rows in one order. A tenant that is being deleted has no row to count in.
  execute format(
    'insert into tenant_usage as u (tenant_id, kind, used) '
    'select c.tenant_id, %1$L, %2$s * sum(%3$s) from changed c join tenants t on t.id = c.tenant_id '
    'group by 1 having sum(%3$s) <> 0 order by 1 '
    'on conflict (tenant_id, kind) do update set used = u.used + excluded.used',
    TG_ARGV[0], case TG_OP when 'DELETE' then -1 else 1 end, TG_ARGV[1]);
  return null;
end $function$;

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

CREATE OR REPLACE FUNCTION public.downtime_rollups_of(f downtime_figures, days integer)
 RETURNS TABLE(start_at timestamp with time zone, downtime_ms bigint, records integer, repairs integer, repair_ms bigint, failures integer, intervals integer, uptime_ms bigint, entering_intervals integer, entering_uptime_ms bigint, entering_from_ms bigint)
 LANGUAGE sql
 STABLE
AS $function$
  select s.start_at,
    case when is_start then 0 else (1000 * extract(epoch from least(f.ended_at, s.start_at + $2 * interval '24 h') - greatest(f.attributed_from, s.start_at)))::bigint end,
    is_start::int,
    (is_start and f.repair_seconds is not null)::int, case when is_start then coalesce(round(f.repair_seconds * 1000)::bigint, 0) else 0 end,
    (is_start and f.starts_failure)::int,
    (is_start and f.previous_failure_at is not null)::int, case when is_start then coalesce(round(f.uptime_before_seconds * 1000)::bigint, 0) else 0 end,
    coalesce(is_start and f.previous_failure_at < s.start_at, false)::int,
    case when is_start and f.previous_failure_at < s.start_at then round(f.uptime_before_seconds * 1000)::bigint else 0 end,
    case when is_start and f.previous_failure_at < s.start_at then (1000 * extract(epoch from f.previous_failure_at))::bigint else 0 end
  from (values (true, 0), (false, 0), (false, 1)) part(is_start, n)
  cross join lateral (
    select date_bin($2 * interval '24 h', case when is_start then f.started_at else f.attributed_from end, timestamptz '1970-01-05 00:00+00')
      + n * $2 * interval '24 h' as start_at) s
  where is_start or (s.start_at < f.ended_at and f.ended_at - f.attributed_from <= interval '7 days')
$function$;
grant execute on function downtime_rollups_of(downtime_figures,integer) to public;

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

CREATE OR REPLACE FUNCTION public.examine_escalations()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION public.examine_shift_logs()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if TG_TABLE_NAME = 'tenants' then
    new.shift_logs_due_at := '1970-01-01T00:00:00Z';
    return new;
  end if;
  if TG_LEVEL = 'STATEMENT' then
    update tenants set shift_logs_due_at = '1970-01-01T00:00:00Z'
    where id in (select tenant_id from changed) and auto_shift_logs and shift_logs_due_at > '1970-01-01T00:00:00Z';
    return null;
  end if;
  -- once in a transaction that replaces many rows
  update tenants set shift_logs_due_at = '1970-01-01T00:00:00Z'
  where id = coalesce(new.tenant_id, old.tenant_id) and auto_shift_logs and shift_logs_due_at > '1970-01-01T00:00:00Z';
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.fold_downtime()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  tenant constant uuid := coalesce(new.tenant_id, old.tenant_id);
  machine constant uuid := coalesce(new.machine_id, old.machine_id);
  first_change constant timestamptz := least(old.started_at, new.started_at);
  last_change constant timestamptz := greatest(old.started_at, new.started_at);
  before downtime_figures;
  stored downtime_figures;
  folded downtime_figures;
  removed downtime_figures[] := '{}';
  added downtime_figures[] := '{}';
begin
  -- Concurrent changes of a machine follow each other. Class 4715, see src/db/advisory-locks.ts.
  perform pg_advisory_xact_lock(4715, hashtext(machine::text));
  if TG_OP <> 'INSERT' then
    delete from downtime_figures where tenant_id = tenant and machine_id = machine and started_at = old.started_at and record_id = old.id
    returning * into stored;
    if found then removed := removed || stored; end if;
  end if;
  if TG_OP <> 'DELETE' then
    insert into downtime_figures (tenant_id, machine_id, started_at, record_id, ended_at, is_unplanned, repair_seconds, starts_failure, covered_until, uptime_seconds)
    values (tenant, machine, new.started_at, new.id, coalesce(new.ended_at, 'infinity'), new.reason_type = 'unplanned',
      case when new.reason_type in ('unplanned', 'maintenance') then extract(epoch from new.ended_at - new.started_at) end,
      false, '-infinity', 0);
  end if;
  select * into before from downtime_figures
  where tenant_id = tenant and machine_id = machine and started_at < first_change order by started_at desc, record_id desc limit 1;
  for stored in
    select * from downtime_figures where tenant_id = tenant and machine_id = machine and started_at >= first_change order by started_at, record_id
  loop
    folded := next_downtime_figures(before, stored);
    if stored.record_id = new.id then
      added := added || folded;
    elsif folded is distinct from stored then
      removed := removed || stored;
      added := added || folded;
    end if;
    if folded is distinct from stored then
      update downtime_figures set
        attributed_from = folded.attributed_from, starts_failure = folded.starts_failure, previous_failure_at = folded.previous_failure_at,
        uptime_before_seconds = folded.uptime_before_seconds, covered_until = folded.covered_until, failed_until = folded.failed_until,
        failed_at = folded.failed_at, uptime_seconds = folded.uptime_seconds
      where tenant_id = tenant and machine_id = machine and started_at = stored.started_at and record_id = stored.record_id;
    end if;
    exit when stored.started_at > last_change
      and (folded.covered_until, folded.failed_until, folded.failed_at, folded.uptime_seconds)
        is not distinct from (stored.covered_until, stored.failed_until, stored.failed_at, stored.uptime_seconds);
    before := folded;
  end loop;

  insert into downtime_rollups as r (tenant_id, machine_id, days, start_at, downtime_ms, records, repairs, repair_ms, failures, intervals, uptime_ms,
    entering_intervals, entering_uptime_ms, entering_from_ms)
  select tenant, machine, length.days, s.start_at, sum(sign * s.downtime_ms), sum(sign * s.records), sum(sign * s.repairs), sum(sign * s.repair_ms),
    sum(sign * s.failures), sum(sign * s.intervals), sum(sign * s.uptime_ms), sum(sign * s.entering_intervals),
    sum(sign * s.entering_uptime_ms), sum(sign * s.entering_from_ms)
  from (select 1 as sign, a as f from unnest(added) a union all select -1, o from unnest(removed) o) changed
  cross join (values (7), (28)) length(days)
  cross join lateral downtime_rollups_of(f, length.days) s
  where exists (select from machines m where m.tenant_id = tenant and m.id = machine)
  group by 3, 4
  on conflict (tenant_id, days, start_at, machine_id) do update set
    downtime_ms = r.downtime_ms + excluded.downtime_ms, records = r.records + excluded.records, repairs = r.repairs + excluded.repairs,
    repair_ms = r.repair_ms + excluded.repair_ms, failures = r.failures + excluded.failures, intervals = r.intervals + excluded.intervals,
    uptime_ms = r.uptime_ms + excluded.uptime_ms, entering_intervals = r.entering_intervals + excluded.entering_intervals,
    entering_uptime_ms = r.entering_uptime_ms + excluded.entering_uptime_ms, entering_from_ms = r.entering_from_ms + excluded.entering_from_ms;
  return null;
end $function$;

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

CREATE OR REPLACE FUNCTION public.forget_calendars()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  delete from calendar_tokens where tenant_id = new.tenant_id and user_id = new.id;
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

CREATE OR REPLACE FUNCTION public.forget_site_calendar()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  update shift_definitions set is_active = false, group_id = null, updated_at = now()
  where tenant_id = old.tenant_id and group_id = old.id;
  delete from non_production_days where tenant_id = old.tenant_id and group_id = old.id;
  if TG_OP = 'DELETE' then return old; end if;
  new.time_zone := null;
  return new;
end $function$;

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

CREATE OR REPLACE PROCEDURE public.grant_ingest(IN target regclass, IN privileges text)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format('create policy ingest on %s to haltless_ingest using (true) with check (true)', target);
  execute format('grant %s on %s to haltless_ingest', privileges, target);
end $procedure$;
grant execute on procedure grant_ingest(regclass,text) to public;

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

CREATE OR REPLACE FUNCTION public.make_reason_codes()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  perform add_default_reason_codes(new.id);
  return null;
end $function$;

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

CREATE OR REPLACE FUNCTION public.next_downtime_figures(before downtime_figures, record downtime_figures)
 RETURNS downtime_figures
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  folded downtime_figures := record;
  covered constant timestamptz := coalesce(before.covered_until, '-infinity');
  failed constant timestamptz := coalesce(before.failed_until, '-infinity');
  uptime double precision := coalesce(before.uptime_seconds, 0);
begin
  if before.failed_until is not null and covered < record.started_at then
    uptime := uptime + extract(epoch from record.started_at - covered);
  end if;
  folded.attributed_from := case when covered < record.ended_at then greatest(record.started_at, covered) end;
  folded.covered_until := greatest(covered, record.ended_at);
  -- A failure that begins at the instant at which another ends continues it.
  folded.starts_failure := record.is_unplanned and failed < record.started_at;
  folded.previous_failure_at := case when folded.starts_failure then before.failed_at end;
  folded.uptime_before_seconds := case when folded.starts_failure and before.failed_until is not null then uptime end;
  folded.failed_at := case when folded.starts_failure then record.started_at else before.failed_at end;
  folded.failed_until := case when record.is_unplanned then greatest(failed, record.ended_at) else before.failed_until end;
  folded.uptime_seconds := case when record.is_unplanned then 0 else uptime end;
  return folded;
end $function$;

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
    TG_ARGV[0], coalesce(whole ->> 'id', whole ->> 'key', whole ->> 'group_id', whole ->> 'work_order_id', whole ->> 'machine_id', whole ->> 'tenant_id'),
    coalesce(whole ->> 'email', whole ->> 'name', whole ->> 'title', whole ->> 'filename', whole ->> 'label', whole ->> 'code', whole ->> 'message',
      whole ->> 'provider_name', whole ->> 'metric_name'),
    audit_view(old_row, changed, secrets), audit_view(new_row, changed, secrets));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.note_deletion()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into deleted_resources (tenant_id, kind, id, machine_id, group_id, deleted_at)
  values (old.tenant_id, TG_ARGV[0], old.id, old.machine_id, (to_jsonb(old) ->> 'group_id')::uuid, clock_timestamp()) on conflict do nothing;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.note_event(tenant uuid, actor jsonb, action text, target_type text, target_id text, target_name text, details jsonb DEFAULT NULL::jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if not serves_tenant(tenant) then
    raise exception 'an event of another tenant';
  end if;
  insert into audit_log (tenant_id, at, actor_kind, actor_id, actor_name, ip, request_id, action, target_type, target_id, target_name, after)
  values (tenant, clock_timestamp(), actor ->> 'kind', actor ->> 'id', actor ->> 'name', actor ->> 'ip', actor ->> 'request_id',
    action, target_type, target_id, target_name, details);
end $function$;
grant execute on function note_event(uuid,jsonb,text,text,text,text,jsonb) to haltless_app;
grant execute on function note_event(uuid,jsonb,text,text,text,text,jsonb) to haltless_system;

CREATE OR REPLACE FUNCTION public.note_report_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.is_report_stale := true;
  return new;
end $function$;
grant execute on function note_report_change() to public;

CREATE OR REPLACE FUNCTION public.note_work()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  kind constant text := TG_ARGV[0];
  shown constant text[] := array['title', 'description', 'status', 'priority', 'assigned_to', 'due_date', 'completed_at', 'completion_notes',
    'step_order', 'body', 'attachment_id', 'completed_by'];
  acting jsonb := nullif(current_setting('app.actor', true), '')::jsonb;
  actor jsonb := case when acting is not null then jsonb_build_object('kind', acting -> 'kind', 'id', acting -> 'id', 'name', acting -> 'name') end;
  old_row jsonb := case when TG_OP <> 'INSERT' then to_jsonb(old) end;
  new_row jsonb := case when TG_OP <> 'DELETE' then to_jsonb(new) end;
  whole jsonb := coalesce(new_row, old_row);
  changes jsonb := case when TG_OP = 'UPDATE' then (
    select jsonb_object_agg(field, jsonb_build_object('from', old_row -> field, 'to', new_row -> field))
    from unnest(shown) field where old_row -> field is distinct from new_row -> field) end;
  subject_id uuid := case when kind <> 'work_order' then coalesce(whole ->> 'user_id', whole ->> 'id')::uuid end;
  subject_name text := case kind
    when 'assignee' then (select full_name from users u where u.tenant_id = (whole ->> 'tenant_id')::uuid and u.id = (whole ->> 'user_id')::uuid)
    when 'work_order' then null
    else coalesce(whole ->> 'title', whole ->> 'filename', whole ->> 'signer_name') end;
  event text := case
    when kind = 'signoff' then 'signed'
    when kind = 'work_order' then case TG_OP when 'INSERT' then 'created' else 'updated' end
    when kind = 'instruction' and TG_OP = 'UPDATE' and changes ? 'completed_at'
      then case when new_row ->> 'completed_at' is null then 'instruction_reopened' else 'instruction_completed' end
    else kind || case TG_OP when 'INSERT' then '_added' when 'UPDATE' then '_updated' else '_removed' end end;
begin
  if TG_OP = 'UPDATE' and changes is null then return null; end if;
  insert into work_order_history (tenant_id, work_order_id, at, actor, event, subject_id, subject_name, changes)
  select o.tenant_id, o.id, clock_timestamp(), actor, event, subject_id, subject_name, changes
  from work_orders o
  where o.tenant_id = (whole ->> 'tenant_id')::uuid
    and o.id = coalesce(whole ->> 'work_order_id', case when kind = 'work_order' then whole ->> 'id' end)::uuid;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.notify_poller(tenant uuid, agent text)
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

CREATE OR REPLACE FUNCTION public.oee_weights(log shift_log_oee)
 RETURNS TABLE(run_ms bigint, net_ms bigint, counted_ms bigint, good_ms bigint, parts numeric, good_parts numeric)
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select run, net,
    case when is_counted then net else 0 end,
    case when is_counted then 0 else round(net * (coalesce(log.quality_ppb, 0) / 1e9::float8))::bigint end,
    case when is_counted then log.total_count::numeric else 0 end,
    case when is_counted then least(log.good_count, log.total_count)::numeric else 0 end
  from (select greatest(log.planned_ms - log.availability_loss_ms, 0) as run) r
  cross join lateral (select round(run * (coalesce(log.performance_ppb, 0) / 1e9::float8))::bigint as net) n
  cross join lateral (select run > 0 and log.total_count is not null and log.good_count is not null as is_counted) c
$function$;
grant execute on function oee_weights(shift_log_oee) to public;

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
      perform raise_stale_cache();
    end if;
    result := overlay(result placing substr(changes, at + 21, 21) || own from place);
  end loop;
  return result;
end $function$;
grant execute on function patch_latest(bytea,bytea) to public;

CREATE OR REPLACE FUNCTION public.plan_escalation()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if TG_OP = 'INSERT' then
    new.escalation_due_at := (
      select min(new.created_at + make_interval(mins => p.wait_minutes)) from escalation_policies p
      where p.tenant_id = new.tenant_id and p.severity = new.severity and p.is_active);
  else
    new.escalation_due_at := '1970-01-01T00:00:00Z';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.queue_erp_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  changed constant jsonb := to_jsonb(case TG_OP when 'DELETE' then old else new end);
begin
  -- The tenant itself is being deleted.
  if TG_OP = 'DELETE' and not exists (select from tenants where id = (changed ->> 'tenant_id')::uuid) then
    return null;
  end if;
  insert into erp_changes (tenant_id, entity_type, entity_id)
  values ((changed ->> 'tenant_id')::uuid, TG_ARGV[0], (changed ->> TG_ARGV[1])::uuid);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.queue_file_deletion()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into attachment_deletions (tenant_id, storage_key) values (old.tenant_id, old.storage_key) on conflict do nothing;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.queue_oee_of_counters(tenant_ids uuid[], machine_ids uuid[], from_times timestamp with time zone[], until_times timestamp with time zone[])
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  insert into oee_changes (tenant_id, machine_id, from_at, until_at)
  select r.tenant_id, r.machine_id, r.from_at, r.until_at
  from unnest(tenant_ids, machine_ids, from_times, until_times) r(tenant_id, machine_id, from_at, until_at)
  where exists (
    select from shift_logs l
    where l.tenant_id = r.tenant_id and l.machine_id = r.machine_id and l.status = 'completed' and l.actual_end > r.from_at)
    or exists (
      select from shift_log_oee o where o.tenant_id = r.tenant_id and o.machine_id = r.machine_id and o.has_open_drop)
$function$;
grant execute on function queue_oee_of_counters(uuid[],uuid[],timestamp with time zone[],timestamp with time zone[]) to haltless_ingest;

CREATE OR REPLACE FUNCTION public.queue_oee_of_downtime()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into oee_changes (tenant_id, shift_log_id)
  select distinct l.tenant_id, l.id
  from unnest(
    array[old.tenant_id, new.tenant_id], array[old.machine_id, new.machine_id],
    array[old.started_at, new.started_at], array[old.ended_at, new.ended_at]
  ) changed(tenant_id, machine_id, started_at, ended_at)
  join shift_logs l on l.tenant_id = changed.tenant_id and l.machine_id = changed.machine_id and l.status = 'completed'
    and l.actual_end > changed.started_at and l.actual_start < coalesce(changed.ended_at, 'infinity');
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.queue_oee_of_log()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into oee_changes (tenant_id, shift_log_id, has_new_counts) values (new.tenant_id, new.id, true);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.queue_oee_of_reason_code()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into oee_changes (tenant_id, reason_code_id) values (new.tenant_id, new.id);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.raise_stale_cache()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the cache of this process is stale' using errcode = 'HL001';
end $function$;
grant execute on function raise_stale_cache() to public;

CREATE OR REPLACE FUNCTION public.recheck_series()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
end $function$;

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

CREATE OR REPLACE FUNCTION public.release_digests(at timestamp with time zone, at_once integer, span interval)
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
  update deliveries set due_at = at where status = 'pending_digest' and due_at > at + 2 * span;
  for c in select distinct tenant_id, channel_id from deliveries where status = 'pending_digest' and due_at <= at order by 1, 2 limit 500 loop
    insert into delivery_windows values (c.tenant_id, c.channel_id, '-infinity', 0) on conflict do nothing;
    select * into w from delivery_windows where tenant_id = c.tenant_id and channel_id = c.channel_id for update skip locked;
    continue when not found;
    if w.until > at + 2 * span then
      w.until := at;
      w.sent := at_once;
    end if;
    -- held back, unlike what has just come
    select id into lead from deliveries
    where tenant_id = c.tenant_id and channel_id = c.channel_id and status = 'pending_digest' and due_at <= at and due_at > created_at
    order by created_at, id limit 1;
    if found and w.until <= at then
      update deliveries set status = case when id = lead then 'waiting' else 'in_digest' end, lead_id = nullif(lead, id)
      where tenant_id = c.tenant_id and channel_id = c.channel_id and status = 'pending_digest' and due_at <= at;
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
        select id from deliveries where tenant_id = c.tenant_id and channel_id = c.channel_id and status = 'pending_digest' and due_at <= at
        order by created_at, id limit greatest(0, at_once - w.sent));
      get diagnostics n = row_count;
      w.sent := w.sent + n;
      freed := freed + n;
      update deliveries set due_at = w.until where tenant_id = c.tenant_id and channel_id = c.channel_id and status = 'pending_digest' and due_at <= at;
    end if;
    update delivery_windows set until = w.until, sent = w.sent where tenant_id = c.tenant_id and channel_id = c.channel_id;
  end loop;
  return freed;
end $function$;
grant execute on function release_digests(timestamp with time zone,integer,interval) to public;

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

CREATE OR REPLACE FUNCTION public.reserve_requests(of_bucket text, wanted integer, allowed integer, seed integer, OUT granted integer, OUT used integer, OUT free_in double precision)
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
grant execute on function reserve_requests(text,integer,integer,integer) to haltless_system;

CREATE OR REPLACE FUNCTION public.reset_domain_proof()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.domain_token := replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
  new.domain_verified_at := null;
  new.domain_proof := null;
  new.trust_email := false;
  return new;
end $function$;
grant execute on function reset_domain_proof() to public;

CREATE OR REPLACE FUNCTION public.serves_tenant(tenant uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select case when current_setting('app.tenant_id', true) <> '' then tenant = current_setting('app.tenant_id', true)::uuid
    else pg_has_role(session_user, 'haltless_system', 'member') or session_user = current_user end
$function$;

CREATE OR REPLACE FUNCTION public.source_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if TG_OP <> 'INSERT' then perform notify_poller(old.tenant_id, old.agent_id); end if;
  if TG_OP <> 'DELETE' and (TG_OP = 'INSERT' or new.agent_id is distinct from old.agent_id) then
    perform notify_poller(new.tenant_id, new.agent_id);
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
  perform notify_poller(new.tenant_id, agent)
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

CREATE OR REPLACE FUNCTION public.sum_oee()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  subtracted shift_log_oee[] := '{}';
  added_rows shift_log_oee[] := '{}';
begin
  if TG_OP <> 'INSERT' then subtracted := array(select r from removed r); end if;
  if TG_OP <> 'DELETE' then added_rows := array(select a from added a); end if;

  insert into shift_oee_days as d (tenant_id, shift_date, shift_definition_id, log_count, downtime_ms, oee_count, planned_ms, oee_sum_ppb,
    availability_sum_ppb, performance_count, performance_sum_ppb, quality_count, quality_sum_ppb, run_ms, net_ms, counted_ms, good_ms, parts, good_parts)
  select tenant_id, shift_date, shift_definition_id, sum(sign), sum(sign * downtime_ms),
    sum(sign * (oee_ppb is not null)::int), sum(sign * planned_ms), sum(sign * coalesce(oee_ppb, 0)), sum(sign * coalesce(availability_ppb, 0)),
    sum(sign * (performance_ppb is not null)::int), sum(sign * coalesce(performance_ppb, 0)),
    sum(sign * (quality_ppb is not null)::int), sum(sign * coalesce(quality_ppb, 0)),
    sum(sign * run_ms), sum(sign * net_ms), sum(sign * counted_ms), sum(sign * good_ms), sum(sign * parts), sum(sign * good_parts)
  from (
    select 1 as sign, a.*, w.* from unnest(added_rows) a, oee_weights(a) w
    union all select -1, r.*, w.* from unnest(subtracted) r, oee_weights(r) w) changed
  where exists (select from tenants t where t.id = changed.tenant_id)
  group by 1, 2, 3 order by 1, 2, 3
  on conflict (tenant_id, shift_date, shift_definition_id) do update set
    log_count = d.log_count + excluded.log_count, downtime_ms = d.downtime_ms + excluded.downtime_ms,
    oee_count = d.oee_count + excluded.oee_count, planned_ms = d.planned_ms + excluded.planned_ms,
    oee_sum_ppb = d.oee_sum_ppb + excluded.oee_sum_ppb, availability_sum_ppb = d.availability_sum_ppb + excluded.availability_sum_ppb,
    performance_count = d.performance_count + excluded.performance_count,
    performance_sum_ppb = d.performance_sum_ppb + excluded.performance_sum_ppb,
    quality_count = d.quality_count + excluded.quality_count, quality_sum_ppb = d.quality_sum_ppb + excluded.quality_sum_ppb,
    run_ms = d.run_ms + excluded.run_ms, net_ms = d.net_ms + excluded.net_ms, counted_ms = d.counted_ms + excluded.counted_ms,
    good_ms = d.good_ms + excluded.good_ms, parts = d.parts + excluded.parts, good_parts = d.good_parts + excluded.good_parts;

  insert into machine_oee_days as d (tenant_id, shift_date, machine_id, oee_count, oee_sum_ppb, planned_ms, run_ms, net_ms, counted_ms, good_ms,
    parts, good_parts)
  select tenant_id, shift_date, machine_id, sum(sign * (oee_ppb is not null)::int), sum(sign * coalesce(oee_ppb, 0)), sum(sign * planned_ms),
    sum(sign * run_ms), sum(sign * net_ms), sum(sign * counted_ms), sum(sign * good_ms), sum(sign * parts), sum(sign * good_parts)
  from (
    select 1 as sign, a.*, w.* from unnest(added_rows) a, oee_weights(a) w
    union all select -1, r.*, w.* from unnest(subtracted) r, oee_weights(r) w) changed
  where exists (select from machines m where m.tenant_id = changed.tenant_id and m.id = changed.machine_id)
  group by 1, 2, 3 order by 1, 2, 3
  on conflict (tenant_id, shift_date, machine_id) do update set
    oee_count = d.oee_count + excluded.oee_count, oee_sum_ppb = d.oee_sum_ppb + excluded.oee_sum_ppb,
    planned_ms = d.planned_ms + excluded.planned_ms, run_ms = d.run_ms + excluded.run_ms, net_ms = d.net_ms + excluded.net_ms,
    counted_ms = d.counted_ms + excluded.counted_ms, good_ms = d.good_ms + excluded.good_ms, parts = d.parts + excluded.parts,
    good_parts = d.good_parts + excluded.good_parts;

  insert into oee_rollups as r (tenant_id, days, start_date, machine_id, planned_ms, run_ms, net_ms, counted_ms, good_ms, parts, good_parts)
  select tenant_id, days, date_bin(days * interval '24 h', shift_date::timestamp, timestamp '1970-01-05')::date, machine_id, sum(sign * planned_ms),
    sum(sign * run_ms), sum(sign * net_ms), sum(sign * counted_ms), sum(sign * good_ms), sum(sign * parts), sum(sign * good_parts)
  from (
    select 1 as sign, a.*, w.* from unnest(added_rows) a, oee_weights(a) w
    union all select -1, r.*, w.* from unnest(subtracted) r, oee_weights(r) w) changed
  cross join (values (7), (28)) length(days)
  where exists (select from machines m where m.tenant_id = changed.tenant_id and m.id = changed.machine_id)
  group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (tenant_id, days, start_date, machine_id) do update set
    planned_ms = r.planned_ms + excluded.planned_ms, run_ms = r.run_ms + excluded.run_ms, net_ms = r.net_ms + excluded.net_ms,
    counted_ms = r.counted_ms + excluded.counted_ms, good_ms = r.good_ms + excluded.good_ms, parts = r.parts + excluded.parts,
    good_parts = r.good_parts + excluded.good_parts;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.weighted_oee(planned_ms numeric, run_ms numeric, net_ms numeric, counted_ms numeric, good_ms numeric, parts numeric, good_parts numeric)
 RETURNS TABLE(availability double precision, performance double precision, quality double precision, oee double precision)
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select (100 * a)::float8, (100 * p)::float8, (100 * q)::float8, (100 * a * coalesce(p, 0) * coalesce(q, 0))::float8
  from (select run_ms / nullif(planned_ms, 0) as a, net_ms / nullif(run_ms, 0) as p,
    coalesce(good_parts / nullif(parts, 0), 1) as of_parts) f
  cross join lateral (
    select case when run_ms > 0 then coalesce((counted_ms * of_parts + good_ms) / nullif(net_ms, 0), of_parts) end as q) quality
$function$;
grant execute on function weighted_oee(numeric,numeric,numeric,numeric,numeric,numeric,numeric) to public;
