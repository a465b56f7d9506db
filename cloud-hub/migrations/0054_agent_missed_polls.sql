ALTER TABLE "data_gaps" ALTER COLUMN "metric_name" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "data_gaps" ALTER COLUMN "unit" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "missed_polls" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "released_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "retired_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "data_gaps" ADD COLUMN "collector" text;--> statement-breakpoint
CREATE INDEX "agents_released_idx" ON "agents" USING btree ("tenant_id","agent_id") WHERE "agents"."released_at" is not null;