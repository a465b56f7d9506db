CREATE TABLE "machine_group_members" (
	"tenant_id" uuid NOT NULL,
	"group_id" uuid NOT NULL,
	"machine_id" uuid NOT NULL,
	CONSTRAINT "machine_group_members_tenant_id_group_id_machine_id_pk" PRIMARY KEY("tenant_id","group_id","machine_id")
);
--> statement-breakpoint
CREATE TABLE "machine_groups" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"name" text NOT NULL,
	"group_type" text DEFAULT 'custom' NOT NULL,
	"description" text,
	"color" text,
	"parent_id" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "machine_groups_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
ALTER TABLE "machine_group_members" ADD CONSTRAINT "machine_group_members_tenant_id_group_id_machine_groups_tenant_id_id_fk" FOREIGN KEY ("tenant_id","group_id") REFERENCES "public"."machine_groups"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "machine_group_members" ADD CONSTRAINT "machine_group_members_tenant_id_machine_id_machines_tenant_id_id_fk" FOREIGN KEY ("tenant_id","machine_id") REFERENCES "public"."machines"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "machine_groups" ADD CONSTRAINT "machine_groups_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "machine_groups" ADD CONSTRAINT "machine_groups_tenant_id_parent_id_machine_groups_tenant_id_id_fk" FOREIGN KEY ("tenant_id","parent_id") REFERENCES "public"."machine_groups"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "machine_group_members_machine_idx" ON "machine_group_members" USING btree ("tenant_id","machine_id");--> statement-breakpoint
CREATE INDEX "machine_groups_parent_idx" ON "machine_groups" USING btree ("tenant_id","parent_id");
--> statement-breakpoint
call build_tenant_wall('machine_groups');
call build_tenant_wall('machine_group_members');
call build_audit('machine_groups', 'machine_group', '', 'updated_at');
call build_audit('machine_group_members', 'machine_group_member');
