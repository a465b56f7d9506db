-- The schema as of November 2026: tables, indexes, row-level security and grants. Functions, triggers and policies are in `functions/`.
-- functions: bfbdda804b3a549ff8174ec93ee1fb7503551bee576369ab96ee2087b8bed37f

grant usage on schema drizzle to haltless_system;--> statement-breakpoint
grant usage on schema public to haltless_app;--> statement-breakpoint
grant usage on schema public to haltless_ingest;--> statement-breakpoint
grant usage on schema public to haltless_system;--> statement-breakpoint

create table agent_releases (
  version text not null,
  sequence bigint not null,
  release jsonb not null,
  added_at timestamp(3) with time zone not null,
  constraint agent_releases_pkey PRIMARY KEY (version),
  constraint agent_releases_sequence_unique UNIQUE (sequence)
);--> statement-breakpoint
grant select on agent_releases to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on agent_releases to haltless_system;--> statement-breakpoint

create table attachment_deletions (
  tenant_id uuid not null,
  storage_key text not null,
  attempts integer not null default 0,
  error text,
  due_at timestamp(3) with time zone not null default now(),
  created_at timestamp(3) with time zone not null default now(),
  constraint attachment_deletions_tenant_id_storage_key_pk PRIMARY KEY (tenant_id, storage_key)
);--> statement-breakpoint
CREATE INDEX attachment_deletions_due_idx
  ON public.attachment_deletions USING btree (due_at);--> statement-breakpoint
alter table attachment_deletions enable row level security;--> statement-breakpoint
grant select on attachment_deletions to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on attachment_deletions to haltless_system;--> statement-breakpoint

create table attachment_uploads (
  tenant_id uuid not null,
  storage_key text not null,
  size_bytes bigint not null,
  expires_at timestamp(3) with time zone not null,
  constraint attachment_uploads_tenant_id_storage_key_pk PRIMARY KEY (tenant_id, storage_key)
);--> statement-breakpoint
CREATE INDEX attachment_uploads_expiry_idx
  ON public.attachment_uploads USING btree (expires_at);--> statement-breakpoint
alter table attachment_uploads enable row level security;--> statement-breakpoint
grant delete, insert, select, update on attachment_uploads to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on attachment_uploads to haltless_system;--> statement-breakpoint

create table deleted_resources (
  tenant_id uuid not null,
  kind text not null,
  id uuid not null,
  machine_id uuid not null,
  deleted_at timestamp(3) with time zone not null,
  constraint deleted_resources_tenant_id_kind_id_pk PRIMARY KEY (tenant_id, kind, id)
);--> statement-breakpoint
CREATE INDEX deleted_resources_age_idx
  ON public.deleted_resources USING btree (deleted_at);--> statement-breakpoint
CREATE INDEX deleted_resources_newest_idx
  ON public.deleted_resources USING btree (tenant_id, deleted_at);--> statement-breakpoint
alter table deleted_resources enable row level security;--> statement-breakpoint
grant select on deleted_resources to haltless_app;--> statement-breakpoint
grant delete, select on deleted_resources to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX downtime_figures_coverage_idx
  ON public.downtime_figures USING btree (tenant_id, ended_at, machine_id, attributed_from);--> statement-breakpoint
CREATE INDEX downtime_figures_reliability_idx
  ON public.downtime_figures USING btree (tenant_id, started_at, machine_id, repair_seconds, starts_failure, previous_failure_at, uptime_before_seconds);--> statement-breakpoint
alter table downtime_figures enable row level security;--> statement-breakpoint
grant select on downtime_figures to haltless_app;--> statement-breakpoint
grant select on downtime_figures to haltless_system;--> statement-breakpoint

grant select on drizzle.__drizzle_migrations to haltless_system;--> statement-breakpoint

-- What identifies this database to the hubs that start on it: a fingerprint of their SECRET_KEY (src/db/identity.ts).
create table hub_identity (
  is_only_row boolean not null default true,
  secret_key_fingerprint text not null,
  constraint hub_identity_pkey PRIMARY KEY (is_only_row),
  constraint hub_identity_is_only_row_check CHECK (is_only_row)
);--> statement-breakpoint
grant select on hub_identity to haltless_system;--> statement-breakpoint

create table hub_keys (
  name text not null,
  public_key text not null,
  sealed_private_key text not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint hub_keys_pkey PRIMARY KEY (name)
);--> statement-breakpoint
grant delete, insert, select, update on hub_keys to haltless_system;--> statement-breakpoint

-- Which hubs run, and what they can read.
create unlogged table hub_replicas (
  id uuid not null,
  seen_at timestamp with time zone not null,
  wire_versions smallint[] not null default '{1}'::smallint[],
  reads_arrivals boolean not null default false,
  constraint hub_replicas_pkey PRIMARY KEY (id)
);--> statement-breakpoint
grant delete, insert, select, update on hub_replicas to haltless_system;--> statement-breakpoint

create table login_throttle (
  subject text not null,
  failures timestamp(3) with time zone[] not null,
  reserved timestamp(3) with time zone[] not null,
  locked_until timestamp(3) with time zone,
  updated_at timestamp(3) with time zone not null,
  constraint login_throttle_pkey PRIMARY KEY (subject)
);--> statement-breakpoint
CREATE INDEX login_throttle_updated_idx
  ON public.login_throttle USING btree (updated_at);--> statement-breakpoint
grant delete, insert, select, update on login_throttle to haltless_system;--> statement-breakpoint

-- What the hubs have let through in the last minute. `counts` are the last 30 slices of 2 seconds, the newest last; `head` is its number since 1970.
create unlogged table rate_windows (
  bucket text not null,
  counts integer[] not null,
  head bigint not null,
  constraint rate_windows_pkey PRIMARY KEY (bucket)
)
with (fillfactor=70);--> statement-breakpoint
CREATE INDEX rate_windows_head_idx
  ON public.rate_windows USING btree (head);--> statement-breakpoint
grant delete, insert, select, update on rate_windows to haltless_system;--> statement-breakpoint

-- What flushes stored of series of several machines: the level above the tail (docs/decisions/0042-arrivals.md).
-- `series_group` is the id of the series divided by 128. No foreign key: sections of series that are gone are dropped when the row is divided.
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
with (toast_tuple_target=8160, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=2000, autovacuum_vacuum_cost_delay=0);--> statement-breakpoint
alter table reading_arrivals enable row level security;--> statement-breakpoint
grant select on reading_arrivals to haltless_app;--> statement-breakpoint
grant insert, select on reading_arrivals to haltless_ingest;--> statement-breakpoint
grant delete, insert, select, update on reading_arrivals to haltless_system;--> statement-breakpoint

-- A Bloom filter over some runs of a day (telemetry/readings/keys/key-filter.ts). Rows never change; several become one.
-- `bits` belong to each run, and `n` is the number of keys.
create table reading_key_filters (
  tenant_id uuid not null,
  id bigint not null,
  day date not null,
  runs bigint[] not null,
  bits smallint[] not null,
  n bigint not null,
  filter bytea storage external not null,
  constraint reading_key_filters_pkey PRIMARY KEY (tenant_id, id)
);--> statement-breakpoint
alter table reading_key_filters enable row level security;--> statement-breakpoint
grant select on reading_key_filters to haltless_app;--> statement-breakpoint
grant select on reading_key_filters to haltless_ingest;--> statement-breakpoint
grant delete, insert, select, update on reading_key_filters to haltless_system;--> statement-breakpoint

