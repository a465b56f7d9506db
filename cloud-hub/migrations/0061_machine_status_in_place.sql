-- A change of status stays within its row and page (HOT): no index names the status, and pages have room for a new version of some rows.
DROP INDEX "machines_offline_due_idx";--> statement-breakpoint
CREATE INDEX "machines_offline_due_idx" ON "machines" USING btree ("offline_due_at") WHERE "machines"."is_active" and "machines"."offline_due_at" is not null;--> statement-breakpoint
ALTER TABLE "machines" SET (fillfactor = 80);
