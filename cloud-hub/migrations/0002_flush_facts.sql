ALTER TABLE "alerts" DROP CONSTRAINT "alerts_tenant_id_tenants_id_fk";
--> statement-breakpoint
DROP INDEX "threshold_rules_metric_idx";--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "facts_version" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "threshold_rules_concern_idx" ON "threshold_rules" USING btree ("tenant_id","metric_name","machine_id") WHERE "threshold_rules"."is_active";
--> statement-breakpoint
-- Flushes remember what they know of a tenant's rules and machines, and look whether its facts_version is still the one. Every way of changing
-- them passes here, so none can be forgotten.
create function change_facts() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update tenants set facts_version = facts_version + 1 where id in (select distinct tenant_id from changed);
  return null;
end $$;
--> statement-breakpoint
create trigger rules_made after insert on threshold_rules referencing new table as changed for each statement execute function change_facts();
create trigger rules_changed after update on threshold_rules referencing new table as changed for each statement execute function change_facts();
create trigger rules_deleted after delete on threshold_rules referencing old table as changed for each statement execute function change_facts();
create trigger machines_deleted after delete on machines referencing old table as changed for each statement execute function change_facts();
--> statement-breakpoint
-- Statuses, which flushes write themselves, change nothing here: hence by row and by column.
create function change_facts_of_machine() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update tenants set facts_version = facts_version + 1 where id = new.tenant_id;
  return null;
end $$;
--> statement-breakpoint
-- At the commit, so that whoever changes two machines does not hold up whoever changes two others.
create constraint trigger machines_changed after update of name, machine_identifier, location, is_active on machines
  deferrable initially deferred for each row
  when ((old.name, old.machine_identifier, old.location, old.is_active) is distinct from (new.name, new.machine_identifier, new.location, new.is_active))
  execute function change_facts_of_machine();
--> statement-breakpoint
call let_ingest('tenants', 'select (id, facts_version)');
-- The version of a channel's row, with which the worker knows whether the configuration it holds is still the one.
grant select (xmin) on notification_channels to haltless_ingest;
--> statement-breakpoint
create function memory_is_out_of_date() returns void language plpgsql as $$
begin
  raise exception 'what this process remembers is out of date' using errcode = 'HL001';
end $$;
--> statement-breakpoint
-- The first thing that a flush does: nobody changes the rules of these tenants until it has ended. With versions, what it remembers of them holds,
-- or it fails; the look comes after the lock, which makes it a look at what is locked.
create function hold_rules(tenant_ids uuid[], versions bigint[] default null) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(4711, key) from (select distinct hashtext(t::text) as key from unnest(tenant_ids) t order by 1) keys;
  if versions is not null and exists (
    select from unnest(tenant_ids, versions) held(id, version) left join tenants t on t.id = held.id where t.facts_version is distinct from held.version
  ) then
    perform memory_is_out_of_date();
  end if;
end $$;
