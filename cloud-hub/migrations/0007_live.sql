ALTER TABLE "tenants" ADD COLUMN "has_tag_mappings" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "alerts_acknowledged_idx" ON "alerts" USING btree ("tenant_id","acknowledged_at") WHERE "alerts"."acknowledged_at" is not null;--> statement-breakpoint
CREATE INDEX "alerts_snoozed_idx" ON "alerts" USING btree ("tenant_id","snoozed_until") WHERE "alerts"."snoozed_until" is not null;--> statement-breakpoint
CREATE INDEX "alerts_cleared_idx" ON "alerts" USING btree ("tenant_id","cleared_at") WHERE "alerts"."cleared_at" is not null;
--> statement-breakpoint
-- A mapping counts for flushes once it is confirmed: suggestions change nothing.
create function change_mapping_facts() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update tenants t set
    facts_version = facts_version + 1,
    has_tag_mappings = exists (select from tag_mappings m where m.tenant_id = t.id and m.is_confirmed)
  where id in (select distinct tenant_id from changed where is_confirmed);
  return null;
end $$;
create trigger mappings_made after insert on tag_mappings referencing new table as changed for each statement execute function change_mapping_facts();
create trigger mappings_changed after update on tag_mappings referencing new table as changed for each statement execute function change_mapping_facts();
create trigger mappings_deleted after delete on tag_mappings referencing old table as changed for each statement execute function change_mapping_facts();
update tenants t set facts_version = facts_version + 1, has_tag_mappings = true
  where exists (select from tag_mappings m where m.tenant_id = t.id and m.is_confirmed);
--> statement-breakpoint
grant select (has_tag_mappings) on tenants to haltless_ingest;
drop trigger note_change on tenants;
call build_audit('tenants', 'tenant', '', 'facts_version,has_tag_mappings');
