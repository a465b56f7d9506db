CREATE TABLE "machine_predictions" (
	"tenant_id" uuid NOT NULL,
	"machine_id" uuid NOT NULL,
	"health_score" integer NOT NULL,
	"risk_level" text NOT NULL,
	"days_to_maintenance" double precision,
	"days_to_failure" double precision,
	"failure_low" double precision,
	"failure_high" double precision,
	"limiting_metric" text,
	"degradation_rate" double precision NOT NULL,
	"factors" jsonb NOT NULL,
	"narratives" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"read_until" timestamp (3) with time zone,
	"analyzed_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "machine_predictions_tenant_id_machine_id_pk" PRIMARY KEY("tenant_id","machine_id")
);
--> statement-breakpoint
CREATE TABLE "prediction_history" (
	"tenant_id" uuid NOT NULL,
	"machine_id" uuid NOT NULL,
	"recorded_at" timestamp (3) with time zone NOT NULL,
	"health_score" integer NOT NULL,
	"risk_level" text NOT NULL,
	CONSTRAINT "prediction_history_tenant_id_machine_id_recorded_at_pk" PRIMARY KEY("tenant_id","machine_id","recorded_at")
);
--> statement-breakpoint
CREATE TABLE "prediction_series" (
	"tenant_id" uuid NOT NULL,
	"series_id" integer NOT NULL,
	"first_day" integer NOT NULL,
	"medians" double precision[] DEFAULT '{}' NOT NULL,
	CONSTRAINT "prediction_series_tenant_id_series_id_pk" PRIMARY KEY("tenant_id","series_id")
);
--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "narratives_enabled" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "machine_predictions" ADD CONSTRAINT "machine_predictions_machine_fk" FOREIGN KEY ("tenant_id","machine_id") REFERENCES "public"."machines"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "prediction_history" ADD CONSTRAINT "prediction_history_tenant_id_machine_id_machines_tenant_id_id_fk" FOREIGN KEY ("tenant_id","machine_id") REFERENCES "public"."machines"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "prediction_series" ADD CONSTRAINT "prediction_series_tenant_id_series_id_series_tenant_id_id_fk" FOREIGN KEY ("tenant_id","series_id") REFERENCES "public"."series"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "prediction_history_recorded_idx" ON "prediction_history" USING btree ("recorded_at");
--> statement-breakpoint
call build_tenant_wall('machine_predictions');
--> statement-breakpoint
call build_tenant_wall('prediction_series');
--> statement-breakpoint
call build_tenant_wall('prediction_history');
--> statement-breakpoint
-- The analysis writes them; a request stores only a generated narrative.
revoke insert, update, delete on machine_predictions, prediction_series, prediction_history from haltless_app;
--> statement-breakpoint
grant update (narratives) on machine_predictions to haltless_app;
