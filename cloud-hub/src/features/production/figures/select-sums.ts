import type { OeeLossCategory, ReasonType } from '../../../db/enums.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import { downtimeMs, type ReliabilitySums } from '../downtime/index.ts'
import { type Oee, sumsOfWeights } from '../oee/index.ts'
import {
  ALL,
  divide,
  type Fragment,
  joinBounds,
  joinBoundsOfMember,
  joinPeriods,
  selectBounds,
  selectKeys,
  selectMembers,
} from './divide.ts'
import { isOfMachines, type MachineScope } from './machine-scope.ts'
import type { FiguresQueryOutput } from './schemas.ts'
import { selectCompanyOeeRows, selectDowntimeRows, selectOeeRows } from './select-rows.ts'
import { type Kept, keptOf } from './spans.ts'
import type { Windows } from './window.ts'

/** What entries name. */
interface Named {
  key: string
  name: string | null
}

/** The OEE of shift logs, in percent, and the sums that it comes from. */
interface OeeSums extends Oee {
  plannedMs: number
  runMs: number
  parts: number
  goodParts: number
}

/** Sums of a machine, a group or all machines in a period, counted from 1. */
export interface PeriodSums extends Named, ReliabilitySums, OeeSums {
  period: number
  /** by the index of their time zone */
  machines: Record<string, number>
  downtimeMs: number
  records: number
  alerts: number
  criticals: number
}

/** Sums of the completed logs of a shift. */
export interface ShiftSums extends Named, OeeSums {
  date: string
  definitionId: string
  shiftName: string
  start: Date
  end: Date
  downtimeMs: number
}

export interface ReasonSums {
  period: number
  codeId: string | null
  code: string | null
  label: string | null
  loss: OeeLossCategory | null
  type: ReasonType
  downtimeMs: number
  records: number
}

const oeeColumns = (sql: TransactionSql, sums: Fragment) => sql`
  coalesce(${sums}.planned_ms, 0)::float8 as "plannedMs", coalesce(${sums}.run_ms, 0)::float8 as "runMs", coalesce(${sums}.parts, 0)::float8 as parts,
  coalesce(${sums}.good_parts, 0)::float8 as "goodParts", w.oee, w.availability, w.performance, w.quality`

const weighted = (sql: TransactionSql, sums: Fragment) => sql`
  cross join lateral weighted_oee(${sums}.planned_ms, ${sums}.run_ms, ${sums}.net_ms, ${sums}.counted_ms, ${sums}.good_ms, ${sums}.parts,
    ${sums}.good_parts) w`

/**
 * Sums of each key and period, by period and name: also where nothing happened. Large tables are summed by machine, or in one when all
 * machines are one key, and then by key: a machine may belong to several groups.
 * @param scope as {@link loadMachineScope} has it
 */
export function selectPeriods(
  sql: TransactionSql,
  tenantId: string,
  query: FiguresQueryOutput,
  windows: Windows,
  scope: MachineScope,
  kept: Kept = keptOf(windows, query),
) {
  const { from, until, isAfter, isBefore, ofInstant } = divide(sql, windows)
  const unit = query.by ? sql`machine_id` : sql`${ALL}::uuid`
  const source = { sql, tenantId, windows, unit, isWanted: isOfMachines(sql, tenantId, query, scope) }
  const oeeRows =
    scope.inactive && kept.company
      ? selectCompanyOeeRows(source, kept.company, scope.inactive)
      : selectOeeRows(source, kept.dates)
  const sums = sql`s`
  return sql<PeriodSums[]>`
    with bounds as materialized (${selectBounds(sql, windows)}),
    keys as materialized (${selectKeys(sql, tenantId, query)}),
    members as materialized (${selectMembers(sql, tenantId, query, windows)}),
    units as (${query.by ? sql`select key, machine_id as unit from members` : sql`select ${ALL}::uuid as key, ${ALL}::uuid as unit`}),
    machines_of as (
      select key, json_object_agg(zone, n) as n from (select key, zone, count(*)::int as n from members group by 1, 2) c group by 1),
    downtime_of as materialized (
      select unit, period, sum(ms) as ms, sum(records) as records, sum(repairs) as repairs, sum("repairMs") as "repairMs", sum(failures) as failures,
        sum(intervals) as intervals, sum("uptimeMs") as "uptimeMs"
      from (${selectDowntimeRows(source, kept.instants)}) d group by 1, 2),
    oee_of as materialized (
      select unit, period, sum(planned_ms) as planned_ms, ${sumsOfWeights(sql)} from (${oeeRows}) o group by 1, 2),
    alerts_of as materialized (
      select ${unit} as unit, ${ofInstant(sql`created_at`)} as period, count(*) as alerts, count(*) filter (where severity = 'critical') as criticals
      from alerts ${joinBounds(sql, windows)}
      where tenant_id = ${tenantId} and ${source.isWanted} and created_at >= ${from} and created_at < ${until} and ${isAfter(sql`created_at`)} and ${isBefore(sql`created_at`)}
      group by 1, 2),
    sums as (
      select k.key, k.name, p.period, coalesce(sum(d.ms), 0) as "downtimeMs", coalesce(sum(d.records), 0)::int as records,
        coalesce(sum(d.repairs), 0)::int as repairs, coalesce(sum(d."repairMs"), 0)::float8 as "repairMs",
        coalesce(sum(d.failures), 0)::int as failures, coalesce(sum(d.intervals), 0)::int as intervals,
        coalesce(sum(d."uptimeMs"), 0)::float8 as "uptimeMs", coalesce(sum(a.alerts), 0)::int as alerts,
        coalesce(sum(a.criticals), 0)::int as criticals, sum(planned_ms) as planned_ms, ${sumsOfWeights(sql)}
      from keys k cross join generate_series(1, ${windows.each[0].periods.length}::int) p(period)
      left join units u on u.key = k.key
      left join downtime_of d on d.unit = u.unit and d.period = p.period
      left join oee_of o on o.unit = u.unit and o.period = p.period
      left join alerts_of a on a.unit = u.unit and a.period = p.period
      group by 1, 2, 3)
    select s.key, s.name, s.period, coalesce(m.n, '{}') as machines, "downtimeMs", records, repairs, "repairMs", failures, intervals,
      "uptimeMs", alerts, criticals, ${oeeColumns(sql, sums)}
    from sums s left join machines_of m on m.key = s.key
    ${weighted(sql, sums)}
    order by s.period, s.name collate natural_order, s.key`
}

