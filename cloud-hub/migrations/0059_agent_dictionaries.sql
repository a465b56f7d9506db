CREATE TABLE "agent_dictionaries" (
	"tenant_id" uuid NOT NULL,
	"agent_id" text NOT NULL,
	"name" "bytea" NOT NULL,
	"content" "bytea" NOT NULL,
	"used_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "agent_dictionaries_tenant_id_agent_id_name_pk" PRIMARY KEY("tenant_id","agent_id","name")
);
--> statement-breakpoint
ALTER TABLE "agent_dictionaries" ADD CONSTRAINT "agent_dictionaries_tenant_id_agent_id_agents_tenant_id_agent_id_fk" FOREIGN KEY ("tenant_id","agent_id") REFERENCES "public"."agents"("tenant_id","agent_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "agent_dictionaries_used_idx" ON "agent_dictionaries" USING btree ("used_at");--> statement-breakpoint
call build_tenant_wall('agent_dictionaries');
--> statement-breakpoint
alter table agent_dictionaries alter column content set storage external;
--> statement-breakpoint
-- A hub of before inserts two columns, and reads version 1 alone.
alter table hub_replicas add column wire_versions smallint[] not null default '{1}';
