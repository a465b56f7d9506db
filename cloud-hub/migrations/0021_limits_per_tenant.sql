-- Limits of a tenant, and what it has of each kind. The rows are counted while nothing changes them, and by triggers afterwards, also what a hub of
-- the version before writes.
-- functions: 5f1ada29b79f6d79ba62ebde543bf6d04f50ec41db6c81f5a6d8fe27532e86e5
LOCK TABLE "machines", "series", "threshold_rules", "composite_rules", "notification_channels", "users", "attachments", "attachment_uploads" IN SHARE ROW EXCLUSIVE MODE;--> statement-breakpoint
CREATE TABLE "tenant_usage" (
	"tenant_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"used" bigint NOT NULL,
	CONSTRAINT "tenant_usage_tenant_id_kind_pk" PRIMARY KEY("tenant_id","kind")
);
--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "limits" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "tenant_usage" ADD CONSTRAINT "tenant_usage_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tenant_usage" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
-- only the triggers change it
grant select on tenant_usage to haltless_app, haltless_system, haltless_ingest;--> statement-breakpoint
grant select (limits) on tenants to haltless_ingest;--> statement-breakpoint
insert into tenant_usage (tenant_id, kind, used)
select tenant_id, kind, sum(used) from (
  select tenant_id, 'machines' as kind, count(*) as used from machines where is_active group by 1
  union all select tenant_id, 'series', count(*) from series group by 1
  union all select tenant_id, 'rules', count(*) from threshold_rules group by 1
  union all select tenant_id, 'rules', count(*) from composite_rules group by 1
  union all select tenant_id, 'channels', count(*) from notification_channels where channel_type <> 'push' group by 1
  union all select tenant_id, 'users', count(*) from users where is_active group by 1
  union all select tenant_id, 'attachment_bytes', sum(size_bytes) from attachments group by 1
  union all select tenant_id, 'attachment_bytes', sum(size_bytes) from attachment_uploads group by 1
) counted group by 1, 2;
