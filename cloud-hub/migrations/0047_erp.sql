CREATE TABLE "erp_backfills" (
	"tenant_id" uuid NOT NULL,
	"connection_id" uuid NOT NULL,
	"entity_type" text NOT NULL,
	"through_id" uuid,
	"is_complete" boolean DEFAULT false NOT NULL,
	CONSTRAINT "erp_backfills_tenant_id_connection_id_entity_type_pk" PRIMARY KEY("tenant_id","connection_id","entity_type")
);
--> statement-breakpoint
CREATE TABLE "erp_changes" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"entity_type" text NOT NULL,
	"entity_id" uuid NOT NULL,
	CONSTRAINT "erp_changes_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "erp_connections" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"provider" text NOT NULL,
	"name" text NOT NULL,
	"masked_config" jsonb NOT NULL,
	"sealed_config" text NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"auto_push_work_orders" boolean DEFAULT false NOT NULL,
	"auto_push_production_data" boolean DEFAULT false NOT NULL,
	"auto_push_downtime" boolean DEFAULT false NOT NULL,
	"auto_pull_assets" boolean DEFAULT false NOT NULL,
	"sync_interval_minutes" integer DEFAULT 60 NOT NULL,
	"field_mapping" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"paused_at" timestamp (3) with time zone,
	"next_run_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"failures_in_a_row" integer DEFAULT 0 NOT NULL,
	"breaker_open_until" timestamp (3) with time zone,
	"last_sync_at" timestamp (3) with time zone,
	"last_sync_status" text,
	"created_by" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "erp_connections_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "erp_records" (
	"tenant_id" uuid NOT NULL,
	"connection_id" uuid NOT NULL,
	"entity_type" text NOT NULL,
	"entity_id" uuid NOT NULL,
	"external_id" text,
	"sent_hash" text,
	"is_due" boolean DEFAULT true NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "erp_records_tenant_id_connection_id_entity_type_entity_id_pk" PRIMARY KEY("tenant_id","connection_id","entity_type","entity_id")
);
--> statement-breakpoint
CREATE TABLE "erp_runs" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"connection_id" uuid NOT NULL,
	"direction" text NOT NULL,
	"entity_type" text NOT NULL,
	"entity_id" uuid,
	"trigger" text NOT NULL,
	"status" text DEFAULT 'running' NOT NULL,
	"total" integer,
	"succeeded" integer DEFAULT 0 NOT NULL,
	"failed" integer DEFAULT 0 NOT NULL,
	"skipped" integer DEFAULT 0 NOT NULL,
	"error_message" text,
	"next_page" text,
	"leased_until" timestamp (3) with time zone NOT NULL,
	"leased_by" uuid NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "erp_runs_tenant_id_id_pk" PRIMARY KEY("tenant_id","id"),
	CONSTRAINT "erp_runs_end_check" CHECK (("erp_runs"."status" = 'running') = ("erp_runs"."ended_at" is null))
);
--> statement-breakpoint
CREATE TABLE "erp_sync_logs" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"erp_connection_id" uuid NOT NULL,
	"run_id" uuid NOT NULL,
	"direction" text NOT NULL,
	"entity_type" text NOT NULL,
	"entity_id" uuid,
	"external_id" text,
	"status" text NOT NULL,
	"error_message" text,
	"request_summary" text,
	"response_summary" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "erp_sync_logs_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
ALTER TABLE "erp_backfills" ADD CONSTRAINT "erp_backfills_tenant_id_connection_id_erp_connections_tenant_id_id_fk" FOREIGN KEY ("tenant_id","connection_id") REFERENCES "public"."erp_connections"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "erp_changes" ADD CONSTRAINT "erp_changes_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "erp_connections" ADD CONSTRAINT "erp_connections_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "erp_records" ADD CONSTRAINT "erp_records_tenant_id_connection_id_erp_connections_tenant_id_id_fk" FOREIGN KEY ("tenant_id","connection_id") REFERENCES "public"."erp_connections"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "erp_runs" ADD CONSTRAINT "erp_runs_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "erp_runs" ADD CONSTRAINT "erp_runs_tenant_id_connection_id_erp_connections_tenant_id_id_fk" FOREIGN KEY ("tenant_id","connection_id") REFERENCES "public"."erp_connections"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "erp_sync_logs" ADD CONSTRAINT "erp_sync_logs_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "erp_changes_id_idx" ON "erp_changes" USING btree ("id");--> statement-breakpoint
CREATE INDEX "erp_connections_due_idx" ON "erp_connections" USING btree ("next_run_at") WHERE "erp_connections"."is_active" and "erp_connections"."paused_at" is null;--> statement-breakpoint
CREATE INDEX "erp_records_due_idx" ON "erp_records" USING btree ("tenant_id","connection_id","entity_type","next_attempt_at","entity_id") WHERE "erp_records"."is_due";--> statement-breakpoint
CREATE UNIQUE INDEX "erp_runs_running_key" ON "erp_runs" USING btree ("tenant_id","connection_id") WHERE "erp_runs"."status" = 'running';--> statement-breakpoint
CREATE INDEX "erp_runs_newest_idx" ON "erp_runs" USING btree ("tenant_id","connection_id","started_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "erp_runs_lease_idx" ON "erp_runs" USING btree ("leased_until") WHERE "erp_runs"."status" = 'running';--> statement-breakpoint
CREATE INDEX "erp_runs_ended_idx" ON "erp_runs" USING btree ("ended_at");--> statement-breakpoint
CREATE INDEX "erp_sync_logs_newest_idx" ON "erp_sync_logs" USING btree ("tenant_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "erp_sync_logs_connection_idx" ON "erp_sync_logs" USING btree ("tenant_id","erp_connection_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "erp_sync_logs_run_idx" ON "erp_sync_logs" USING btree ("tenant_id","run_id","id");--> statement-breakpoint
CREATE INDEX "erp_sync_logs_created_idx" ON "erp_sync_logs" USING btree ("created_at");--> statement-breakpoint
call build_tenant_wall('erp_connections');
--> statement-breakpoint
call build_tenant_wall('erp_changes');
--> statement-breakpoint
call build_tenant_wall('erp_backfills');
--> statement-breakpoint
call build_tenant_wall('erp_records');
--> statement-breakpoint
call build_tenant_wall('erp_runs');
--> statement-breakpoint
call build_tenant_wall('erp_sync_logs');
