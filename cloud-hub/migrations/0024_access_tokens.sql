-- Access tokens of programs, and service accounts: members without a password. A hub of the version before knows neither; it lets no token in, and
-- queues no more than a mail to an address that ends in .invalid.
-- functions: 32cf9f1cf90e1d5e625c29a07c16ae4178ad90cae012df09e08a7d3daab5efd3
CREATE TABLE "access_tokens" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"user_id" uuid NOT NULL,
	"name" text NOT NULL,
	"prefix" text NOT NULL,
	"token_hash" text NOT NULL,
	"scopes" text[] NOT NULL,
	"group_ids" uuid[],
	"source_addresses" text[],
	"is_active" boolean DEFAULT true NOT NULL,
	"created_by" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	"warnings" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "access_tokens_tenant_id_id_pk" PRIMARY KEY("tenant_id","id"),
	CONSTRAINT "access_tokens_prefix_unique" UNIQUE("prefix")
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "is_service" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "responsible_id" uuid;--> statement-breakpoint
ALTER TABLE "access_tokens" ADD CONSTRAINT "access_tokens_tenant_id_user_id_users_tenant_id_id_fk" FOREIGN KEY ("tenant_id","user_id") REFERENCES "public"."users"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "access_tokens_user_idx" ON "access_tokens" USING btree ("tenant_id","user_id");--> statement-breakpoint
CREATE INDEX "access_tokens_expires_idx" ON "access_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "access_tokens_revoked_idx" ON "access_tokens" USING btree ("revoked_at") WHERE "access_tokens"."revoked_at" is not null;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_service_check" CHECK (not "users"."is_service" or ("users"."password_hash" is null and not "users"."is_invited" and not "users"."mfa_enabled"));--> statement-breakpoint
ALTER TABLE "access_tokens" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
grant select, insert, update, delete on access_tokens to haltless_app, haltless_system;
