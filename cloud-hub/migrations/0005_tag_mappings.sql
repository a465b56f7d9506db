CREATE TABLE "tag_mappings" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"machine_id" uuid NOT NULL,
	"raw_tag" text NOT NULL,
	"standardized_name" text NOT NULL,
	"unit" text NOT NULL,
	"is_confirmed" boolean DEFAULT false NOT NULL,
	"confidence_score" double precision NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tag_mappings_tenant_id_id_pk" PRIMARY KEY("tenant_id","id"),
	CONSTRAINT "tag_mappings_tag_key" UNIQUE("tenant_id","machine_id","raw_tag")
);
--> statement-breakpoint
ALTER TABLE "tag_mappings" ADD CONSTRAINT "tag_mappings_tenant_id_machine_id_machines_tenant_id_id_fk" FOREIGN KEY ("tenant_id","machine_id") REFERENCES "public"."machines"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "tag_mappings_confirmed_idx" ON "tag_mappings" USING btree ("tenant_id","machine_id") WHERE "tag_mappings"."is_confirmed";
--> statement-breakpoint
call build_tenant_wall('tag_mappings');
call let_ingest('tag_mappings', 'select');
call build_audit('tag_mappings', 'tag_mapping', '', 'updated_at');
