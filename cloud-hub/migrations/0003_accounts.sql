CREATE TABLE "roles" (
	"tenant_id" uuid NOT NULL,
	"key" text NOT NULL,
	"name" text NOT NULL,
	"base_tier" text NOT NULL,
	"is_builtin" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "roles_tenant_id_key_pk" PRIMARY KEY("tenant_id","key")
);
--> statement-breakpoint
CREATE TABLE "audit_log" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"actor_name" text,
	"ip" text,
	"request_id" text,
	"action" text NOT NULL,
	"target_type" text NOT NULL,
	"target_id" text,
	"target_name" text,
	"before" jsonb,
	"after" jsonb,
	CONSTRAINT "audit_log_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "mails" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"to_email" text NOT NULL,
	"template" text NOT NULL,
	"locale" text NOT NULL,
	"sealed_params" text NOT NULL,
	"status" text DEFAULT 'waiting' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"error" text,
	"due_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "mails_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "mfa_secrets" (
	"tenant_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"sealed_secret" text NOT NULL,
	"last_step" bigint DEFAULT 0 NOT NULL,
	"enabled_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "mfa_secrets_tenant_id_user_id_pk" PRIMARY KEY("tenant_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "one_time_tokens" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"tenant_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"purpose" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "recovery_codes" (
	"tenant_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"code_hash" text NOT NULL,
	"used_at" timestamp (3) with time zone,
	CONSTRAINT "recovery_codes_tenant_id_user_id_code_hash_pk" PRIMARY KEY("tenant_id","user_id","code_hash")
);
--> statement-breakpoint
CREATE TABLE "sso_configs" (
	"tenant_id" uuid PRIMARY KEY NOT NULL,
	"provider_name" text NOT NULL,
	"client_id" text NOT NULL,
	"sealed_client_secret" text NOT NULL,
	"discovery_url" text NOT NULL,
	"domain" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sso_identities" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"issuer" text NOT NULL,
	"subject" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sso_identities_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "sso_logins" (
	"state_hash" text PRIMARY KEY NOT NULL,
	"tenant_id" uuid NOT NULL,
	"sealed_checks" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "unit_preferences" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "email_prefs" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "is_invited" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "phone" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "timezone" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "locale" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "report_schedule" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "report_emails" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "roles" ADD CONSTRAINT "roles_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_log" ADD CONSTRAINT "audit_log_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mails" ADD CONSTRAINT "mails_tenant_id_user_id_users_tenant_id_id_fk" FOREIGN KEY ("tenant_id","user_id") REFERENCES "public"."users"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mfa_secrets" ADD CONSTRAINT "mfa_secrets_tenant_id_user_id_users_tenant_id_id_fk" FOREIGN KEY ("tenant_id","user_id") REFERENCES "public"."users"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "one_time_tokens" ADD CONSTRAINT "one_time_tokens_tenant_id_user_id_users_tenant_id_id_fk" FOREIGN KEY ("tenant_id","user_id") REFERENCES "public"."users"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_tenant_id_user_id_users_tenant_id_id_fk" FOREIGN KEY ("tenant_id","user_id") REFERENCES "public"."users"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sso_configs" ADD CONSTRAINT "sso_configs_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sso_identities" ADD CONSTRAINT "sso_identities_tenant_id_user_id_users_tenant_id_id_fk" FOREIGN KEY ("tenant_id","user_id") REFERENCES "public"."users"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sso_logins" ADD CONSTRAINT "sso_logins_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "roles_name_key" ON "roles" USING btree ("tenant_id",lower("name"));--> statement-breakpoint
CREATE INDEX "audit_log_at_idx" ON "audit_log" USING btree ("tenant_id","at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "audit_log_target_idx" ON "audit_log" USING btree ("tenant_id","target_id");--> statement-breakpoint
CREATE INDEX "mails_due_idx" ON "mails" USING btree ("due_at") WHERE "mails"."status" = 'waiting';--> statement-breakpoint
CREATE INDEX "mails_created_idx" ON "mails" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "one_time_tokens_user_idx" ON "one_time_tokens" USING btree ("tenant_id","user_id","purpose");--> statement-breakpoint
CREATE INDEX "one_time_tokens_expires_idx" ON "one_time_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "sso_configs_domain_key" ON "sso_configs" USING btree (lower("domain"));--> statement-breakpoint
CREATE UNIQUE INDEX "sso_identities_subject_key" ON "sso_identities" USING btree ("tenant_id","issuer","subject");--> statement-breakpoint
CREATE INDEX "sso_logins_expires_idx" ON "sso_logins" USING btree ("expires_at");--> statement-breakpoint
-- Every tenant has the built-in roles from its first moment on.
CREATE FUNCTION make_builtin_roles() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
begin
  insert into roles (tenant_id, key, name, base_tier, is_builtin)
  values (new.id, 'admin', 'Admin', 'admin', true), (new.id, 'operator', 'Operator', 'operator', true), (new.id, 'viewer', 'Viewer', 'viewer', true);
  return null;
end $$;
CREATE TRIGGER make_builtin_roles AFTER INSERT ON tenants FOR EACH ROW EXECUTE FUNCTION make_builtin_roles();
INSERT INTO roles (tenant_id, key, name, base_tier, is_builtin)
  SELECT id, r.key, initcap(r.key), r.key, true FROM tenants CROSS JOIN unnest(array['admin', 'operator', 'viewer']) r(key);
--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_role_fk" FOREIGN KEY ("tenant_id","role") REFERENCES "public"."roles"("tenant_id","key") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "users_role_idx" ON "users" USING btree ("tenant_id","role");
--> statement-breakpoint
call build_tenant_wall('roles');
call build_tenant_wall('one_time_tokens');
call build_tenant_wall('mfa_secrets');
call build_tenant_wall('recovery_codes');
call build_tenant_wall('sso_configs');
call build_tenant_wall('sso_identities');
call build_tenant_wall('sso_logins');
call build_tenant_wall('mails');
grant update (unit_preferences, email_prefs) on tenants to haltless_app;
--> statement-breakpoint
-- The audit trail. Nobody but the functions below writes it, and nobody changes it.
call build_tenant_wall('audit_log');
revoke insert, update, delete on audit_log from haltless_app, haltless_system;
--> statement-breakpoint
create function audit_view(whole jsonb, keys text[], secrets text[]) returns jsonb language sql immutable as $$
  select case when whole is null then null else (
    select jsonb_object_agg(key, case when key = any (secrets) and whole -> key <> 'null' then '"***"' else whole -> key end)
    from unnest(keys) key) end
$$;
-- Who acts stands in app.actor: {kind, id, name, ip, request_id}; without it (ingest, sweeps) nothing is noted.
-- Arguments of the trigger: what a row is called, columns whose value is a secret, columns that tell nothing.
create function note_change() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
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
end $$;
create procedure build_audit(target regclass, kind text, secrets text default '', ignored text default '') language plpgsql as $$
begin
  execute format('create trigger note_change after insert or update or delete on %s for each row '
    'when (current_setting(''app.actor'', true) <> '''') execute function note_change(%L, %L, %L)', target, kind, secrets, ignored);
end $$;
--> statement-breakpoint
call build_audit('tenants', 'tenant', '', 'facts_version');
call build_audit('users', 'user', 'password_hash', 'last_login_at');
call build_audit('roles', 'role');
call build_audit('api_keys', 'api_key', 'key_hash', 'last_used_at');
call build_audit('sso_configs', 'sso_config', 'sealed_client_secret', 'updated_at');
call build_audit('machines', 'machine', '', 'updated_at,offline_due_at,status_is_manual');
call build_audit('threshold_rules', 'alert_rule', '', 'updated_at');
call build_audit('alerts', 'alert');
call build_audit('notification_channels', 'notification_channel', 'sealed_config', 'updated_at');
--> statement-breakpoint
-- For what changes no row that people own: signing in and out, being refused.
create function note_event(tenant uuid, actor jsonb, action text, target_type text, target_id text, target_name text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tenant <> coalesce(nullif(current_setting('app.tenant_id', true), '')::uuid, tenant) then
    raise exception 'an event of another tenant';
  end if;
  insert into audit_log (tenant_id, at, actor_kind, actor_id, actor_name, ip, request_id, action, target_type, target_id, target_name)
  values (tenant, clock_timestamp(), actor ->> 'kind', actor ->> 'id', actor ->> 'name', actor ->> 'ip', actor ->> 'request_id',
    action, target_type, target_id, target_name);
end $$;
revoke all on function note_change(), note_event(uuid, jsonb, text, text, text, text) from public;
grant execute on function note_event(uuid, jsonb, text, text, text, text) to haltless_app, haltless_system;
--> statement-breakpoint
-- Which hubs are alive, so that one that is alone need not ask; and what they have let through together in the last minute.
create unlogged table hub_replicas (id uuid primary key, seen_at timestamptz not null);
-- `counts` are the last 30 slices of 2 seconds, the newest last; `head` is that one's number since 1970.
create unlogged table rate_windows (bucket text primary key, counts integer[] not null, head bigint not null) with (fillfactor = 70);
create index rate_windows_head_idx on rate_windows (head);
grant select, insert, update, delete on hub_replicas, rate_windows to haltless_system;
-- Takes up to `wanted` places of a bucket of `allowed` a minute for one replica, which then hands them out by itself. `seed` is what it has let
-- through by itself before. Answers what was granted, what is used now, and in how many seconds the oldest places come free.
create function take_places(of_bucket text, wanted integer, allowed integer, seed integer, out granted integer, out used integer, out free_in double precision)
language plpgsql as $$
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
end $$;
revoke all on function take_places(text, integer, integer, integer) from public;
grant execute on function take_places(text, integer, integer, integer) to haltless_system;
--> statement-breakpoint
-- keys rotate
grant update, delete on hub_keys to haltless_system;
