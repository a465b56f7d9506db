CREATE TABLE "agent_sources" (
	"tenant_id" uuid NOT NULL,
	"agent_id" text NOT NULL,
	"revision" bigint NOT NULL,
	"running_revision" bigint,
	"fault" text,
	CONSTRAINT "agent_sources_tenant_id_agent_id_pk" PRIMARY KEY("tenant_id","agent_id")
);
--> statement-breakpoint
CREATE TABLE "ingest_sources" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"machine_id" uuid NOT NULL,
	"name" text NOT NULL,
	"protocol" text NOT NULL,
	"host" text NOT NULL,
	"port" integer NOT NULL,
	"poll_interval_seconds" integer NOT NULL,
	"is_active" boolean NOT NULL,
	"agent_id" text,
	"config" jsonb NOT NULL,
	"sealed_secrets" text,
	"tag_count" integer NOT NULL,
	"last_polled_at" timestamp (3) with time zone,
	"last_error" text,
	"leased_by" uuid,
	"leased_until" timestamp (3) with time zone,
	"version" bigint DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ingest_sources_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
ALTER TABLE "agent_sources" ADD CONSTRAINT "agent_sources_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ingest_sources" ADD CONSTRAINT "ingest_sources_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ingest_sources" ADD CONSTRAINT "ingest_sources_tenant_id_machine_id_machines_tenant_id_id_fk" FOREIGN KEY ("tenant_id","machine_id") REFERENCES "public"."machines"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "ingest_sources_machine_idx" ON "ingest_sources" USING btree ("tenant_id","machine_id");--> statement-breakpoint
CREATE INDEX "ingest_sources_agent_idx" ON "ingest_sources" USING btree ("tenant_id","agent_id") WHERE "ingest_sources"."agent_id" is not null;--> statement-breakpoint
CREATE INDEX "ingest_sources_hub_idx" ON "ingest_sources" USING btree ("id") WHERE "ingest_sources"."is_active" and "ingest_sources"."agent_id" is null;
--> statement-breakpoint
call build_tenant_wall('ingest_sources');
call build_tenant_wall('agent_sources');
call build_audit('ingest_sources', 'ingest_source', 'sealed_secrets',
  'updated_at,version,tag_count,agent_id,last_polled_at,last_error,leased_by,leased_until');
-- What is polled is written seldom, how it does every few seconds: room for that beside the row.
alter table ingest_sources set (fillfactor = 70);
-- The hubs that poll, so that each takes its share.
create unlogged table source_pollers (id uuid primary key, seen_at timestamptz not null);
grant select, insert, update, delete on source_pollers to haltless_system;
--> statement-breakpoint
-- Every way of changing what is polled passes here, so none can be forgotten. Whoever polls is told at the commit: `tenant/agent`, or '' for hubs.
-- The revision's row is locked until then, so whoever sees a revision sees all changes up to it.
create function tell_poller(tenant uuid, agent text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if agent is not null then
    insert into agent_sources as a (tenant_id, agent_id, revision) select id, agent, 1 from tenants where id = tenant
    on conflict (tenant_id, agent_id) do update set revision = a.revision + 1;
  end if;
  perform pg_notify('haltless_sources', coalesce(tenant::text || '/' || agent, ''));
end $$;
revoke all on function tell_poller(uuid, text) from public;
--> statement-breakpoint
create function source_version() returns trigger language plpgsql as $$
begin
  new.version := old.version + 1;
  return new;
end $$;
create trigger source_version before update of machine_id, name, protocol, host, port, poll_interval_seconds, is_active, agent_id, config, sealed_secrets
  on ingest_sources for each row execute function source_version();
create function source_changed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if TG_OP <> 'INSERT' then perform tell_poller(old.tenant_id, old.agent_id); end if;
  if TG_OP <> 'DELETE' and (TG_OP = 'INSERT' or new.agent_id is distinct from old.agent_id) then
    perform tell_poller(new.tenant_id, new.agent_id);
  end if;
  return null;
end $$;
create trigger source_changed after insert or delete or
  update of machine_id, name, protocol, host, port, poll_interval_seconds, is_active, agent_id, config, sealed_secrets
  on ingest_sources for each row execute function source_changed();
--> statement-breakpoint
-- A deactivated machine is not polled.
create function sources_of_machine_changed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform tell_poller(new.tenant_id, agent)
  from (select distinct agent_id as agent from ingest_sources where tenant_id = new.tenant_id and machine_id = new.id order by 1) agents;
  return null;
end $$;
create trigger sources_of_machine_changed after update of is_active, machine_identifier on machines for each row
  when ((old.machine_identifier, old.is_active) is distinct from (new.machine_identifier, new.is_active))
  execute function sources_of_machine_changed();
