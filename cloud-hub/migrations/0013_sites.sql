-- The site or other group of an agent, and that which an enrolment key gives it. A credential keeps the group of its key until the first heartbeat.
-- A hub of the version before deletes groups without clearing them from agents: the foreign key does that. Only group_id becomes null.
ALTER TABLE "enrolment_keys" ADD COLUMN "group_id" uuid;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "group_id" uuid;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "group_id" uuid;--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_tenant_id_group_id_machine_groups_tenant_id_id_fk" FOREIGN KEY ("tenant_id","group_id") REFERENCES "public"."machine_groups"("tenant_id","id") ON DELETE set null ("group_id") ON UPDATE no action;