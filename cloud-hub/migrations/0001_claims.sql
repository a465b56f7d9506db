-- Jobs claim their work by an index: columns that say when a row is examined next, and indexes of what jobs look for in all tenants.
-- A hub of the previous version ignores the columns. What it does itself, the job of this version finds done and plans anew.
-- functions: 0e31da54f2410fd8d29671c9195ab32d53229a2e17f6d8349864fe232792c636

ALTER TABLE "tenants" ADD COLUMN "shift_logs_due_at" timestamp (3) with time zone DEFAULT '1970-01-01T00:00:00Z' NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "is_report_stale" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "alerts" ADD COLUMN "escalation_due_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "machines" ADD COLUMN "analysis_due_at" timestamp (3) with time zone DEFAULT '1970-01-01T00:00:00Z' NOT NULL;--> statement-breakpoint
DROP INDEX "erp_connections_due_idx";--> statement-breakpoint
DROP INDEX "signoff_chains_anchored_idx";--> statement-breakpoint
CREATE INDEX "api_keys_revoked_idx" ON "api_keys" USING btree ("revoked_at") WHERE "api_keys"."agent_id" is not null and not "api_keys"."is_active";--> statement-breakpoint
CREATE INDEX "report_turns_schedule_idx" ON "report_turns" USING btree ("schedule","due_at");--> statement-breakpoint
CREATE INDEX "tenants_shift_logs_due_idx" ON "tenants" USING btree ("shift_logs_due_at") WHERE "tenants"."auto_shift_logs";--> statement-breakpoint
CREATE INDEX "users_report_stale_idx" ON "users" USING btree ("tenant_id","id") WHERE "users"."is_report_stale";--> statement-breakpoint
CREATE INDEX "alerts_created_idx" ON "alerts" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "alerts_ended_idx" ON "alerts" USING btree ("cleared_at") WHERE "alerts"."cleared_at" is not null;--> statement-breakpoint
CREATE INDEX "alerts_escalation_idx" ON "alerts" USING btree ("escalation_due_at") WHERE "alerts"."acknowledged_at" is null and "alerts"."cleared_at" is null and "alerts"."escalation_due_at" is not null;--> statement-breakpoint
CREATE INDEX "anomaly_events_id_idx" ON "anomaly_events" USING btree ("id");--> statement-breakpoint
CREATE INDEX "downtime_records_changed_idx" ON "downtime_records" USING btree ("updated_at");--> statement-breakpoint
CREATE INDEX "erp_connections_automatic_idx" ON "erp_connections" USING btree ("next_run_at") WHERE "erp_connections"."is_active" and "erp_connections"."paused_at" is null and ("erp_connections"."auto_push_work_orders" or "erp_connections"."auto_push_production_data" or "erp_connections"."auto_push_downtime" or "erp_connections"."auto_pull_assets");--> statement-breakpoint
CREATE INDEX "machines_analysis_due_idx" ON "machines" USING btree ("analysis_due_at") WHERE "machines"."is_active";--> statement-breakpoint
CREATE INDEX "agent_rollout_agents_updating_idx" ON "agent_rollout_agents" USING btree ("since") WHERE "agent_rollout_agents"."state" in ('downloading', 'verified', 'switched');--> statement-breakpoint
CREATE INDEX "signoff_chains_grown_idx" ON "signoff_chains" USING btree ("anchored_at") WHERE "signoff_chains"."sequence" > "signoff_chains"."anchored_sequence";--> statement-breakpoint
CREATE INDEX "work_reminders_age_idx" ON "work_reminders" USING btree ("for_time");--> statement-breakpoint
CREATE INDEX "reading_key_tail_day_idx" ON "reading_key_tail" USING btree ("day");--> statement-breakpoint
-- every 32nd row marks its tenant for the job that seals keys
CREATE INDEX "reading_key_tail_mark_idx" ON "reading_key_tail" USING btree ("id") WHERE id % 32 = 0;--> statement-breakpoint
CREATE INDEX "reading_key_filters_day_idx" ON "reading_key_filters" USING btree ("day");--> statement-breakpoint
-- the first reading of a silent machine makes its analysis due
grant update (analysis_due_at) on machines to haltless_ingest;--> statement-breakpoint
update users set is_report_stale = true where report_schedule is not null;--> statement-breakpoint
update alerts a set escalation_due_at = '1970-01-01T00:00:00Z'
where a.acknowledged_at is null and a.cleared_at is null and not a.is_late and not a.is_muted
  and exists (select from escalation_policies p where p.tenant_id = a.tenant_id and p.severity = a.severity);
