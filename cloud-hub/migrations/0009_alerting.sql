CREATE TABLE "alert_comments" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"alert_id" uuid NOT NULL,
	"author_id" uuid NOT NULL,
	"author_name" text NOT NULL,
	"body" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "alert_comments_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "alert_history" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"alert_id" uuid NOT NULL,
	"event" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"actor" jsonb,
	"details" jsonb,
	CONSTRAINT "alert_history_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "composite_conditions" (
	"tenant_id" uuid NOT NULL,
	"rule_id" uuid NOT NULL,
	"machine_id" uuid NOT NULL,
	"standing" boolean DEFAULT false NOT NULL,
	"back_count" integer DEFAULT 0 NOT NULL,
	"judged_at" timestamp (3) with time zone,
	"inputs" jsonb NOT NULL,
	"due_at" timestamp (3) with time zone,
	"holds_until" timestamp (3) with time zone,
	"version" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "composite_conditions_tenant_id_rule_id_pk" PRIMARY KEY("tenant_id","rule_id")
);
--> statement-breakpoint
CREATE TABLE "composite_rules" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"machine_id" uuid NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"expression" jsonb NOT NULL,
	"metrics" text[] NOT NULL,
	"severity" text NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "composite_rules_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "escalation_policies" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"name" text NOT NULL,
	"severity" text NOT NULL,
	"wait_minutes" integer NOT NULL,
	"channel_id" uuid NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "escalation_policies_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "escalations" (
	"tenant_id" uuid NOT NULL,
	"policy_id" uuid NOT NULL,
	"alert_id" uuid NOT NULL,
	"escalated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "escalations_tenant_id_policy_id_alert_id_pk" PRIMARY KEY("tenant_id","policy_id","alert_id")
);
--> statement-breakpoint
ALTER TABLE "alert_comments" ADD CONSTRAINT "alert_comments_tenant_id_alert_id_alerts_tenant_id_id_fk" FOREIGN KEY ("tenant_id","alert_id") REFERENCES "public"."alerts"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alert_history" ADD CONSTRAINT "alert_history_tenant_id_alert_id_alerts_tenant_id_id_fk" FOREIGN KEY ("tenant_id","alert_id") REFERENCES "public"."alerts"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "composite_conditions" ADD CONSTRAINT "composite_conditions_tenant_id_rule_id_composite_rules_tenant_id_id_fk" FOREIGN KEY ("tenant_id","rule_id") REFERENCES "public"."composite_rules"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "composite_rules" ADD CONSTRAINT "composite_rules_tenant_id_machine_id_machines_tenant_id_id_fk" FOREIGN KEY ("tenant_id","machine_id") REFERENCES "public"."machines"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "escalation_policies" ADD CONSTRAINT "escalation_policies_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "escalation_policies" ADD CONSTRAINT "escalation_policies_channel_fk" FOREIGN KEY ("tenant_id","channel_id") REFERENCES "public"."notification_channels"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "escalations" ADD CONSTRAINT "escalations_tenant_id_policy_id_escalation_policies_tenant_id_id_fk" FOREIGN KEY ("tenant_id","policy_id") REFERENCES "public"."escalation_policies"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "escalations" ADD CONSTRAINT "escalations_tenant_id_alert_id_alerts_tenant_id_id_fk" FOREIGN KEY ("tenant_id","alert_id") REFERENCES "public"."alerts"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "alert_comments_alert_idx" ON "alert_comments" USING btree ("tenant_id","alert_id","created_at","id");--> statement-breakpoint
CREATE INDEX "alert_history_alert_idx" ON "alert_history" USING btree ("tenant_id","alert_id","at","id");--> statement-breakpoint
CREATE INDEX "composite_conditions_machine_idx" ON "composite_conditions" USING btree ("tenant_id","machine_id");--> statement-breakpoint
CREATE INDEX "composite_conditions_due_idx" ON "composite_conditions" USING btree ("due_at") WHERE "composite_conditions"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "composite_rules_concern_idx" ON "composite_rules" USING btree ("tenant_id","machine_id") WHERE "composite_rules"."is_active";--> statement-breakpoint
CREATE INDEX "escalations_alert_idx" ON "escalations" USING btree ("tenant_id","alert_id");--> statement-breakpoint
call build_tenant_wall('alert_comments');
call build_tenant_wall('alert_history');
call build_audit('alert_comments', 'alert_comment', '', 'updated_at');
-- Nobody rewrites what was said, or what happened.
revoke update, delete on alert_comments from haltless_app;
revoke insert, update, delete on alert_history from haltless_app;
--> statement-breakpoint
-- Every way of changing an alert passes here: a person's, a flush's, a rule's change. Who acts stands in app.actor, as for the audit trail.
create function note_alert() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  acting jsonb := nullif(current_setting('app.actor', true), '')::jsonb;
  actor jsonb := case when acting is not null then jsonb_build_object('kind', acting -> 'kind', 'id', acting -> 'id', 'name', acting -> 'name') end;
begin
  insert into alert_history (tenant_id, alert_id, event, at, actor, details)
  select new.tenant_id, new.id, event, at, actor, details
  from (values
    ('acknowledged', new.acknowledged_at, TG_OP = 'INSERT' or old.acknowledged_at is distinct from new.acknowledged_at, null::jsonb),
    ('snoozed', case when new.snoozed_until is not null then clock_timestamp() end,
      TG_OP = 'INSERT' or old.snoozed_until is distinct from new.snoozed_until,
      jsonb_build_object('until', to_char(new.snoozed_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))),
    ('cleared', new.cleared_at, TG_OP = 'INSERT' or old.cleared_at is distinct from new.cleared_at, null)
  ) happened(event, at, is_new, details) where is_new and at is not null;
  return null;
end $$;
revoke all on function note_alert() from public;
create trigger note_alert_over after insert on alerts for each row when (new.cleared_at is not null) execute function note_alert();
create trigger note_alert_changed after update of acknowledged_at, snoozed_until, cleared_at on alerts for each row execute function note_alert();
-- those of before this migration
insert into alert_history (tenant_id, alert_id, event, at, actor)
select a.tenant_id, a.id, 'acknowledged', a.acknowledged_at, jsonb_build_object('kind', 'user', 'id', a.acknowledged_by, 'name', u.email)
from alerts a left join users u on u.tenant_id = a.tenant_id and u.id = a.acknowledged_by where a.acknowledged_at is not null
union all
select tenant_id, id, 'cleared', cleared_at, null from alerts where cleared_at is not null;
--> statement-breakpoint
call build_tenant_wall('composite_rules');
call build_tenant_wall('composite_conditions');
call build_audit('composite_rules', 'composite_rule', '', 'updated_at,metrics');
call let_ingest('composite_rules', 'select');
call let_ingest('composite_conditions', 'select, update');
alter table composite_conditions set (fillfactor = 70);
-- Flushes remember them like the others (migration 0002).
create trigger composite_rules_made after insert on composite_rules referencing new table as changed for each statement execute function change_facts();
create trigger composite_rules_changed after update on composite_rules referencing new table as changed for each statement execute function change_facts();
create trigger composite_rules_deleted after delete on composite_rules referencing old table as changed for each statement execute function change_facts();
--> statement-breakpoint
call build_tenant_wall('escalation_policies');
call build_tenant_wall('escalations');
call build_audit('escalation_policies', 'escalation_policy', '', 'updated_at');
-- Checked at the commit: a channel that a policy names stays, a tenant goes with both.
alter table escalation_policies alter constraint escalation_policies_channel_fk deferrable initially deferred;
