CREATE TABLE "downtime_figures" (
	"tenant_id" uuid NOT NULL,
	"machine_id" uuid NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"record_id" uuid NOT NULL,
	"ended_at" timestamp (3) with time zone NOT NULL,
	"is_unplanned" boolean NOT NULL,
	"repair_seconds" double precision,
	"attributed_from" timestamp (3) with time zone,
	"starts_failure" boolean NOT NULL,
	"previous_failure_at" timestamp (3) with time zone,
	"uptime_before_seconds" double precision,
	"covered_until" timestamp (3) with time zone NOT NULL,
	"failed_until" timestamp (3) with time zone,
	"failed_at" timestamp (3) with time zone,
	"uptime_seconds" double precision NOT NULL,
	CONSTRAINT "downtime_figures_tenant_id_machine_id_started_at_record_id_pk" PRIMARY KEY("tenant_id","machine_id","started_at","record_id")
);
--> statement-breakpoint
CREATE INDEX "downtime_figures_reliability_idx" ON "downtime_figures" USING btree ("tenant_id","started_at","machine_id","repair_seconds","starts_failure","previous_failure_at","uptime_before_seconds");--> statement-breakpoint
CREATE INDEX "downtime_figures_coverage_idx" ON "downtime_figures" USING btree ("tenant_id","ended_at","machine_id","attributed_from");
--> statement-breakpoint
call build_tenant_wall('downtime_figures');
--> statement-breakpoint
-- A trigger writes them.
revoke insert, update, delete on downtime_figures from haltless_app, haltless_system;