-- Sealed keys: a run has 2^bits pages by the first bits of the key. Rows never change, and partitions are dropped with their day.
create table reading_key_pages (
  tenant_id uuid not null,
  day date not null,
  run bigint not null,
  page integer not null,
  keys bytea storage external not null,
  constraint reading_key_pages_pkey PRIMARY KEY (tenant_id, run, page, day)
)
partition by RANGE (day);--> statement-breakpoint
alter table reading_key_pages enable row level security;--> statement-breakpoint
grant select on reading_key_pages to haltless_app;--> statement-breakpoint
grant select on reading_key_pages to haltless_ingest;--> statement-breakpoint
grant delete, insert, select, update on reading_key_pages to haltless_system;--> statement-breakpoint

-- Idempotency keys as they came: a row for each flush and tenant, 16 bytes a key. `day` is that of the first use.
-- `id` ascends in the order of commits, because flushes lock their tenants.
create table reading_key_tail (
  tenant_id uuid not null,
  id bigint not null generated always as identity,
  day date not null,
  keys bytea storage external not null,
  constraint reading_key_tail_pkey PRIMARY KEY (tenant_id, id)
)
with (autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=500, autovacuum_vacuum_cost_delay=0, toast.autovacuum_vacuum_scale_factor=0.05, toast.autovacuum_vacuum_threshold=2000, toast.autovacuum_vacuum_cost_delay=0);--> statement-breakpoint
alter table reading_key_tail enable row level security;--> statement-breakpoint
grant select on reading_key_tail to haltless_app;--> statement-breakpoint
grant insert, select on reading_key_tail to haltless_ingest;--> statement-breakpoint
grant delete, insert, select, update on reading_key_tail to haltless_system;--> statement-breakpoint

-- Recent readings as they came: sections of several series, not compressed (telemetry/readings/codec/tail-body.ts).
-- No foreign key on machines, because it would lock the machine's row in every flush: forget_tail deletes the rows of deleted machines.
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
with (toast_tuple_target=8160, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=2000, autovacuum_vacuum_cost_delay=0);--> statement-breakpoint
alter table reading_tail enable row level security;--> statement-breakpoint
grant select on reading_tail to haltless_app;--> statement-breakpoint
grant insert, select on reading_tail to haltless_ingest;--> statement-breakpoint
grant delete, insert, select, update on reading_tail to haltless_system;--> statement-breakpoint

create table sending_quotas (
  subject text not null,
  sent timestamp(3) with time zone[] not null,
  updated_at timestamp(3) with time zone not null,
  constraint sending_quotas_pkey PRIMARY KEY (subject)
);--> statement-breakpoint
CREATE INDEX sending_quotas_updated_idx
  ON public.sending_quotas USING btree (updated_at);--> statement-breakpoint
grant delete, insert, select, update on sending_quotas to haltless_system;--> statement-breakpoint

create unlogged table source_pollers (
  id uuid not null,
  seen_at timestamp with time zone not null,
  constraint source_pollers_pkey PRIMARY KEY (id)
);--> statement-breakpoint
grant delete, insert, select, update on source_pollers to haltless_system;--> statement-breakpoint

-- The partitions of reading_blocks, reading_minutes and reading_key_pages.
create table store_partitions (
  name text not null,
  parent text not null,
  lower timestamp with time zone not null,
  upper timestamp with time zone not null,
  constraint store_partitions_pkey PRIMARY KEY (name),
  constraint store_partitions_parent_lower_key UNIQUE (parent, lower)
);--> statement-breakpoint
grant select on store_partitions to haltless_system;--> statement-breakpoint

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
  constraint tenants_pkey PRIMARY KEY (id)
);--> statement-breakpoint
alter table tenants enable row level security;--> statement-breakpoint
grant select on tenants to haltless_app;--> statement-breakpoint
grant update (auto_shift_logs, email_prefs, name, narratives_enabled, time_zone, unit_preferences) on tenants to haltless_app;--> statement-breakpoint
grant select (facts_version, has_tag_mappings, id) on tenants to haltless_ingest;--> statement-breakpoint
grant delete, insert, select, update on tenants to haltless_system;--> statement-breakpoint

create table agent_release_pieces (
  version text not null,
  platform text not null,
  piece integer not null,
  content bytea storage external not null,
  constraint agent_release_pieces_version_platform_piece_pk PRIMARY KEY (version, platform, piece),
  constraint agent_release_pieces_version_agent_releases_version_fk FOREIGN KEY (version)
    REFERENCES agent_releases(version)
    ON DELETE CASCADE
);--> statement-breakpoint
grant select on agent_release_pieces to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on agent_release_pieces to haltless_system;--> statement-breakpoint

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
  constraint agent_rollouts_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint agent_rollouts_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);--> statement-breakpoint
CREATE INDEX agent_rollouts_ended_idx
  ON public.agent_rollouts USING btree (ended_at);--> statement-breakpoint
CREATE INDEX agent_rollouts_newest_idx
  ON public.agent_rollouts USING btree (tenant_id, created_at DESC NULLS LAST, id DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX agent_rollouts_open_idx
  ON public.agent_rollouts USING btree (id)
  WHERE (ended_at IS NULL);--> statement-breakpoint
alter table agent_rollouts enable row level security;--> statement-breakpoint
grant delete, insert, select, update on agent_rollouts to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on agent_rollouts to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
alter table agent_sources enable row level security;--> statement-breakpoint
grant delete, insert, select, update on agent_sources to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on agent_sources to haltless_system;--> statement-breakpoint

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
  constraint agents_tenant_id_agent_id_pk PRIMARY KEY (tenant_id, agent_id),
  constraint agents_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);--> statement-breakpoint
CREATE INDEX agents_released_idx
  ON public.agents USING btree (tenant_id, agent_id)
  WHERE (released_at IS NOT NULL);--> statement-breakpoint
alter table agents enable row level security;--> statement-breakpoint
grant delete, insert, select, update on agents to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on agents to haltless_system;--> statement-breakpoint

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
  constraint api_keys_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint api_keys_prefix_unique UNIQUE (prefix),
  constraint api_keys_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);--> statement-breakpoint
CREATE UNIQUE INDEX api_keys_activated_key
  ON public.api_keys USING btree (tenant_id, agent_id)
  WHERE ((agent_id IS NOT NULL) AND is_active AND (activated_at IS NOT NULL));--> statement-breakpoint
CREATE INDEX api_keys_agent_idx
  ON public.api_keys USING btree (tenant_id, agent_id)
  WHERE (agent_id IS NOT NULL);--> statement-breakpoint
CREATE UNIQUE INDEX api_keys_pending_key
  ON public.api_keys USING btree (tenant_id, agent_id)
  WHERE ((agent_id IS NOT NULL) AND is_active AND (activated_at IS NULL));--> statement-breakpoint
alter table api_keys enable row level security;--> statement-breakpoint
grant delete, insert, select, update on api_keys to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on api_keys to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX audit_log_at_idx
  ON public.audit_log USING btree (tenant_id, at DESC NULLS LAST, id DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX audit_log_target_idx
  ON public.audit_log USING btree (tenant_id, target_id);--> statement-breakpoint
alter table audit_log enable row level security;--> statement-breakpoint
grant select on audit_log to haltless_app;--> statement-breakpoint
grant select on audit_log to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE UNIQUE INDEX checklists_name_key
  ON public.checklists USING btree (tenant_id, lower(name));--> statement-breakpoint
alter table checklists enable row level security;--> statement-breakpoint
grant delete, insert, select, update on checklists to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on checklists to haltless_system;--> statement-breakpoint

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
  constraint enrolment_keys_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint enrolment_keys_prefix_unique UNIQUE (prefix),
  constraint enrolment_keys_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);--> statement-breakpoint
