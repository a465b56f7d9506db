ALTER TABLE "agents" ADD COLUMN "browse_id" uuid;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "browse_request" jsonb;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "browse_answer" jsonb;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "browse_at" timestamp (3) with time zone;