ALTER TABLE "agents" ADD COLUMN "dead_letters" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "requeue_id" uuid;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "requeue_requested_at" timestamp (3) with time zone;