CREATE TABLE "enrolment_keys" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"name" text NOT NULL,
	"prefix" text NOT NULL,
	"key_hash" text NOT NULL,
	"agent_id" text,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone,
	"used_by_agent" text,
	"created_by" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "enrolment_keys_tenant_id_id_pk" PRIMARY KEY("tenant_id","id"),
	CONSTRAINT "enrolment_keys_prefix_unique" UNIQUE("prefix")
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "agent_id" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "activated_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "revoked_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "enrolment_key_id" uuid;--> statement-breakpoint
ALTER TABLE "enrolment_keys" ADD CONSTRAINT "enrolment_keys_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "enrolment_keys_expires_idx" ON "enrolment_keys" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_pending_key" ON "api_keys" USING btree ("tenant_id","agent_id") WHERE "api_keys"."agent_id" is not null and "api_keys"."is_active" and "api_keys"."activated_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_activated_key" ON "api_keys" USING btree ("tenant_id","agent_id") WHERE "api_keys"."agent_id" is not null and "api_keys"."is_active" and "api_keys"."activated_at" is not null;--> statement-breakpoint
CREATE INDEX "api_keys_agent_idx" ON "api_keys" USING btree ("tenant_id","agent_id") WHERE "api_keys"."agent_id" is not null;--> statement-breakpoint
call build_tenant_wall('enrolment_keys');