/** Selects an entry for each key and shift that {@link selectShifts} has, for counting them. */
export const selectShiftEntries = (sql: TransactionSql, tenantId: string, query: FiguresQueryOutput, windows: Windows) => sql`
  with bounds as materialized (${selectBounds(sql, windows)}),
  keys as materialized (${selectKeys(sql, tenantId, query)}),
  members as materialized (${selectMembers(sql, tenantId, query, windows)})
  select distinct m.key, log.shift_date, log.shift_definition_id
  from members m join shift_log_oee log on log.tenant_id = ${tenantId} and log.machine_id = m.machine_id
  ${joinBoundsOfMember(sql, windows)} where ${divide(sql, windows).hasDate(sql`log.shift_date`)}`

/** Sums of the completed logs of each shift, by date and start. */
export function selectShifts(sql: TransactionSql, tenantId: string, query: FiguresQueryOutput, windows: Windows) {
  const sums = sql`s`
  return sql<ShiftSums[]>`
    with bounds as materialized (${selectBounds(sql, windows)}),
    keys as materialized (${selectKeys(sql, tenantId, query)}),
    members as materialized (${selectMembers(sql, tenantId, query, windows)})
    select s.key, k.name, s.shift_date::text as date, d.id as "definitionId", d.name as "shiftName", s.start, s.end, s."downtimeMs", ${oeeColumns(sql, sums)}
    from (
      select m.key, log.shift_date, log.shift_definition_id, min(l.actual_start) as start, max(l.actual_end) as end,
        sum(downtime_ms)::float8 as "downtimeMs", sum(planned_ms) as planned_ms, ${sumsOfWeights(sql)}
      from members m join shift_log_oee log on log.tenant_id = ${tenantId} and log.machine_id = m.machine_id
      join shift_logs l on l.tenant_id = log.tenant_id and l.id = log.shift_log_id
      ${joinBoundsOfMember(sql, windows)}
      cross join lateral oee_weights(log)
      where ${divide(sql, windows).hasDate(sql`log.shift_date`)}
      group by 1, 2, 3) s
    join keys k on k.key = s.key
    join shift_definitions d on d.tenant_id = ${tenantId} and d.id = s.shift_definition_id
    ${weighted(sql, sums)}
    order by s.shift_date, d.sort_order, d.start_time, d.id, k.name collate natural_order, k.key`
}

/** Downtime of each reason and period, by period and code: each instant of a machine belongs to the record that started first. */
export function selectReasons(
  sql: TransactionSql,
  tenantId: string,
  query: FiguresQueryOutput,
  windows: Windows,
  scope: MachineScope,
) {
  const { from, until, isAfter, isBefore, ofInstant, joined } = divide(sql, windows)
  const isWanted = isOfMachines(sql, tenantId, query, scope)
  const rows = sql`
    downtime_figures f
    join (select id, reason_type, reason_code_id from downtime_records where tenant_id = ${tenantId}) r on r.id = f.record_id
    ${joinBounds(sql, windows)}`
  return sql<ReasonSums[]>`
    with bounds as materialized (${selectBounds(sql, windows)}),
    members as materialized (${selectMembers(sql, tenantId, query, windows)}),
    sums as (
      select reason_code_id, case when reason_code_id is null then reason_type end as type, period, sum(ms) as ms, sum(records) as records
      from (
        select reason_code_id, reason_type, ${joined.period} as period, ${downtimeMs(sql, joined.start, joined.end)} as ms, 0 as records
        from ${rows} ${joinPeriods(sql, windows)}
        where f.tenant_id = ${tenantId} and ${isWanted} and ended_at > ${from} and attributed_from < ${until} and ${isAfter(sql`ended_at`)} and ${isBefore(sql`attributed_from`)}
        group by 1, 2, 3
        union all
        select reason_code_id, reason_type, ${ofInstant(sql`started_at`)}, 0, count(*)
        from ${rows}
        where f.tenant_id = ${tenantId} and ${isWanted} and started_at >= ${from} and started_at < ${until} and ${isAfter(sql`started_at`)} and ${isBefore(sql`started_at`)}
        group by 1, 2, 3) u
      group by 1, 2, 3)
    select s.period, c.id as "codeId", c.code, c.label, c.oee_loss_category as loss, coalesce(c.category, s.type) as type, s.ms as "downtimeMs",
      s.records::int as records
    from sums s left join reason_codes c on c.tenant_id = ${tenantId} and c.id = s.reason_code_id
    order by s.period, c.code nulls first, 6`
}
