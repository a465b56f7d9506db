CREATE TABLE "agent_release_pieces" (
	"version" text NOT NULL,
	"platform" text NOT NULL,
	"piece" integer NOT NULL,
	"content" "bytea" NOT NULL,
	CONSTRAINT "agent_release_pieces_version_platform_piece_pk" PRIMARY KEY("version","platform","piece")
);
--> statement-breakpoint
CREATE TABLE "agent_releases" (
	"version" text PRIMARY KEY NOT NULL,
	"sequence" bigint NOT NULL,
	"release" jsonb NOT NULL,
	"added_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "agent_releases_sequence_unique" UNIQUE("sequence")
);
--> statement-breakpoint
CREATE TABLE "agent_rollout_agents" (
	"tenant_id" uuid NOT NULL,
	"rollout_id" uuid NOT NULL,
	"agent_id" text NOT NULL,
	"wave" integer NOT NULL,
	"state" text NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	"reason" text,
	"from_version" text NOT NULL,
	"received_bytes" bigint,
	CONSTRAINT "agent_rollout_agents_tenant_id_rollout_id_agent_id_pk" PRIMARY KEY("tenant_id","rollout_id","agent_id")
);
--> statement-breakpoint
CREATE TABLE "agent_rollouts" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"version" text NOT NULL,
	"wave_sizes" integer[] NOT NULL,
	"stop_after_failures" integer NOT NULL,
	"spread_seconds" integer NOT NULL,
	"state" text NOT NULL,
	"reason" text,
	"wave" integer NOT NULL,
	"wave_began_at" timestamp (3) with time zone NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"created_by" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "agent_rollouts_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "update_report" jsonb;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "rollout_id" uuid;--> statement-breakpoint
ALTER TABLE "agent_release_pieces" ADD CONSTRAINT "agent_release_pieces_version_agent_releases_version_fk" FOREIGN KEY ("version") REFERENCES "public"."agent_releases"("version") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_rollout_agents" ADD CONSTRAINT "agent_rollout_agents_tenant_id_rollout_id_agent_rollouts_tenant_id_id_fk" FOREIGN KEY ("tenant_id","rollout_id") REFERENCES "public"."agent_rollouts"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_rollout_agents" ADD CONSTRAINT "agent_rollout_agents_tenant_id_agent_id_agents_tenant_id_agent_id_fk" FOREIGN KEY ("tenant_id","agent_id") REFERENCES "public"."agents"("tenant_id","agent_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_rollouts" ADD CONSTRAINT "agent_rollouts_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "agent_rollout_agents_wave_idx" ON "agent_rollout_agents" USING btree ("tenant_id","rollout_id","wave");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_rollout_agents_open_key" ON "agent_rollout_agents" USING btree ("tenant_id","agent_id") WHERE "agent_rollout_agents"."state" in ('pending', 'announced', 'waiting', 'downloading', 'verified', 'switched');--> statement-breakpoint
CREATE INDEX "agent_rollouts_newest_idx" ON "agent_rollouts" USING btree ("tenant_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "agent_rollouts_open_idx" ON "agent_rollouts" USING btree ("id") WHERE "agent_rollouts"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "agent_rollouts_ended_idx" ON "agent_rollouts" USING btree ("ended_at");--> statement-breakpoint
call build_tenant_wall('agent_rollouts');
--> statement-breakpoint
call build_tenant_wall('agent_rollout_agents');
--> statement-breakpoint
grant select on agent_releases, agent_release_pieces to haltless_app;
--> statement-breakpoint
grant select, insert, update, delete on agent_releases, agent_release_pieces to haltless_system;
--> statement-breakpoint
alter table agent_release_pieces alter column content set storage external;