CREATE INDEX enrolment_keys_expires_idx
  ON public.enrolment_keys USING btree (expires_at);--> statement-breakpoint
alter table enrolment_keys enable row level security;--> statement-breakpoint
grant delete, insert, select, update on enrolment_keys to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on enrolment_keys to haltless_system;--> statement-breakpoint

create table erp_changes (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  entity_type text not null,
  entity_id uuid not null,
  constraint erp_changes_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint erp_changes_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);--> statement-breakpoint
CREATE INDEX erp_changes_id_idx
  ON public.erp_changes USING btree (id);--> statement-breakpoint
alter table erp_changes enable row level security;--> statement-breakpoint
grant delete, insert, select, update on erp_changes to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on erp_changes to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX erp_connections_due_idx
  ON public.erp_connections USING btree (next_run_at)
  WHERE (is_active AND (paused_at IS NULL));--> statement-breakpoint
alter table erp_connections enable row level security;--> statement-breakpoint
grant delete, insert, select, update on erp_connections to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on erp_connections to haltless_system;--> statement-breakpoint

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
  constraint erp_sync_logs_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint erp_sync_logs_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);--> statement-breakpoint
CREATE INDEX erp_sync_logs_connection_idx
  ON public.erp_sync_logs USING btree (tenant_id, erp_connection_id, created_at DESC NULLS LAST, id DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX erp_sync_logs_created_idx
  ON public.erp_sync_logs USING btree (created_at);--> statement-breakpoint
CREATE INDEX erp_sync_logs_entity_idx
  ON public.erp_sync_logs USING btree (tenant_id, entity_id, created_at DESC NULLS LAST, id DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX erp_sync_logs_failed_idx
  ON public.erp_sync_logs USING btree (tenant_id, created_at DESC NULLS LAST, id DESC NULLS LAST)
  WHERE (status = 'failed'::text);--> statement-breakpoint
CREATE INDEX erp_sync_logs_newest_idx
  ON public.erp_sync_logs USING btree (tenant_id, created_at DESC NULLS LAST, id DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX erp_sync_logs_run_idx
  ON public.erp_sync_logs USING btree (tenant_id, run_id, id);--> statement-breakpoint
alter table erp_sync_logs enable row level security;--> statement-breakpoint
grant delete, insert, select, update on erp_sync_logs to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on erp_sync_logs to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX machine_groups_parent_idx
  ON public.machine_groups USING btree (tenant_id, parent_id);--> statement-breakpoint
alter table machine_groups enable row level security;--> statement-breakpoint
grant delete, insert, select, update on machine_groups to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on machine_groups to haltless_system;--> statement-breakpoint

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
)
with (fillfactor=80);--> statement-breakpoint
CREATE INDEX machines_name_idx
  ON public.machines USING btree (tenant_id, name COLLATE "und-x-icu", id);--> statement-breakpoint
CREATE INDEX machines_offline_due_idx
  ON public.machines USING btree (offline_due_at)
  WHERE (is_active AND (offline_due_at IS NOT NULL));--> statement-breakpoint
alter table machines enable row level security;--> statement-breakpoint
grant delete, insert, select, update on machines to haltless_app;--> statement-breakpoint
grant select on machines to haltless_ingest;--> statement-breakpoint
grant update (offline_due_at, status, status_is_manual) on machines to haltless_ingest;--> statement-breakpoint
grant delete, insert, select, update on machines to haltless_system;--> statement-breakpoint

create table non_production_days (
  tenant_id uuid not null,
  date date not null,
  name text not null,
  constraint non_production_days_tenant_id_date_pk PRIMARY KEY (tenant_id, date),
  constraint non_production_days_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);--> statement-breakpoint
alter table non_production_days enable row level security;--> statement-breakpoint
grant delete, insert, select, update on non_production_days to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on non_production_days to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE UNIQUE INDEX notification_channels_endpoint_idx
  ON public.notification_channels USING btree (tenant_id, ((masked_config ->> 'endpoint_hash'::text)))
  WHERE (channel_type = 'push'::text);--> statement-breakpoint
alter table notification_channels enable row level security;--> statement-breakpoint
grant delete, insert, select, update on notification_channels to haltless_app;--> statement-breakpoint
grant select (audience, channel_type, id, is_active, notify_on_alert, subject_kind, tenant_id, xmin) on notification_channels to haltless_ingest;--> statement-breakpoint
grant delete, insert, select, update on notification_channels to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE UNIQUE INDEX reason_codes_code_key
  ON public.reason_codes USING btree (tenant_id, code);--> statement-breakpoint
CREATE INDEX reason_codes_parent_idx
  ON public.reason_codes USING btree (tenant_id, parent_id);--> statement-breakpoint
alter table reason_codes enable row level security;--> statement-breakpoint
grant delete, insert, select, update on reason_codes to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on reason_codes to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE UNIQUE INDEX roles_name_key
  ON public.roles USING btree (tenant_id, lower(name));--> statement-breakpoint
alter table roles enable row level security;--> statement-breakpoint
grant delete, insert, select, update on roles to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on roles to haltless_system;--> statement-breakpoint

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
  constraint shift_definitions_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint shift_definitions_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);--> statement-breakpoint
alter table shift_definitions enable row level security;--> statement-breakpoint
grant delete, insert, select, update on shift_definitions to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on shift_definitions to haltless_system;--> statement-breakpoint

create table shift_log_runs (
  tenant_id uuid not null,
  started_through timestamp(3) with time zone not null,
  constraint shift_log_runs_pkey PRIMARY KEY (tenant_id),
  constraint shift_log_runs_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);--> statement-breakpoint
alter table shift_log_runs enable row level security;--> statement-breakpoint
grant delete, insert, select, update on shift_log_runs to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on shift_log_runs to haltless_system;--> statement-breakpoint

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
  constraint shift_oee_days_tenant_id_shift_date_shift_definition_id_pk PRIMARY KEY (tenant_id, shift_date, shift_definition_id),
  constraint shift_oee_days_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE
);--> statement-breakpoint
alter table shift_oee_days enable row level security;--> statement-breakpoint
grant delete, insert, select, update on shift_oee_days to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on shift_oee_days to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX signoff_chains_anchored_idx
  ON public.signoff_chains USING btree (anchored_at);--> statement-breakpoint
alter table signoff_chains enable row level security;--> statement-breakpoint
grant delete, insert, select, update on signoff_chains to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on signoff_chains to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX sso_configs_claims_idx
  ON public.sso_configs USING btree (lower(domain));--> statement-breakpoint
CREATE UNIQUE INDEX sso_configs_domain_key
  ON public.sso_configs USING btree (lower(domain))
  WHERE (domain_verified_at IS NOT NULL);--> statement-breakpoint
alter table sso_configs enable row level security;--> statement-breakpoint
grant delete, insert, select, update on sso_configs to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on sso_configs to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX sso_logins_expires_idx
  ON public.sso_logins USING btree (expires_at);--> statement-breakpoint
alter table sso_logins enable row level security;--> statement-breakpoint
grant delete, insert, select, update on sso_logins to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on sso_logins to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX agent_dictionaries_used_idx
  ON public.agent_dictionaries USING btree (used_at);--> statement-breakpoint
