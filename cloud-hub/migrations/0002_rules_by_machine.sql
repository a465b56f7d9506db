DROP INDEX "threshold_rules_metric_idx";--> statement-breakpoint
CREATE INDEX "threshold_rules_concern_idx" ON "threshold_rules" USING btree ("tenant_id","metric_name","machine_id") WHERE "threshold_rules"."is_active";--> statement-breakpoint
-- The version of a channel's row: with it the worker knows whether the configuration it holds is still the one. No secret, unlike the rest.
grant select (xmin) on notification_channels to haltless_ingest;
--> statement-breakpoint
-- What a flush calls when the database does not confirm what the process remembers: the transaction fails, and the flush asks anew.
create function memory_is_out_of_date() returns void language plpgsql as $$
begin
  raise exception 'what this process remembers is out of date' using errcode = 'HL001';
end $$;
