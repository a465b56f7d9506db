CREATE TABLE "machine_oee_days" (
	"tenant_id" uuid NOT NULL,
	"machine_id" uuid NOT NULL,
	"shift_date" date NOT NULL,
	"oee_count" integer NOT NULL,
	"oee_sum_ppb" bigint NOT NULL,
	CONSTRAINT "machine_oee_days_tenant_id_shift_date_machine_id_pk" PRIMARY KEY("tenant_id","shift_date","machine_id")
);
--> statement-breakpoint
CREATE TABLE "non_production_days" (
	"tenant_id" uuid NOT NULL,
	"date" date NOT NULL,
	"name" text NOT NULL,
	CONSTRAINT "non_production_days_tenant_id_date_pk" PRIMARY KEY("tenant_id","date")
);
--> statement-breakpoint
CREATE TABLE "oee_changes" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"shift_log_id" uuid,
	"has_new_counts" boolean DEFAULT false NOT NULL,
	"reason_code_id" uuid,
	"machine_id" uuid,
	"from_at" timestamp (3) with time zone,
	"until_at" timestamp (3) with time zone,
	"writer" bigint DEFAULT pg_current_xact_id()::text::bigint NOT NULL,
	"is_read" boolean DEFAULT false NOT NULL,
	CONSTRAINT "oee_changes_tenant_id_id_pk" PRIMARY KEY("tenant_id","id"),
	CONSTRAINT "oee_changes_subject_check" CHECK (num_nonnulls("oee_changes"."shift_log_id", "oee_changes"."reason_code_id", "oee_changes"."machine_id") = 1)
);
--> statement-breakpoint
CREATE TABLE "shift_definitions" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"name" text NOT NULL,
	"start_time" time NOT NULL,
	"end_time" time NOT NULL,
	"duration_minutes" integer NOT NULL,
	"color" text NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"sort_order" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "shift_definitions_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "shift_log_oee" (
	"tenant_id" uuid NOT NULL,
	"shift_log_id" uuid NOT NULL,
	"machine_id" uuid NOT NULL,
	"shift_definition_id" uuid NOT NULL,
	"shift_date" date NOT NULL,
	"planned_ms" bigint NOT NULL,
	"not_scheduled_ms" bigint NOT NULL,
	"availability_loss_ms" bigint NOT NULL,
	"performance_loss_ms" bigint NOT NULL,
	"quality_loss_ms" bigint NOT NULL,
	"downtime_ms" bigint NOT NULL,
	"total_count" double precision,
	"good_count" double precision,
	"ideal_cycle_seconds" double precision,
	"oee_ppb" bigint,
	"availability_ppb" bigint,
	"performance_ppb" bigint,
	"quality_ppb" bigint,
	CONSTRAINT "shift_log_oee_tenant_id_shift_log_id_pk" PRIMARY KEY("tenant_id","shift_log_id")
);
--> statement-breakpoint
CREATE TABLE "shift_log_runs" (
	"tenant_id" uuid PRIMARY KEY NOT NULL,
	"started_through" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shift_logs" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"machine_id" uuid NOT NULL,
	"shift_definition_id" uuid NOT NULL,
	"shift_date" date NOT NULL,
	"actual_start" timestamp (3) with time zone NOT NULL,
	"actual_end" timestamp (3) with time zone,
	"supervisor" text,
	"operator_count" integer,
	"handover_notes" text,
	"status" text NOT NULL,
	"automatic_end" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "shift_logs_tenant_id_id_pk" PRIMARY KEY("tenant_id","id"),
	CONSTRAINT "shift_logs_order_check" CHECK ("shift_logs"."actual_end" > "shift_logs"."actual_start"),
	CONSTRAINT "shift_logs_end_check" CHECK ("shift_logs"."status" = 'cancelled' or ("shift_logs"."status" = 'completed') = ("shift_logs"."actual_end" is not null))
);
--> statement-breakpoint
CREATE TABLE "shift_oee_days" (
	"tenant_id" uuid NOT NULL,
	"shift_definition_id" uuid NOT NULL,
	"shift_date" date NOT NULL,
	"log_count" bigint NOT NULL,
	"downtime_ms" bigint NOT NULL,
	"oee_count" bigint NOT NULL,
	"planned_ms" bigint NOT NULL,
	"oee_sum_ppb" bigint NOT NULL,
	"availability_sum_ppb" bigint NOT NULL,
	"performance_count" bigint NOT NULL,
	"performance_sum_ppb" bigint NOT NULL,
	"quality_count" bigint NOT NULL,
	"quality_sum_ppb" bigint NOT NULL,
	CONSTRAINT "shift_oee_days_tenant_id_shift_date_shift_definition_id_pk" PRIMARY KEY("tenant_id","shift_date","shift_definition_id")
);
--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "auto_shift_logs" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "machine_oee_days" ADD CONSTRAINT "machine_oee_days_tenant_id_machine_id_machines_tenant_id_id_fk" FOREIGN KEY ("tenant_id","machine_id") REFERENCES "public"."machines"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "non_production_days" ADD CONSTRAINT "non_production_days_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oee_changes" ADD CONSTRAINT "oee_changes_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oee_changes" ADD CONSTRAINT "oee_changes_tenant_id_shift_log_id_shift_logs_tenant_id_id_fk" FOREIGN KEY ("tenant_id","shift_log_id") REFERENCES "public"."shift_logs"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oee_changes" ADD CONSTRAINT "oee_changes_tenant_id_reason_code_id_reason_codes_tenant_id_id_fk" FOREIGN KEY ("tenant_id","reason_code_id") REFERENCES "public"."reason_codes"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oee_changes" ADD CONSTRAINT "oee_changes_tenant_id_machine_id_machines_tenant_id_id_fk" FOREIGN KEY ("tenant_id","machine_id") REFERENCES "public"."machines"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shift_definitions" ADD CONSTRAINT "shift_definitions_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shift_log_oee" ADD CONSTRAINT "shift_log_oee_tenant_id_shift_log_id_shift_logs_tenant_id_id_fk" FOREIGN KEY ("tenant_id","shift_log_id") REFERENCES "public"."shift_logs"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shift_log_runs" ADD CONSTRAINT "shift_log_runs_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shift_logs" ADD CONSTRAINT "shift_logs_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shift_logs" ADD CONSTRAINT "shift_logs_tenant_id_machine_id_machines_tenant_id_id_fk" FOREIGN KEY ("tenant_id","machine_id") REFERENCES "public"."machines"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shift_logs" ADD CONSTRAINT "shift_logs_definition_fk" FOREIGN KEY ("tenant_id","shift_definition_id") REFERENCES "public"."shift_definitions"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shift_oee_days" ADD CONSTRAINT "shift_oee_days_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "oee_changes_id_idx" ON "oee_changes" USING btree ("id");--> statement-breakpoint
CREATE INDEX "oee_changes_log_idx" ON "oee_changes" USING btree ("tenant_id","shift_log_id") WHERE "oee_changes"."shift_log_id" is not null;--> statement-breakpoint
CREATE INDEX "shift_log_oee_machine_idx" ON "shift_log_oee" USING btree ("tenant_id","machine_id","shift_date");--> statement-breakpoint
CREATE UNIQUE INDEX "shift_logs_active_key" ON "shift_logs" USING btree ("tenant_id","machine_id") WHERE "shift_logs"."status" = 'active';--> statement-breakpoint
CREATE UNIQUE INDEX "shift_logs_automatic_key" ON "shift_logs" USING btree ("tenant_id","machine_id","shift_definition_id","shift_date") WHERE "shift_logs"."automatic_end" is not null;--> statement-breakpoint
CREATE INDEX "shift_logs_date_idx" ON "shift_logs" USING btree ("tenant_id","shift_date","actual_start","id");--> statement-breakpoint
CREATE INDEX "shift_logs_machine_idx" ON "shift_logs" USING btree ("tenant_id","machine_id","shift_date","actual_start","id");--> statement-breakpoint
CREATE INDEX "shift_logs_definition_idx" ON "shift_logs" USING btree ("tenant_id","shift_definition_id");--> statement-breakpoint
CREATE INDEX "shift_logs_completed_idx" ON "shift_logs" USING btree ("tenant_id","machine_id","actual_end","actual_start") WHERE "shift_logs"."status" = 'completed';--> statement-breakpoint
CREATE INDEX "shift_logs_due_idx" ON "shift_logs" USING btree ("automatic_end") WHERE "shift_logs"."status" = 'active' and "shift_logs"."automatic_end" is not null;--> statement-breakpoint
CREATE INDEX "shift_logs_updated_idx" ON "shift_logs" USING btree ("tenant_id","updated_at");
--> statement-breakpoint
do $$
declare
  target text;
begin
  foreach target in array array['machine_oee_days', 'non_production_days', 'oee_changes', 'shift_definitions', 'shift_log_oee', 'shift_log_runs', 'shift_logs', 'shift_oee_days'] loop
    call build_tenant_wall(target::regclass);
  end loop;
end $$;
