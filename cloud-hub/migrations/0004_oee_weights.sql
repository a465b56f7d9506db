-- Weighted OEE: sums of minutes and parts beside the sums of percentages, and what was ignored in counters. Logs with counters are computed
-- again, because a reading that fell and returned counted its whole value. A hub of the previous version leaves the new columns of
-- shift_log_oee null; the trigger keeps the sums for it too.
-- functions: 9e04199baedb958faf304e38603a517cc5954e6c24b097817e3207b85f581a95

DROP INDEX "machine_oee_days_sums_idx";--> statement-breakpoint
ALTER TABLE "machine_oee_days" ADD COLUMN "planned_ms" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "machine_oee_days" ADD COLUMN "run_ms" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "machine_oee_days" ADD COLUMN "net_ms" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "machine_oee_days" ADD COLUMN "counted_ms" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "machine_oee_days" ADD COLUMN "good_ms" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "machine_oee_days" ADD COLUMN "parts" numeric DEFAULT '0' NOT NULL;--> statement-breakpoint
ALTER TABLE "machine_oee_days" ADD COLUMN "good_parts" numeric DEFAULT '0' NOT NULL;--> statement-breakpoint
ALTER TABLE "shift_log_oee" ADD COLUMN "ignored_dips" integer;--> statement-breakpoint
ALTER TABLE "shift_log_oee" ADD COLUMN "has_open_drop" boolean;--> statement-breakpoint
ALTER TABLE "shift_oee_days" ADD COLUMN "run_ms" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "shift_oee_days" ADD COLUMN "net_ms" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "shift_oee_days" ADD COLUMN "counted_ms" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "shift_oee_days" ADD COLUMN "good_ms" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "shift_oee_days" ADD COLUMN "parts" numeric DEFAULT '0' NOT NULL;--> statement-breakpoint
ALTER TABLE "shift_oee_days" ADD COLUMN "good_parts" numeric DEFAULT '0' NOT NULL;--> statement-breakpoint
CREATE INDEX "shift_log_oee_open_drop_idx" ON "shift_log_oee" USING btree ("tenant_id","machine_id") WHERE "shift_log_oee"."has_open_drop";--> statement-breakpoint
CREATE INDEX "machine_oee_days_sums_idx" ON "machine_oee_days" USING btree ("tenant_id","shift_date","machine_id","oee_count","oee_sum_ppb","planned_ms","run_ms","net_ms","counted_ms","good_ms","parts","good_parts");--> statement-breakpoint
create or replace function oee_weights(log shift_log_oee)
returns table (run_ms bigint, net_ms bigint, counted_ms bigint, good_ms bigint, parts numeric, good_parts numeric)
language sql
immutable
as $$
  select run, net,
    case when is_counted then net else 0 end,
    case when is_counted then 0 else round(net * (coalesce(log.quality_ppb, 0) / 1e9::float8))::bigint end,
    case when is_counted then log.total_count::numeric else 0 end,
    case when is_counted then least(log.good_count, log.total_count)::numeric else 0 end
  from (select greatest(log.planned_ms - log.availability_loss_ms, 0) as run) r
  cross join lateral (select round(run * (coalesce(log.performance_ppb, 0) / 1e9::float8))::bigint as net) n
  cross join lateral (select run > 0 and log.total_count is not null and log.good_count is not null as is_counted) c
$$;;--> statement-breakpoint
update shift_oee_days d set run_ms = s.run_ms, net_ms = s.net_ms, counted_ms = s.counted_ms, good_ms = s.good_ms, parts = s.parts,
  good_parts = s.good_parts
from (
  select o.tenant_id, o.shift_date, o.shift_definition_id, sum(w.run_ms) as run_ms, sum(w.net_ms) as net_ms, sum(w.counted_ms) as counted_ms,
    sum(w.good_ms) as good_ms, sum(w.parts) as parts, sum(w.good_parts) as good_parts
  from shift_log_oee o cross join lateral oee_weights(o) w group by 1, 2, 3) s
where d.tenant_id = s.tenant_id and d.shift_date = s.shift_date and d.shift_definition_id = s.shift_definition_id;--> statement-breakpoint
update machine_oee_days d set planned_ms = s.planned_ms, run_ms = s.run_ms, net_ms = s.net_ms, counted_ms = s.counted_ms, good_ms = s.good_ms,
  parts = s.parts, good_parts = s.good_parts
from (
  select o.tenant_id, o.shift_date, o.machine_id, sum(o.planned_ms) as planned_ms, sum(w.run_ms) as run_ms, sum(w.net_ms) as net_ms,
    sum(w.counted_ms) as counted_ms, sum(w.good_ms) as good_ms, sum(w.parts) as parts, sum(w.good_parts) as good_parts
  from shift_log_oee o cross join lateral oee_weights(o) w group by 1, 2, 3) s
where d.tenant_id = s.tenant_id and d.shift_date = s.shift_date and d.machine_id = s.machine_id;--> statement-breakpoint
insert into oee_changes (tenant_id, shift_log_id, has_new_counts)
select tenant_id, shift_log_id, true from shift_log_oee where total_count is not null or good_count is not null;
