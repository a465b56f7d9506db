-- A change of SECRET_KEY: the next key, the direction, and a count that the names of logins contain; and what each running hub holds.

ALTER TABLE "hub_identity" ADD COLUMN "next_fingerprint" text;--> statement-breakpoint
ALTER TABLE "hub_identity" ADD COLUMN "is_undoing" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "hub_identity" ADD COLUMN "key_generation" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "hub_replicas" ADD COLUMN "key_fingerprints" text[];--> statement-breakpoint
ALTER TABLE "hub_replicas" ADD COLUMN "sealing_fingerprint" text;--> statement-breakpoint
ALTER TABLE "hub_replicas" ADD COLUMN "login" text;
