-- Sites may have a time zone, shift definitions and non-production days of their own; what is there already holds for all sites (null). A hub of the
-- version before cannot change non-production days meanwhile.
-- functions: d97e32dd56d84cd351a1f9bbaccc0acd35db598d664a85a473bde24da824d499

ALTER TABLE "non_production_days" DROP CONSTRAINT "non_production_days_tenant_id_date_pk";--> statement-breakpoint
ALTER TABLE "non_production_days" ADD COLUMN "id" uuid DEFAULT uuidv7() NOT NULL;--> statement-breakpoint
ALTER TABLE "non_production_days" ADD CONSTRAINT "non_production_days_tenant_id_id_pk" PRIMARY KEY("tenant_id","id");--> statement-breakpoint
ALTER TABLE "machine_groups" ADD COLUMN "time_zone" text;--> statement-breakpoint
ALTER TABLE "non_production_days" ADD COLUMN "group_id" uuid;--> statement-breakpoint
ALTER TABLE "shift_definitions" ADD COLUMN "group_id" uuid;--> statement-breakpoint
ALTER TABLE "non_production_days" ADD CONSTRAINT "non_production_days_site_fk" FOREIGN KEY ("tenant_id","group_id") REFERENCES "public"."machine_groups"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shift_definitions" ADD CONSTRAINT "shift_definitions_site_fk" FOREIGN KEY ("tenant_id","group_id") REFERENCES "public"."machine_groups"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "non_production_days" ADD CONSTRAINT "non_production_days_date_key" UNIQUE NULLS NOT DISTINCT("tenant_id","date","group_id");
