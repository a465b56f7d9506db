CREATE TABLE "sending_quotas" (
	"subject" text PRIMARY KEY NOT NULL,
	"sent" timestamp (3) with time zone[] NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
DROP INDEX "sso_configs_domain_key";--> statement-breakpoint
ALTER TABLE "sso_configs" ADD COLUMN "domain_token" text DEFAULT replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '') NOT NULL;--> statement-breakpoint
ALTER TABLE "sso_configs" ADD COLUMN "domain_verified_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "sso_configs" ADD COLUMN "domain_proof" text;--> statement-breakpoint
CREATE INDEX "sending_quotas_updated_idx" ON "sending_quotas" USING btree ("updated_at");--> statement-breakpoint
CREATE INDEX "sso_configs_claims_idx" ON "sso_configs" USING btree (lower("domain"));--> statement-breakpoint
CREATE UNIQUE INDEX "sso_configs_domain_key" ON "sso_configs" USING btree (lower("domain")) WHERE "sso_configs"."domain_verified_at" is not null;
--> statement-breakpoint
-- A domain that a tenant's people already sign in with counts as approved; doctor lists it. Other claims are unproven.
update sso_configs c set domain_verified_at = now(), domain_proof = 'linked' where exists (
  select from sso_identities i join users u on u.tenant_id = i.tenant_id and u.id = i.user_id
  where i.tenant_id = c.tenant_id and lower(split_part(u.email, '@', 2)) = lower(c.domain));
--> statement-breakpoint
-- Another domain is another claim, whoever changes it: its proof begins anew.
create function reset_domain_proof() returns trigger language plpgsql as $$
begin
  new.domain_token := replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
  new.domain_verified_at := null;
  new.domain_proof := null;
  return new;
end $$;
create trigger reset_domain_proof before update of domain on sso_configs for each row
  when (lower(old.domain) <> lower(new.domain)) execute function reset_domain_proof();
--> statement-breakpoint
grant select, insert, update, delete on sending_quotas to haltless_system;
-- Claims one sending of at most `per_day` in 24 hours, and not before `gap` after the last one. Answers when the next one may go; null: now, and it counts.
create function claim_sending(of_subject text, at timestamptz, per_day integer, gap interval) returns timestamptz
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  recent timestamptz[];
  n integer;
begin
  insert into sending_quotas (subject, sent, updated_at) values (of_subject, '{}', at) on conflict do nothing;
  select array(select s from unnest(sent) s where s > at - interval '1 day' order by s) into recent
  from sending_quotas where subject = of_subject for update;
  n := cardinality(recent);
  if n >= per_day then return recent[n - per_day + 1] + interval '1 day'; end if;
  if n > 0 and recent[n] > at - gap then return recent[n] + gap; end if;
  update sending_quotas set sent = recent || at, updated_at = at where subject = of_subject;
  return null;
end $$;
revoke all on function claim_sending(text, timestamptz, integer, interval) from public;
grant execute on function claim_sending(text, timestamptz, integer, interval) to haltless_app, haltless_system;