alter table agent_dictionaries enable row level security;--> statement-breakpoint
grant delete, insert, select, update on agent_dictionaries to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on agent_dictionaries to haltless_system;--> statement-breakpoint

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
  constraint agent_rollout_agents_tenant_id_rollout_id_agent_id_pk PRIMARY KEY (tenant_id, rollout_id, agent_id),
  constraint agent_rollout_agents_tenant_id_agent_id_agents_tenant_id_agent_ FOREIGN KEY (tenant_id, agent_id)
    REFERENCES agents(tenant_id, agent_id)
    ON DELETE CASCADE,
  constraint agent_rollout_agents_tenant_id_rollout_id_agent_rollouts_tenant FOREIGN KEY (tenant_id, rollout_id)
    REFERENCES agent_rollouts(tenant_id, id)
    ON DELETE CASCADE
);--> statement-breakpoint
CREATE UNIQUE INDEX agent_rollout_agents_open_key
  ON public.agent_rollout_agents USING btree (tenant_id, agent_id)
  WHERE (state = ANY (ARRAY['pending'::text, 'announced'::text, 'waiting'::text, 'downloading'::text, 'verified'::text, 'switched'::text]));--> statement-breakpoint
CREATE INDEX agent_rollout_agents_wave_idx
  ON public.agent_rollout_agents USING btree (tenant_id, rollout_id, wave);--> statement-breakpoint
alter table agent_rollout_agents enable row level security;--> statement-breakpoint
grant delete, insert, select, update on agent_rollout_agents to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on agent_rollout_agents to haltless_system;--> statement-breakpoint

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
  is_muted boolean not null default false,
  constraint alerts_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint alerts_tenant_id_machine_id_machines_tenant_id_id_fk FOREIGN KEY (tenant_id, machine_id)
    REFERENCES machines(tenant_id, id)
    ON DELETE CASCADE
);--> statement-breakpoint
CREATE INDEX alerts_acknowledged_idx
  ON public.alerts USING btree (tenant_id, acknowledged_at)
  WHERE (acknowledged_at IS NOT NULL);--> statement-breakpoint
CREATE INDEX alerts_cleared_idx
  ON public.alerts USING btree (tenant_id, cleared_at)
  WHERE (cleared_at IS NOT NULL);--> statement-breakpoint
CREATE INDEX alerts_machine_idx
  ON public.alerts USING btree (tenant_id, machine_id, created_at DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX alerts_newest_idx
  ON public.alerts USING btree (tenant_id, created_at DESC NULLS LAST, id DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX alerts_open_idx
  ON public.alerts USING btree (tenant_id, severity)
  WHERE (acknowledged_at IS NULL);--> statement-breakpoint
CREATE INDEX alerts_snoozed_idx
  ON public.alerts USING btree (tenant_id, snoozed_until)
  WHERE (snoozed_until IS NOT NULL);--> statement-breakpoint
CREATE INDEX alerts_standing_idx
  ON public.alerts USING btree (tenant_id, rule_id, machine_id, unit)
  WHERE (cleared_at IS NULL);--> statement-breakpoint
alter table alerts enable row level security;--> statement-breakpoint
grant delete, insert, select, update on alerts to haltless_app;--> statement-breakpoint
grant insert, select on alerts to haltless_ingest;--> statement-breakpoint
grant update (cleared_at) on alerts to haltless_ingest;--> statement-breakpoint
grant delete, insert, select, update on alerts to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX composite_rules_concern_idx
  ON public.composite_rules USING btree (tenant_id, machine_id)
  WHERE is_active;--> statement-breakpoint
alter table composite_rules enable row level security;--> statement-breakpoint
grant delete, insert, select, update on composite_rules to haltless_app;--> statement-breakpoint
grant select on composite_rules to haltless_ingest;--> statement-breakpoint
grant delete, insert, select, update on composite_rules to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX data_gaps_machine_idx
  ON public.data_gaps USING btree (tenant_id, machine_identifier, from_at DESC NULLS LAST, id DESC NULLS LAST);--> statement-breakpoint
alter table data_gaps enable row level security;--> statement-breakpoint
grant delete, insert, select, update on data_gaps to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on data_gaps to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX delivery_attempts_age_idx
  ON public.delivery_attempts USING btree (attempted_at);--> statement-breakpoint
CREATE INDEX delivery_attempts_channel_idx
  ON public.delivery_attempts USING btree (tenant_id, channel_id, attempted_at DESC NULLS LAST, id DESC NULLS LAST);--> statement-breakpoint
alter table delivery_attempts enable row level security;--> statement-breakpoint
grant delete, insert, select, update on delivery_attempts to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on delivery_attempts to haltless_system;--> statement-breakpoint

create table delivery_windows (
  tenant_id uuid not null,
  channel_id uuid not null,
  until timestamp(3) with time zone not null,
  sent integer not null,
  constraint delivery_windows_tenant_id_channel_id_pk PRIMARY KEY (tenant_id, channel_id),
  constraint delivery_windows_tenant_id_channel_id_notification_channels_ten FOREIGN KEY (tenant_id, channel_id)
    REFERENCES notification_channels(tenant_id, id)
    ON DELETE CASCADE
);--> statement-breakpoint
alter table delivery_windows enable row level security;--> statement-breakpoint
grant delete, insert, select, update on delivery_windows to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on delivery_windows to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX downtime_detections_code_idx
  ON public.downtime_detections USING btree (tenant_id, reason_code_id)
  WHERE (reason_code_id IS NOT NULL);--> statement-breakpoint
CREATE INDEX downtime_detections_due_idx
  ON public.downtime_detections USING btree (next_check_at)
  WHERE (next_check_at IS NOT NULL);--> statement-breakpoint
alter table downtime_detections enable row level security;--> statement-breakpoint
grant delete, insert, select, update on downtime_detections to haltless_app;--> statement-breakpoint
grant select on downtime_detections to haltless_ingest;--> statement-breakpoint
grant delete, insert, select, update on downtime_detections to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX downtime_records_code_idx
  ON public.downtime_records USING btree (tenant_id, reason_code_id)
  WHERE (reason_code_id IS NOT NULL);--> statement-breakpoint
CREATE INDEX downtime_records_created_idx
  ON public.downtime_records USING btree (tenant_id, created_at, id);--> statement-breakpoint
CREATE INDEX downtime_records_duration_idx
  ON public.downtime_records USING btree (tenant_id, ((ended_at - started_at)), id);--> statement-breakpoint
CREATE INDEX downtime_records_ended_idx
  ON public.downtime_records USING btree (tenant_id, ended_at, id);--> statement-breakpoint
CREATE INDEX downtime_records_machine_idx
  ON public.downtime_records USING btree (tenant_id, machine_id, started_at, id);--> statement-breakpoint
CREATE UNIQUE INDEX downtime_records_ongoing_key
  ON public.downtime_records USING btree (tenant_id, machine_id)
  WHERE (ended_at IS NULL);--> statement-breakpoint
CREATE INDEX downtime_records_started_idx
  ON public.downtime_records USING btree (tenant_id, started_at, id);--> statement-breakpoint
CREATE INDEX downtime_records_type_idx
  ON public.downtime_records USING btree (tenant_id, reason_type, started_at, id);--> statement-breakpoint
CREATE INDEX downtime_records_updated_idx
  ON public.downtime_records USING btree (tenant_id, updated_at);--> statement-breakpoint
alter table downtime_records enable row level security;--> statement-breakpoint
grant delete, insert, select, update on downtime_records to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on downtime_records to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
alter table erp_backfills enable row level security;--> statement-breakpoint
grant delete, insert, select, update on erp_backfills to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on erp_backfills to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX erp_records_due_idx
  ON public.erp_records USING btree (tenant_id, connection_id, entity_type, next_attempt_at, entity_id)
  WHERE is_due;--> statement-breakpoint
alter table erp_records enable row level security;--> statement-breakpoint
grant delete, insert, select, update on erp_records to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on erp_records to haltless_system;--> statement-breakpoint

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
  constraint erp_runs_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint erp_runs_tenant_id_connection_id_erp_connections_tenant_id_id_f FOREIGN KEY (tenant_id, connection_id)
    REFERENCES erp_connections(tenant_id, id)
    ON DELETE CASCADE,
  constraint erp_runs_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id)
    REFERENCES tenants(id)
    ON DELETE CASCADE,
  constraint erp_runs_end_check CHECK (((status = 'running'::text) = (ended_at IS NULL)))
);--> statement-breakpoint
CREATE INDEX erp_runs_ended_idx
  ON public.erp_runs USING btree (ended_at);--> statement-breakpoint
