-- Standard names for functions, tables, columns and statuses. No hub of an earlier version can run beside it.
-- hubs: stopped
-- functions: ce72b9ae67e84953c9c38813ff4ce59f0fcff613587c535ef8460dcfa2f154b5

ALTER TABLE "rule_conditions" RENAME TO "threshold_conditions";--> statement-breakpoint
ALTER TABLE "threshold_conditions" RENAME COLUMN "judged_at" TO "evaluated_at";--> statement-breakpoint
ALTER TABLE "threshold_conditions" RENAME COLUMN "back_count" TO "normal_count";--> statement-breakpoint
ALTER TABLE "threshold_conditions" RENAME CONSTRAINT "rule_conditions_tenant_id_rule_id_machine_id_unit_pk" TO "threshold_conditions_tenant_id_rule_id_machine_id_unit_pk";--> statement-breakpoint
ALTER TABLE "threshold_conditions" RENAME CONSTRAINT "rule_conditions_tenant_id_machine_id_machines_tenant_id_id_fk" TO "threshold_conditions_tenant_id_machine_id_machines_tenant_id_id_fk";--> statement-breakpoint
ALTER TABLE "threshold_conditions" RENAME CONSTRAINT "rule_conditions_tenant_id_rule_id_threshold_rules_tenant_id_id_" TO "threshold_conditions_tenant_id_rule_id_threshold_rules_tenant_id_id_fk";--> statement-breakpoint
ALTER INDEX "rule_conditions_machine_idx" RENAME TO "threshold_conditions_machine_idx";--> statement-breakpoint
ALTER TABLE "composite_conditions" RENAME COLUMN "judged_at" TO "evaluated_at";--> statement-breakpoint
ALTER TABLE "composite_conditions" RENAME COLUMN "back_count" TO "normal_count";--> statement-breakpoint
ALTER TABLE "alerts" RENAME COLUMN "is_late" TO "is_too_old_to_notify";--> statement-breakpoint
UPDATE "deliveries" SET "status" = CASE "status" WHEN 'gathering' THEN 'pending_digest' ELSE 'in_digest' END WHERE "status" IN ('gathering', 'grouped');--> statement-breakpoint
DROP INDEX "deliveries_gathering_idx";--> statement-breakpoint
CREATE INDEX "deliveries_pending_digest_idx" ON "deliveries" USING btree ("due_at") WHERE "deliveries"."status" = 'pending_digest';--> statement-breakpoint
-- The files of functions/ create them under their new names. A new database does not have them yet.
DROP FUNCTION IF EXISTS memory_is_out_of_date();--> statement-breakpoint
DROP FUNCTION IF EXISTS take_places(text, integer, integer, integer);--> statement-breakpoint
DROP FUNCTION IF EXISTS tell_poller(uuid, text);--> statement-breakpoint
DROP FUNCTION IF EXISTS gather_deliveries(timestamptz, integer, interval);--> statement-breakpoint
DROP PROCEDURE IF EXISTS let_ingest(regclass, text);
