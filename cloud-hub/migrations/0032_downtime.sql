CREATE TABLE "downtime_records" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"machine_id" uuid NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"reason_type" text DEFAULT 'unplanned' NOT NULL,
	"reason_code_id" uuid,
	"reason_note" text,
	"source" text DEFAULT 'manual' NOT NULL,
	"edited_at" timestamp (3) with time zone,
	"created_by" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "downtime_records_tenant_id_id_pk" PRIMARY KEY("tenant_id","id"),
	CONSTRAINT "downtime_records_order_check" CHECK ("downtime_records"."ended_at" > "downtime_records"."started_at")
);
--> statement-breakpoint
CREATE TABLE "reason_codes" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"code" text NOT NULL,
	"label" text NOT NULL,
	"category" text NOT NULL,
	"oee_loss_category" text NOT NULL,
	"description" text,
	"parent_id" uuid,
	"is_active" boolean DEFAULT true NOT NULL,
	"sort_order" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "reason_codes_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
ALTER TABLE "downtime_records" ADD CONSTRAINT "downtime_records_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "downtime_records" ADD CONSTRAINT "downtime_records_tenant_id_machine_id_machines_tenant_id_id_fk" FOREIGN KEY ("tenant_id","machine_id") REFERENCES "public"."machines"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "downtime_records" ADD CONSTRAINT "downtime_records_reason_code_fk" FOREIGN KEY ("tenant_id","reason_code_id") REFERENCES "public"."reason_codes"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reason_codes" ADD CONSTRAINT "reason_codes_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reason_codes" ADD CONSTRAINT "reason_codes_parent_fk" FOREIGN KEY ("tenant_id","parent_id") REFERENCES "public"."reason_codes"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "downtime_records_ongoing_key" ON "downtime_records" USING btree ("tenant_id","machine_id") WHERE "downtime_records"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "downtime_records_machine_idx" ON "downtime_records" USING btree ("tenant_id","machine_id","started_at","id");--> statement-breakpoint
CREATE INDEX "downtime_records_started_idx" ON "downtime_records" USING btree ("tenant_id","started_at","id");--> statement-breakpoint
CREATE INDEX "downtime_records_ended_idx" ON "downtime_records" USING btree ("tenant_id","ended_at","id");--> statement-breakpoint
CREATE INDEX "downtime_records_duration_idx" ON "downtime_records" USING btree ("tenant_id",("ended_at" - "started_at"),"id");--> statement-breakpoint
CREATE INDEX "downtime_records_type_idx" ON "downtime_records" USING btree ("tenant_id","reason_type","started_at","id");--> statement-breakpoint
CREATE INDEX "downtime_records_created_idx" ON "downtime_records" USING btree ("tenant_id","created_at","id");--> statement-breakpoint
CREATE INDEX "downtime_records_code_idx" ON "downtime_records" USING btree ("tenant_id","reason_code_id") WHERE "downtime_records"."reason_code_id" is not null;--> statement-breakpoint
CREATE INDEX "downtime_records_updated_idx" ON "downtime_records" USING btree ("tenant_id","updated_at");--> statement-breakpoint
CREATE UNIQUE INDEX "reason_codes_code_key" ON "reason_codes" USING btree ("tenant_id","code");--> statement-breakpoint
CREATE INDEX "reason_codes_parent_idx" ON "reason_codes" USING btree ("tenant_id","parent_id");
--> statement-breakpoint
do $$
declare
  target text;
begin
  foreach target in array array['downtime_records', 'reason_codes'] loop
    call build_tenant_wall(target::regclass);
  end loop;
end $$;
--> statement-breakpoint
-- Automatic detection writes records in the transaction of the readings.
call let_ingest('downtime_records', 'select, insert, update, delete');