CREATE INDEX erp_runs_lease_idx
  ON public.erp_runs USING btree (leased_until)
  WHERE (status = 'running'::text);--> statement-breakpoint
CREATE INDEX erp_runs_newest_idx
  ON public.erp_runs USING btree (tenant_id, connection_id, started_at DESC NULLS LAST, id DESC NULLS LAST);--> statement-breakpoint
CREATE UNIQUE INDEX erp_runs_running_key
  ON public.erp_runs USING btree (tenant_id, connection_id)
  WHERE (status = 'running'::text);--> statement-breakpoint
alter table erp_runs enable row level security;--> statement-breakpoint
grant delete, insert, select, update on erp_runs to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on erp_runs to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
alter table escalation_policies enable row level security;--> statement-breakpoint
grant delete, insert, select, update on escalation_policies to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on escalation_policies to haltless_system;--> statement-breakpoint

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
with (fillfactor=70);--> statement-breakpoint
CREATE INDEX ingest_sources_agent_idx
  ON public.ingest_sources USING btree (tenant_id, agent_id)
  WHERE (agent_id IS NOT NULL);--> statement-breakpoint
CREATE INDEX ingest_sources_hub_idx
  ON public.ingest_sources USING btree (id)
  WHERE (is_active AND (agent_id IS NULL));--> statement-breakpoint
CREATE INDEX ingest_sources_machine_idx
  ON public.ingest_sources USING btree (tenant_id, machine_id);--> statement-breakpoint
alter table ingest_sources enable row level security;--> statement-breakpoint
grant delete, insert, select, update on ingest_sources to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on ingest_sources to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX machine_group_members_machine_idx
  ON public.machine_group_members USING btree (tenant_id, machine_id);--> statement-breakpoint
alter table machine_group_members enable row level security;--> statement-breakpoint
grant delete, insert, select, update on machine_group_members to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on machine_group_members to haltless_system;--> statement-breakpoint

-- The newest readings of up to 64 series of a machine: entries of fixed width (telemetry/readings/latest/entries.ts).
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
with (fillfactor=50, toast_tuple_target=8160, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_cost_delay=0);--> statement-breakpoint
alter table machine_latest enable row level security;--> statement-breakpoint
grant select on machine_latest to haltless_app;--> statement-breakpoint
grant insert, select, update on machine_latest to haltless_ingest;--> statement-breakpoint
grant delete, insert, select, update on machine_latest to haltless_system;--> statement-breakpoint

create table machine_oee_days (
  tenant_id uuid not null,
  machine_id uuid not null,
  shift_date date not null,
  oee_count integer not null,
  oee_sum_ppb bigint not null,
  constraint machine_oee_days_tenant_id_shift_date_machine_id_pk PRIMARY KEY (tenant_id, shift_date, machine_id),
  constraint machine_oee_days_tenant_id_machine_id_machines_tenant_id_id_fk FOREIGN KEY (tenant_id, machine_id)
    REFERENCES machines(tenant_id, id)
    ON DELETE CASCADE
);--> statement-breakpoint
CREATE INDEX machine_oee_days_sums_idx
  ON public.machine_oee_days USING btree (tenant_id, shift_date, machine_id, oee_count, oee_sum_ppb);--> statement-breakpoint
alter table machine_oee_days enable row level security;--> statement-breakpoint
grant delete, insert, select, update on machine_oee_days to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on machine_oee_days to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
alter table machine_predictions enable row level security;--> statement-breakpoint
grant select on machine_predictions to haltless_app;--> statement-breakpoint
grant update (narratives) on machine_predictions to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on machine_predictions to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX prediction_history_recorded_idx
  ON public.prediction_history USING btree (recorded_at);--> statement-breakpoint
alter table prediction_history enable row level security;--> statement-breakpoint
grant select on prediction_history to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on prediction_history to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
alter table series enable row level security;--> statement-breakpoint
grant delete, insert, select, update on series to haltless_app;--> statement-breakpoint
grant insert, select on series to haltless_ingest;--> statement-breakpoint
grant delete, insert, select, update on series to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE UNIQUE INDEX shift_logs_active_key
  ON public.shift_logs USING btree (tenant_id, machine_id)
  WHERE (status = 'active'::text);--> statement-breakpoint
CREATE UNIQUE INDEX shift_logs_automatic_key
  ON public.shift_logs USING btree (tenant_id, machine_id, shift_definition_id, shift_date)
  WHERE (automatic_end IS NOT NULL);--> statement-breakpoint
CREATE INDEX shift_logs_completed_idx
  ON public.shift_logs USING btree (tenant_id, machine_id, actual_end, actual_start)
  WHERE (status = 'completed'::text);--> statement-breakpoint
CREATE INDEX shift_logs_date_idx
  ON public.shift_logs USING btree (tenant_id, shift_date, actual_start, id);--> statement-breakpoint
CREATE INDEX shift_logs_definition_idx
  ON public.shift_logs USING btree (tenant_id, shift_definition_id);--> statement-breakpoint
CREATE INDEX shift_logs_due_idx
  ON public.shift_logs USING btree (automatic_end)
  WHERE ((status = 'active'::text) AND (automatic_end IS NOT NULL));--> statement-breakpoint
CREATE INDEX shift_logs_machine_idx
  ON public.shift_logs USING btree (tenant_id, machine_id, shift_date, actual_start, id);--> statement-breakpoint
CREATE INDEX shift_logs_updated_idx
  ON public.shift_logs USING btree (tenant_id, updated_at);--> statement-breakpoint
alter table shift_logs enable row level security;--> statement-breakpoint
grant delete, insert, select, update on shift_logs to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on shift_logs to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX signal_changes_id_idx
  ON public.signal_changes USING btree (id);--> statement-breakpoint
CREATE INDEX signal_changes_machine_idx
  ON public.signal_changes USING btree (tenant_id, machine_id);--> statement-breakpoint
alter table signal_changes enable row level security;--> statement-breakpoint
grant delete, insert, select, update on signal_changes to haltless_app;--> statement-breakpoint
grant insert on signal_changes to haltless_ingest;--> statement-breakpoint
grant delete, insert, select, update on signal_changes to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX tag_mappings_confirmed_idx
  ON public.tag_mappings USING btree (tenant_id, machine_id)
  WHERE is_confirmed;--> statement-breakpoint
alter table tag_mappings enable row level security;--> statement-breakpoint
grant delete, insert, select, update on tag_mappings to haltless_app;--> statement-breakpoint
grant select on tag_mappings to haltless_ingest;--> statement-breakpoint
grant delete, insert, select, update on tag_mappings to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX threshold_rules_concern_idx
  ON public.threshold_rules USING btree (tenant_id, metric_name, machine_id)
  WHERE is_active;--> statement-breakpoint
alter table threshold_rules enable row level security;--> statement-breakpoint
grant delete, insert, select, update on threshold_rules to haltless_app;--> statement-breakpoint
grant select on threshold_rules to haltless_ingest;--> statement-breakpoint
grant delete, insert, select, update on threshold_rules to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE UNIQUE INDEX users_email_key
  ON public.users USING btree (lower(email));--> statement-breakpoint
