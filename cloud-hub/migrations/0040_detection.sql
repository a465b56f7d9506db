CREATE TABLE "downtime_detections" (
	"tenant_id" uuid NOT NULL,
	"machine_id" uuid NOT NULL,
	"is_active" boolean NOT NULL,
	"signal" text NOT NULL,
	"metric_name" text,
	"unit" text,
	"stopped_values" double precision[],
	"limit_value" double precision,
	"for_seconds" integer NOT NULL,
	"silent_after_seconds" integer,
	"reason_code_id" uuid,
	"active_since" timestamp (3) with time zone NOT NULL,
	"next_check_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "downtime_detections_tenant_id_machine_id_pk" PRIMARY KEY("tenant_id","machine_id"),
	CONSTRAINT "downtime_detections_metric_check" CHECK (("downtime_detections"."signal" = 'silence') = ("downtime_detections"."metric_name" is null))
);
--> statement-breakpoint
CREATE TABLE "signal_changes" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"machine_id" uuid NOT NULL,
	"from_at" timestamp (3) with time zone NOT NULL,
	"until_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "signal_changes_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
ALTER TABLE "downtime_detections" ADD CONSTRAINT "downtime_detections_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "downtime_detections" ADD CONSTRAINT "downtime_detections_tenant_id_machine_id_machines_tenant_id_id_fk" FOREIGN KEY ("tenant_id","machine_id") REFERENCES "public"."machines"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "downtime_detections" ADD CONSTRAINT "downtime_detections_reason_code_fk" FOREIGN KEY ("tenant_id","reason_code_id") REFERENCES "public"."reason_codes"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "signal_changes" ADD CONSTRAINT "signal_changes_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "signal_changes" ADD CONSTRAINT "signal_changes_tenant_id_machine_id_machines_tenant_id_id_fk" FOREIGN KEY ("tenant_id","machine_id") REFERENCES "public"."machines"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "downtime_detections_due_idx" ON "downtime_detections" USING btree ("next_check_at") WHERE "downtime_detections"."next_check_at" is not null;--> statement-breakpoint
CREATE INDEX "downtime_detections_code_idx" ON "downtime_detections" USING btree ("tenant_id","reason_code_id") WHERE "downtime_detections"."reason_code_id" is not null;--> statement-breakpoint
CREATE INDEX "signal_changes_id_idx" ON "signal_changes" USING btree ("id");--> statement-breakpoint
CREATE INDEX "signal_changes_machine_idx" ON "signal_changes" USING btree ("tenant_id","machine_id");
--> statement-breakpoint
call build_tenant_wall('downtime_detections');
--> statement-breakpoint
call build_tenant_wall('signal_changes');
--> statement-breakpoint
call let_ingest('downtime_detections', 'select');
--> statement-breakpoint
call let_ingest('signal_changes', 'insert');
--> statement-breakpoint
-- A job writes automatic records; a flush only queues what it evaluates.
revoke all on downtime_records from haltless_ingest;
--> statement-breakpoint
drop policy ingest on downtime_records;
