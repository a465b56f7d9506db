-- Sums of downtime and of OEE by machine and spans of 7 and 28 days, for figures over long ranges. They are computed here from the rows that they
-- sum, while nothing changes those: a hub of the version before writes through the same triggers afterwards.
-- functions: 5037e8b85e01f218113c80337389bad97c0ca9dcff9194a1af5051de4624de0a
LOCK TABLE "downtime_records", "downtime_figures", "shift_log_oee", "machine_oee_days" IN SHARE ROW EXCLUSIVE MODE;--> statement-breakpoint
CREATE TABLE "downtime_rollups" (
	"tenant_id" uuid NOT NULL,
	"machine_id" uuid NOT NULL,
	"days" integer NOT NULL,
	"start_at" timestamp (3) with time zone NOT NULL,
	"downtime_ms" bigint NOT NULL,
	"records" integer NOT NULL,
	"repairs" integer NOT NULL,
	"repair_ms" bigint NOT NULL,
	"failures" integer NOT NULL,
	"intervals" integer NOT NULL,
	"uptime_ms" bigint NOT NULL,
	"entering_intervals" integer NOT NULL,
	"entering_uptime_ms" bigint NOT NULL,
	"entering_from_ms" bigint NOT NULL,
	CONSTRAINT "downtime_rollups_tenant_id_days_start_at_machine_id_pk" PRIMARY KEY("tenant_id","days","start_at","machine_id")
);
--> statement-breakpoint
CREATE TABLE "oee_rollups" (
	"tenant_id" uuid NOT NULL,
	"machine_id" uuid NOT NULL,
	"days" integer NOT NULL,
	"start_date" date NOT NULL,
	"planned_ms" bigint NOT NULL,
	"run_ms" bigint DEFAULT 0 NOT NULL,
	"net_ms" bigint DEFAULT 0 NOT NULL,
	"counted_ms" bigint DEFAULT 0 NOT NULL,
	"good_ms" bigint DEFAULT 0 NOT NULL,
	"parts" numeric DEFAULT '0' NOT NULL,
	"good_parts" numeric DEFAULT '0' NOT NULL,
	CONSTRAINT "oee_rollups_tenant_id_days_start_date_machine_id_pk" PRIMARY KEY("tenant_id","days","start_date","machine_id")
);
--> statement-breakpoint
CREATE INDEX "downtime_rollups_machine_idx" ON "downtime_rollups" USING btree ("tenant_id","machine_id","days","start_at");--> statement-breakpoint
CREATE INDEX "oee_rollups_machine_idx" ON "oee_rollups" USING btree ("tenant_id","machine_id","days","start_date");--> statement-breakpoint
CREATE INDEX "downtime_figures_long_idx" ON "downtime_figures" USING btree ("tenant_id","ended_at","machine_id","attributed_from") WHERE "downtime_figures"."ended_at" - "downtime_figures"."attributed_from" > interval '7 days';--> statement-breakpoint
CREATE INDEX "machine_oee_days_machine_idx" ON "machine_oee_days" USING btree ("tenant_id","machine_id","shift_date","planned_ms","run_ms","net_ms","counted_ms","good_ms","parts","good_parts");--> statement-breakpoint
ALTER TABLE "downtime_rollups" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON "downtime_rollups" TO haltless_app, haltless_system;--> statement-breakpoint
ALTER TABLE "oee_rollups" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON "oee_rollups" TO haltless_app, haltless_system;--> statement-breakpoint
create or replace function downtime_rollups_of(f downtime_figures, days int)
returns table (start_at timestamptz, downtime_ms bigint, records int, repairs int, repair_ms bigint, failures int, intervals int,
  uptime_ms bigint, entering_intervals int, entering_uptime_ms bigint, entering_from_ms bigint)
language sql
stable
as $$
  select s.start_at,
    case when is_start then 0 else (1000 * extract(epoch from least(f.ended_at, s.start_at + $2 * interval '24 h') - greatest(f.attributed_from, s.start_at)))::bigint end,
    is_start::int,
    (is_start and f.repair_seconds is not null)::int, case when is_start then coalesce(round(f.repair_seconds * 1000)::bigint, 0) else 0 end,
    (is_start and f.starts_failure)::int,
    (is_start and f.previous_failure_at is not null)::int, case when is_start then coalesce(round(f.uptime_before_seconds * 1000)::bigint, 0) else 0 end,
    coalesce(is_start and f.previous_failure_at < s.start_at, false)::int,
    case when is_start and f.previous_failure_at < s.start_at then round(f.uptime_before_seconds * 1000)::bigint else 0 end,
    case when is_start and f.previous_failure_at < s.start_at then (1000 * extract(epoch from f.previous_failure_at))::bigint else 0 end
  from (values (true, 0), (false, 0), (false, 1)) part(is_start, n)
  cross join lateral (
    select date_bin($2 * interval '24 h', case when is_start then f.started_at else f.attributed_from end, timestamptz '1970-01-05 00:00+00')
      + n * $2 * interval '24 h' as start_at) s
  where is_start or (s.start_at < f.ended_at and f.ended_at - f.attributed_from <= interval '7 days')
$$;--> statement-breakpoint
insert into downtime_rollups (tenant_id, machine_id, days, start_at, downtime_ms, records, repairs, repair_ms, failures, intervals, uptime_ms,
  entering_intervals, entering_uptime_ms, entering_from_ms)
select f.tenant_id, f.machine_id, length.days, s.start_at, sum(s.downtime_ms), sum(s.records), sum(s.repairs), sum(s.repair_ms), sum(s.failures),
  sum(s.intervals), sum(s.uptime_ms), sum(s.entering_intervals), sum(s.entering_uptime_ms), sum(s.entering_from_ms)
from downtime_figures f cross join (values (7), (28)) length(days) cross join lateral downtime_rollups_of(f, length.days) s
where exists (select from machines m where m.tenant_id = f.tenant_id and m.id = f.machine_id)
group by 1, 2, 3, 4 order by 1, 3, 4, 2;--> statement-breakpoint
insert into oee_rollups (tenant_id, days, start_date, machine_id, planned_ms, run_ms, net_ms, counted_ms, good_ms, parts, good_parts)
select tenant_id, days, date_bin(days * interval '24 h', shift_date::timestamp, timestamp '1970-01-05')::date, machine_id, sum(planned_ms), sum(run_ms),
  sum(net_ms), sum(counted_ms), sum(good_ms), sum(parts), sum(good_parts)
from machine_oee_days cross join (values (7), (28)) length(days)
group by 1, 2, 3, 4 order by 1, 2, 3, 4;--> statement-breakpoint
-- at the end, because until the commit nobody writes machines, or reads the index
DROP INDEX "machine_oee_days_sums_idx";--> statement-breakpoint
ALTER TABLE "downtime_rollups" ADD CONSTRAINT "downtime_rollups_tenant_id_machine_id_machines_tenant_id_id_fk" FOREIGN KEY ("tenant_id","machine_id") REFERENCES "public"."machines"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oee_rollups" ADD CONSTRAINT "oee_rollups_tenant_id_machine_id_machines_tenant_id_id_fk" FOREIGN KEY ("tenant_id","machine_id") REFERENCES "public"."machines"("tenant_id","id") ON DELETE cascade ON UPDATE no action;