CREATE INDEX users_role_idx
  ON public.users USING btree (tenant_id, role);--> statement-breakpoint
alter table users enable row level security;--> statement-breakpoint
grant delete, insert, select, update on users to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on users to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX alert_comments_alert_idx
  ON public.alert_comments USING btree (tenant_id, alert_id, created_at, id);--> statement-breakpoint
alter table alert_comments enable row level security;--> statement-breakpoint
grant insert, select on alert_comments to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on alert_comments to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX alert_history_alert_idx
  ON public.alert_history USING btree (tenant_id, alert_id, at, id);--> statement-breakpoint
alter table alert_history enable row level security;--> statement-breakpoint
grant select on alert_history to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on alert_history to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX anomaly_events_ended_idx
  ON public.anomaly_events USING btree (ended_at);--> statement-breakpoint
CREATE INDEX anomaly_events_machine_idx
  ON public.anomaly_events USING btree (tenant_id, machine_id, started_at DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX anomaly_events_standing_idx
  ON public.anomaly_events USING btree (series_id)
  WHERE (ended_at IS NULL);--> statement-breakpoint
alter table anomaly_events enable row level security;--> statement-breakpoint
grant delete, insert, select, update on anomaly_events to haltless_app;--> statement-breakpoint
grant insert, select on anomaly_events to haltless_ingest;--> statement-breakpoint
grant update (ended_at) on anomaly_events to haltless_ingest;--> statement-breakpoint
grant delete, insert, select, update on anomaly_events to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
alter table baselines enable row level security;--> statement-breakpoint
grant delete, insert, select, update on baselines to haltless_app;--> statement-breakpoint
grant select on baselines to haltless_ingest;--> statement-breakpoint
grant delete, insert, select, update on baselines to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX calendar_tokens_user_idx
  ON public.calendar_tokens USING btree (tenant_id, user_id, created_at);--> statement-breakpoint
alter table calendar_tokens enable row level security;--> statement-breakpoint
grant delete, insert, select, update on calendar_tokens to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on calendar_tokens to haltless_system;--> statement-breakpoint

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
with (fillfactor=70);--> statement-breakpoint
CREATE INDEX composite_conditions_due_idx
  ON public.composite_conditions USING btree (due_at)
  WHERE (due_at IS NOT NULL);--> statement-breakpoint
CREATE INDEX composite_conditions_machine_idx
  ON public.composite_conditions USING btree (tenant_id, machine_id);--> statement-breakpoint
alter table composite_conditions enable row level security;--> statement-breakpoint
grant delete, insert, select, update on composite_conditions to haltless_app;--> statement-breakpoint
grant select, update on composite_conditions to haltless_ingest;--> statement-breakpoint
grant delete, insert, select, update on composite_conditions to haltless_system;--> statement-breakpoint

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
with (fillfactor=80);--> statement-breakpoint
CREATE INDEX deliveries_alert_idx
  ON public.deliveries USING btree (tenant_id, alert_id);--> statement-breakpoint
CREATE INDEX deliveries_channel_subject_idx
  ON public.deliveries USING btree (tenant_id, channel_id, subject);--> statement-breakpoint
CREATE INDEX deliveries_due_idx
  ON public.deliveries USING btree (due_at)
  WHERE (status = 'waiting'::text);--> statement-breakpoint
CREATE INDEX deliveries_ended_idx
  ON public.deliveries USING btree (created_at)
  WHERE (status = ANY (ARRAY['delivered'::text, 'refused'::text]));--> statement-breakpoint
CREATE INDEX deliveries_gathering_idx
  ON public.deliveries USING btree (due_at)
  WHERE (status = 'gathering'::text);--> statement-breakpoint
CREATE INDEX deliveries_lead_idx
  ON public.deliveries USING btree (tenant_id, lead_id)
  WHERE (lead_id IS NOT NULL);--> statement-breakpoint
CREATE INDEX deliveries_turn_idx
  ON public.deliveries USING btree (tenant_id, channel_id, subject, ((event <> 'raised'::text)), id)
  WHERE ((status = 'waiting'::text) AND (subject IS NOT NULL));--> statement-breakpoint
alter table deliveries enable row level security;--> statement-breakpoint
grant delete, insert, select, update on deliveries to haltless_app;--> statement-breakpoint
grant insert on deliveries to haltless_ingest;--> statement-breakpoint
grant delete, insert, select, update on deliveries to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX escalations_alert_idx
  ON public.escalations USING btree (tenant_id, alert_id);--> statement-breakpoint
alter table escalations enable row level security;--> statement-breakpoint
grant delete, insert, select, update on escalations to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on escalations to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX mails_created_idx
  ON public.mails USING btree (created_at);--> statement-breakpoint
CREATE INDEX mails_due_idx
  ON public.mails USING btree (due_at)
  WHERE (status = 'waiting'::text);--> statement-breakpoint
alter table mails enable row level security;--> statement-breakpoint
grant delete, insert, select, update on mails to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on mails to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX maintenance_events_alert_idx
  ON public.maintenance_events USING btree (tenant_id, linked_alert_id)
  WHERE (linked_alert_id IS NOT NULL);--> statement-breakpoint
CREATE INDEX maintenance_events_assigned_idx
  ON public.maintenance_events USING btree (tenant_id, assigned_to, scheduled_start)
  WHERE (assigned_to IS NOT NULL);--> statement-breakpoint
CREATE INDEX maintenance_events_checklist_idx
  ON public.maintenance_events USING btree (tenant_id, checklist_id)
  WHERE (checklist_id IS NOT NULL);--> statement-breakpoint
CREATE INDEX maintenance_events_fill_idx
  ON public.maintenance_events USING btree (next_occurrence_at)
  WHERE (next_occurrence_at IS NOT NULL);--> statement-breakpoint
CREATE INDEX maintenance_events_machine_idx
  ON public.maintenance_events USING btree (tenant_id, machine_id, scheduled_start, id);--> statement-breakpoint
CREATE INDEX maintenance_events_muting_idx
  ON public.maintenance_events USING btree (tenant_id, machine_id)
  WHERE (status = 'in_progress'::text);--> statement-breakpoint
CREATE UNIQUE INDEX maintenance_events_occurrence_key
  ON public.maintenance_events USING btree (tenant_id, parent_event_id, occurrence)
  WHERE (parent_event_id IS NOT NULL);--> statement-breakpoint
CREATE INDEX maintenance_events_overrun_idx
  ON public.maintenance_events USING btree (scheduled_end)
  WHERE (status = 'in_progress'::text);--> statement-breakpoint
CREATE INDEX maintenance_events_reminder_idx
  ON public.maintenance_events USING btree (scheduled_start)
  WHERE (status = 'scheduled'::text);--> statement-breakpoint
CREATE INDEX maintenance_events_start_idx
  ON public.maintenance_events USING btree (tenant_id, scheduled_start, id);--> statement-breakpoint
CREATE INDEX maintenance_events_status_idx
  ON public.maintenance_events USING btree (tenant_id, status, scheduled_start, id);--> statement-breakpoint
CREATE INDEX maintenance_events_updated_idx
  ON public.maintenance_events USING btree (tenant_id, updated_at);--> statement-breakpoint
alter table maintenance_events enable row level security;--> statement-breakpoint
grant delete, insert, select, update on maintenance_events to haltless_app;--> statement-breakpoint
grant select (machine_id, status, tenant_id) on maintenance_events to haltless_ingest;--> statement-breakpoint
grant delete, insert, select, update on maintenance_events to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
alter table mfa_secrets enable row level security;--> statement-breakpoint
grant delete, insert, select, update on mfa_secrets to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on mfa_secrets to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX oee_changes_id_idx
  ON public.oee_changes USING btree (id);--> statement-breakpoint
CREATE INDEX oee_changes_log_idx
  ON public.oee_changes USING btree (tenant_id, shift_log_id)
  WHERE (shift_log_id IS NOT NULL);--> statement-breakpoint
alter table oee_changes enable row level security;--> statement-breakpoint
grant delete, insert, select, update on oee_changes to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on oee_changes to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX one_time_tokens_expires_idx
  ON public.one_time_tokens USING btree (expires_at);--> statement-breakpoint
CREATE INDEX one_time_tokens_user_idx
  ON public.one_time_tokens USING btree (tenant_id, user_id, purpose);--> statement-breakpoint
alter table one_time_tokens enable row level security;--> statement-breakpoint
grant delete, insert, select, update on one_time_tokens to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on one_time_tokens to haltless_system;--> statement-breakpoint

create table prediction_series (
  tenant_id uuid not null,
  series_id integer not null,
  first_day integer not null,
  medians double precision[] not null default '{}'::double precision[],
  constraint prediction_series_tenant_id_series_id_pk PRIMARY KEY (tenant_id, series_id),
  constraint prediction_series_tenant_id_series_id_series_tenant_id_id_fk FOREIGN KEY (tenant_id, series_id)
    REFERENCES series(tenant_id, id)
    ON DELETE CASCADE
);--> statement-breakpoint
alter table prediction_series enable row level security;--> statement-breakpoint
grant select on prediction_series to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on prediction_series to haltless_system;--> statement-breakpoint

-- Sealed readings of a series within one UTC day (telemetry/readings/codec/block.ts). Blocks of a series never overlap.
-- `hours` are statistics by hour; empty for a small block.
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
partition by RANGE (t0);--> statement-breakpoint
alter table reading_blocks enable row level security;--> statement-breakpoint
grant select on reading_blocks to haltless_app;--> statement-breakpoint
grant select on reading_blocks to haltless_ingest;--> statement-breakpoint
grant delete, insert, select, update on reading_blocks to haltless_system;--> statement-breakpoint

-- Blocks of days that are not over or not merged yet. Their churn stays out of the partitions.
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
with (autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=2000, autovacuum_vacuum_cost_delay=0);--> statement-breakpoint
CREATE INDEX reading_blocks_open_t0_idx
  ON public.reading_blocks_open USING btree (t0);--> statement-breakpoint
alter table reading_blocks_open enable row level security;--> statement-breakpoint
grant select on reading_blocks_open to haltless_app;--> statement-breakpoint
grant select on reading_blocks_open to haltless_ingest;--> statement-breakpoint
grant delete, insert, select, update on reading_blocks_open to haltless_system;--> statement-breakpoint

-- What remains of readings that retention has removed, by UTC day: statistics by hour (telemetry/readings/codec/statistics.ts).
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
);--> statement-breakpoint
alter table reading_hours enable row level security;--> statement-breakpoint
grant select on reading_hours to haltless_app;--> statement-breakpoint
grant select on reading_hours to haltless_ingest;--> statement-breakpoint
grant delete, insert, select, update on reading_hours to haltless_system;--> statement-breakpoint

