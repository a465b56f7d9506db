CREATE TABLE "anomaly_events" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"machine_id" uuid NOT NULL,
	"series_id" integer NOT NULL,
	"metric_name" text NOT NULL,
	"unit" text NOT NULL,
	"value" double precision NOT NULL,
	"sigma" double precision NOT NULL,
	"baseline_mean" double precision NOT NULL,
	"baseline_std_dev" double precision NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "anomaly_events_tenant_id_id_pk" PRIMARY KEY("tenant_id","id"),
	CONSTRAINT "anomaly_events_start_key" UNIQUE("series_id","started_at")
);
--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "has_tag_mappings" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "latest_readings" ADD COLUMN "is_anomalous" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "anomaly_events" ADD CONSTRAINT "anomaly_events_series_id_series_id_fk" FOREIGN KEY ("series_id") REFERENCES "public"."series"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "anomaly_events" ADD CONSTRAINT "anomaly_events_tenant_id_machine_id_machines_tenant_id_id_fk" FOREIGN KEY ("tenant_id","machine_id") REFERENCES "public"."machines"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "anomaly_events_machine_idx" ON "anomaly_events" USING btree ("tenant_id","machine_id","started_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "anomaly_events_standing_idx" ON "anomaly_events" USING btree ("series_id") WHERE "anomaly_events"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "anomaly_events_ended_idx" ON "anomaly_events" USING btree ("ended_at");--> statement-breakpoint
CREATE INDEX "alerts_acknowledged_idx" ON "alerts" USING btree ("tenant_id","acknowledged_at") WHERE "alerts"."acknowledged_at" is not null;--> statement-breakpoint
CREATE INDEX "alerts_snoozed_idx" ON "alerts" USING btree ("tenant_id","snoozed_until") WHERE "alerts"."snoozed_until" is not null;--> statement-breakpoint
CREATE INDEX "alerts_cleared_idx" ON "alerts" USING btree ("tenant_id","cleared_at") WHERE "alerts"."cleared_at" is not null;
--> statement-breakpoint
-- A mapping counts for flushes once it is confirmed: suggestions change nothing.
create function change_mapping_facts() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update tenants t set
    facts_version = facts_version + 1,
    has_tag_mappings = exists (select from tag_mappings m where m.tenant_id = t.id and m.is_confirmed)
  where id in (select distinct tenant_id from changed where is_confirmed);
  return null;
end $$;
create trigger mappings_made after insert on tag_mappings referencing new table as changed for each statement execute function change_mapping_facts();
create trigger mappings_changed after update on tag_mappings referencing new table as changed for each statement execute function change_mapping_facts();
create trigger mappings_deleted after delete on tag_mappings referencing old table as changed for each statement execute function change_mapping_facts();
update tenants t set facts_version = facts_version + 1, has_tag_mappings = true
  where exists (select from tag_mappings m where m.tenant_id = t.id and m.is_confirmed);
--> statement-breakpoint
grant select (has_tag_mappings) on tenants to haltless_ingest;
drop trigger note_change on tenants;
call build_audit('tenants', 'tenant', '', 'facts_version,has_tag_mappings');
--> statement-breakpoint
call build_tenant_wall('anomaly_events');
call let_ingest('anomaly_events', 'select, insert, update (ended_at)');
