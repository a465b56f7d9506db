-- Requests with an Idempotency-Key: their answers commit with what they changed. A limit of tenants counts them. A hub of the version before
-- ignores the header, as it always did.
-- functions: cb516dde6afd1b91fea6ba212b220b44101150f6032144472c1d9625c857add8
CREATE TABLE "idempotent_requests" (
	"tenant_id" uuid NOT NULL,
	"credential" text NOT NULL,
	"key" text NOT NULL,
	"fingerprint" text NOT NULL,
	"claim_id" uuid NOT NULL,
	"claimed_until" timestamp (3) with time zone NOT NULL,
	"status" integer,
	"answer" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "idempotent_requests_tenant_id_credential_key_pk" PRIMARY KEY("tenant_id","credential","key"),
	CONSTRAINT "idempotent_requests_answer_check" CHECK ("idempotent_requests"."status" is not null or "idempotent_requests"."answer" is null)
);
--> statement-breakpoint
ALTER TABLE "idempotent_requests" ADD CONSTRAINT "idempotent_requests_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "idempotent_requests_age_idx" ON "idempotent_requests" USING btree ("created_at");--> statement-breakpoint
alter table idempotent_requests enable row level security;--> statement-breakpoint
grant select, insert, update, delete on idempotent_requests to haltless_app, haltless_system;