-- The same by minute. `times` are the instants of the readings, so that readings which are sent again are recognised.
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
partition by RANGE (day);--> statement-breakpoint
alter table reading_minutes enable row level security;--> statement-breakpoint
grant select on reading_minutes to haltless_app;--> statement-breakpoint
grant select on reading_minutes to haltless_ingest;--> statement-breakpoint
grant delete, insert, select, update on reading_minutes to haltless_system;--> statement-breakpoint

create table recovery_codes (
  tenant_id uuid not null,
  user_id uuid not null,
  code_hash text not null,
  used_at timestamp(3) with time zone,
  constraint recovery_codes_tenant_id_user_id_code_hash_pk PRIMARY KEY (tenant_id, user_id, code_hash),
  constraint recovery_codes_tenant_id_user_id_users_tenant_id_id_fk FOREIGN KEY (tenant_id, user_id)
    REFERENCES users(tenant_id, id)
    ON DELETE CASCADE
);--> statement-breakpoint
alter table recovery_codes enable row level security;--> statement-breakpoint
grant delete, insert, select, update on recovery_codes to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on recovery_codes to haltless_system;--> statement-breakpoint

create table report_turns (
  tenant_id uuid not null,
  user_id uuid not null,
  schedule text not null,
  due_at timestamp(3) with time zone not null,
  constraint report_turns_tenant_id_user_id_pk PRIMARY KEY (tenant_id, user_id),
  constraint report_turns_tenant_id_user_id_users_tenant_id_id_fk FOREIGN KEY (tenant_id, user_id)
    REFERENCES users(tenant_id, id)
    ON DELETE CASCADE
);--> statement-breakpoint
CREATE INDEX report_turns_due_idx
  ON public.report_turns USING btree (due_at);--> statement-breakpoint
alter table report_turns enable row level security;--> statement-breakpoint
grant delete, insert, select, update on report_turns to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on report_turns to haltless_system;--> statement-breakpoint

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
with (fillfactor=70);--> statement-breakpoint
CREATE INDEX rule_conditions_machine_idx
  ON public.rule_conditions USING btree (tenant_id, machine_id);--> statement-breakpoint
alter table rule_conditions enable row level security;--> statement-breakpoint
grant delete, insert, select, update on rule_conditions to haltless_app;--> statement-breakpoint
grant insert, select, update on rule_conditions to haltless_ingest;--> statement-breakpoint
grant delete, insert, select, update on rule_conditions to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX sessions_expires_idx
  ON public.sessions USING btree (expires_at);--> statement-breakpoint
CREATE INDEX sessions_user_idx
  ON public.sessions USING btree (tenant_id, user_id);--> statement-breakpoint
alter table sessions enable row level security;--> statement-breakpoint
grant delete, insert, select, update on sessions to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on sessions to haltless_system;--> statement-breakpoint

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
  constraint shift_log_oee_tenant_id_shift_log_id_pk PRIMARY KEY (tenant_id, shift_log_id),
  constraint shift_log_oee_tenant_id_shift_log_id_shift_logs_tenant_id_id_fk FOREIGN KEY (tenant_id, shift_log_id)
    REFERENCES shift_logs(tenant_id, id)
    ON DELETE CASCADE
);--> statement-breakpoint
CREATE INDEX shift_log_oee_machine_idx
  ON public.shift_log_oee USING btree (tenant_id, machine_id, shift_date);--> statement-breakpoint
alter table shift_log_oee enable row level security;--> statement-breakpoint
grant delete, insert, select, update on shift_log_oee to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on shift_log_oee to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE UNIQUE INDEX sso_identities_subject_key
  ON public.sso_identities USING btree (tenant_id, issuer, subject);--> statement-breakpoint
alter table sso_identities enable row level security;--> statement-breakpoint
grant delete, insert, select, update on sso_identities to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on sso_identities to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX work_orders_alert_idx
  ON public.work_orders USING btree (tenant_id, alert_id)
  WHERE (alert_id IS NOT NULL);--> statement-breakpoint
CREATE UNIQUE INDEX work_orders_alert_key
  ON public.work_orders USING btree (tenant_id, alert_id)
  WHERE ((alert_id IS NOT NULL) AND (status = ANY (ARRAY['open'::text, 'in_progress'::text])));--> statement-breakpoint
