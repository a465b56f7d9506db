-- Sign-in: which sessions come from an identity provider, tenants that require a second factor, and configurations that trust addresses.
-- A hub of the previous version ignores the columns, so it neither requires the second factor nor trusts an address.
-- functions: 1d131d435541aa92431c392877df0abe9ad472364536b8b6b3f16a2becd3dde0

ALTER TABLE "sessions" ADD COLUMN "is_sso" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "require_mfa" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "sso_configs" ADD COLUMN "trust_email" boolean DEFAULT false NOT NULL;--> statement-breakpoint
grant update (require_mfa) on tenants to haltless_app;
