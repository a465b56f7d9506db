ALTER TABLE "agents" ADD COLUMN "buffer_bytes" bigint;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "buffer_capacity_bytes" bigint;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "buffer_bytes_per_hour" double precision;