CREATE INDEX work_orders_assigned_idx
  ON public.work_orders USING btree (tenant_id, assigned_to, created_at DESC NULLS LAST)
  WHERE (assigned_to IS NOT NULL);--> statement-breakpoint
CREATE INDEX work_orders_due_idx
  ON public.work_orders USING btree (tenant_id, due_date, id)
  WHERE (status = ANY (ARRAY['open'::text, 'in_progress'::text]));--> statement-breakpoint
CREATE INDEX work_orders_event_idx
  ON public.work_orders USING btree (tenant_id, maintenance_event_id)
  WHERE (maintenance_event_id IS NOT NULL);--> statement-breakpoint
CREATE UNIQUE INDEX work_orders_event_key
  ON public.work_orders USING btree (tenant_id, maintenance_event_id)
  WHERE ((maintenance_event_id IS NOT NULL) AND (status = ANY (ARRAY['open'::text, 'in_progress'::text])));--> statement-breakpoint
CREATE INDEX work_orders_machine_idx
  ON public.work_orders USING btree (tenant_id, machine_id, created_at DESC NULLS LAST, id DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX work_orders_newest_idx
  ON public.work_orders USING btree (tenant_id, created_at DESC NULLS LAST, id DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX work_orders_priority_idx
  ON public.work_orders USING btree (tenant_id, priority, created_at DESC NULLS LAST, id DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX work_orders_reminder_idx
  ON public.work_orders USING btree (due_date)
  WHERE (status = ANY (ARRAY['open'::text, 'in_progress'::text]));--> statement-breakpoint
CREATE INDEX work_orders_status_idx
  ON public.work_orders USING btree (tenant_id, status, created_at DESC NULLS LAST, id DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX work_orders_updated_idx
  ON public.work_orders USING btree (tenant_id, updated_at);--> statement-breakpoint
alter table work_orders enable row level security;--> statement-breakpoint
grant delete, insert, select, update on work_orders to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on work_orders to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX attachments_event_idx
  ON public.attachments USING btree (tenant_id, maintenance_event_id, created_at, id)
  WHERE (maintenance_event_id IS NOT NULL);--> statement-breakpoint
CREATE INDEX attachments_order_idx
  ON public.attachments USING btree (tenant_id, work_order_id, created_at, id)
  WHERE (work_order_id IS NOT NULL);--> statement-breakpoint
CREATE INDEX attachments_size_idx
  ON public.attachments USING btree (tenant_id, size_bytes);--> statement-breakpoint
alter table attachments enable row level security;--> statement-breakpoint
grant delete, insert, select, update on attachments to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on attachments to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
alter table certificates enable row level security;--> statement-breakpoint
grant delete, insert, select, update on certificates to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on certificates to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX refresh_tokens_session_idx
  ON public.refresh_tokens USING btree (tenant_id, session_id);--> statement-breakpoint
alter table refresh_tokens enable row level security;--> statement-breakpoint
grant delete, insert, select, update on refresh_tokens to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on refresh_tokens to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
alter table signoffs enable row level security;--> statement-breakpoint
grant insert, select on signoffs to haltless_app;--> statement-breakpoint
grant insert, select on signoffs to haltless_system;--> statement-breakpoint

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
  constraint work_messages_tenant_id_id_pk PRIMARY KEY (tenant_id, id),
  constraint work_messages_tenant_id_channel_id_notification_channels_tenant FOREIGN KEY (tenant_id, channel_id)
    REFERENCES notification_channels(tenant_id, id)
    ON DELETE CASCADE,
  constraint work_messages_tenant_id_maintenance_event_id_maintenance_events FOREIGN KEY (tenant_id, maintenance_event_id)
    REFERENCES maintenance_events(tenant_id, id)
    ON DELETE CASCADE,
  constraint work_messages_tenant_id_user_id_users_tenant_id_id_fk FOREIGN KEY (tenant_id, user_id)
    REFERENCES users(tenant_id, id)
    ON DELETE CASCADE,
  constraint work_messages_tenant_id_work_order_id_work_orders_tenant_id_id_ FOREIGN KEY (tenant_id, work_order_id)
    REFERENCES work_orders(tenant_id, id)
    ON DELETE CASCADE,
  constraint work_messages_subject_check CHECK ((num_nonnulls(work_order_id, maintenance_event_id) = 1))
);--> statement-breakpoint
CREATE INDEX work_messages_channel_idx
  ON public.work_messages USING btree (tenant_id, channel_id)
  WHERE (channel_id IS NOT NULL);--> statement-breakpoint
CREATE INDEX work_messages_created_idx
  ON public.work_messages USING btree (created_at);--> statement-breakpoint
CREATE INDEX work_messages_due_idx
  ON public.work_messages USING btree (due_at)
  WHERE (status = 'waiting'::text);--> statement-breakpoint
CREATE INDEX work_messages_event_idx
  ON public.work_messages USING btree (tenant_id, maintenance_event_id)
  WHERE (maintenance_event_id IS NOT NULL);--> statement-breakpoint
CREATE INDEX work_messages_order_idx
  ON public.work_messages USING btree (tenant_id, work_order_id)
  WHERE (work_order_id IS NOT NULL);--> statement-breakpoint
CREATE INDEX work_messages_user_idx
  ON public.work_messages USING btree (tenant_id, user_id);--> statement-breakpoint
alter table work_messages enable row level security;--> statement-breakpoint
grant delete, insert, select, update on work_messages to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on work_messages to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX work_order_assignees_user_idx
  ON public.work_order_assignees USING btree (tenant_id, user_id);--> statement-breakpoint
alter table work_order_assignees enable row level security;--> statement-breakpoint
grant delete, insert, select, update on work_order_assignees to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on work_order_assignees to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX work_order_comments_order_idx
  ON public.work_order_comments USING btree (tenant_id, work_order_id, created_at, id);--> statement-breakpoint
alter table work_order_comments enable row level security;--> statement-breakpoint
grant delete, insert, select, update on work_order_comments to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on work_order_comments to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX work_order_history_order_idx
  ON public.work_order_history USING btree (tenant_id, work_order_id, at, id);--> statement-breakpoint
alter table work_order_history enable row level security;--> statement-breakpoint
grant insert, select on work_order_history to haltless_app;--> statement-breakpoint
grant insert, select on work_order_history to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX work_reminders_event_idx
  ON public.work_reminders USING btree (tenant_id, maintenance_event_id)
  WHERE (maintenance_event_id IS NOT NULL);--> statement-breakpoint
alter table work_reminders enable row level security;--> statement-breakpoint
grant delete, insert, select, update on work_reminders to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on work_reminders to haltless_system;--> statement-breakpoint

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
);--> statement-breakpoint
CREATE INDEX work_order_instructions_attachment_idx
  ON public.work_order_instructions USING btree (tenant_id, attachment_id)
  WHERE (attachment_id IS NOT NULL);--> statement-breakpoint
CREATE INDEX work_order_instructions_order_idx
  ON public.work_order_instructions USING btree (tenant_id, work_order_id, step_order, created_at, id);--> statement-breakpoint
alter table work_order_instructions enable row level security;--> statement-breakpoint
grant delete, insert, select, update on work_order_instructions to haltless_app;--> statement-breakpoint
grant delete, insert, select, update on work_order_instructions to haltless_system;--> statement-breakpoint

create sequence reading_key_filters_id_seq;--> statement-breakpoint
grant usage on sequence reading_key_filters_id_seq to haltless_system;--> statement-breakpoint
grant usage on sequence series_id_seq to haltless_app;--> statement-breakpoint
grant usage on sequence series_id_seq to haltless_ingest;--> statement-breakpoint
grant usage on sequence series_id_seq to haltless_system;
