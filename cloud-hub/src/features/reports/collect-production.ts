import { languageOf } from '@haltless/protocol/languages'
import type { TransactionSql } from '../../db/pools.ts'
import type { FactsRow } from '../alerting/alerts/index.ts'
import type { ReportedProduction } from '../mails/index.ts'
import { TITLE_FACTS, titleIn } from '../work/order-titles/index.ts'

const TOP_MACHINES = 10
const OVERDUE_ORDERS = 25

interface Period {
  tenantId: string
  /** of the reader */
  locale: string | null
  timeZone: string
  start: Date
  /** exclusive */
  end: Date
}

/**
 * Collects downtime and OEE of a period of a tenant, and its overdue work. It reads the tables of these areas, which are above this one.
 * @param now the instant of the report, at or after the end of the period
 */
export async function collectProduction(tx: TransactionSql, period: Period, now: Date): Promise<ReportedProduction> {
  return {
    downtime: await collectDowntime(tx, period),
    shifts: await collectShifts(tx, period),
    overdue: await collectOverdue(tx, period, now),
  }
}

/** A multirange is a union, so overlaps of a machine's records count once. An ongoing record lasts until the end of the period. */
async function collectDowntime(tx: TransactionSql, { tenantId, start, end }: Period): Promise<ReportedProduction['downtime']> {
  const rows = await tx<{ machineId: string; hours: number; records: number }[]>`
    select machine_id as "machineId", records, hours from (
      select machine_id, count(*)::int as records,
        range_agg(tstzrange(greatest(started_at, ${start}), least(coalesce(ended_at, ${end}), ${end}))) as stopped
      from downtime_records
      where tenant_id = ${tenantId} and started_at < ${end} and (ended_at is null or ended_at > ${start})
      group by machine_id) d
    cross join lateral (select (sum(extract(epoch from upper(r) - lower(r))) / 3600)::float8 as hours from unnest(stopped) r) sums
    order by hours desc, machine_id`
  const top = rows.slice(0, TOP_MACHINES)
  const names = await tx<{ id: string; name: string; location: string | null }[]>`
    select id, name, location from machines where tenant_id = ${tenantId} and id = any(${top.map(({ machineId }) => machineId)}::uuid[])`
  const sum = (of: 'hours' | 'records') => rows.reduce((total, row) => total + row[of], 0)
  return {
    hours: sum('hours'),
    records: sum('records'),
    machines: top.flatMap(({ machineId, hours, records }) => {
      const machine = names.find(({ id }) => id === machineId)
      return machine ? [{ name: machine.name, location: machine.location, hours, records }] : []
    }),
  }
}

/** The figures of the completed logs of each shift as one, from the sums by shift and date. */
async function collectShifts(
  tx: TransactionSql,
  { tenantId, timeZone, start, end }: Period,
): Promise<ReportedProduction['shifts']> {
  const rows = await tx<ReportedProduction['shifts']>`
    select d.name, s.logs, w.oee, w.availability, w.performance, w.quality
    from (
      select shift_definition_id, sum(log_count)::int as logs, sum(planned_ms) as planned_ms, sum(run_ms) as run_ms, sum(net_ms) as net_ms,
        sum(counted_ms) as counted_ms, sum(good_ms) as good_ms, sum(parts) as parts, sum(good_parts) as good_parts
      from shift_oee_days
      where tenant_id = ${tenantId} and shift_date >= (${start}::timestamptz at time zone ${timeZone})::date
        and shift_date < (${end}::timestamptz at time zone ${timeZone})::date
      group by shift_definition_id having sum(log_count) > 0) s
    join shift_definitions d on d.tenant_id = ${tenantId} and d.id = s.shift_definition_id
    cross join lateral weighted_oee(s.planned_ms, s.run_ms, s.net_ms, s.counted_ms, s.good_ms, s.parts, s.good_parts) w
    order by d.sort_order, d.start_time, d.id`
  return [...rows]
}

async function collectOverdue(
  tx: TransactionSql,
  { tenantId, locale }: Period,
  now: Date,
): Promise<ReportedProduction['overdue']> {
  const overdue = tx`o.tenant_id = ${tenantId} and o.status in ('open', 'in_progress') and o.due_date < ${now}`
  const [counted] = await tx<{ n: number }[]>`select count(*)::int as n from work_orders o where ${overdue}`
  const orders = await tx<OverdueRow[]>`
    select o.title, ${tx.unsafe(TITLE_FACTS)}, m.name as "machineName", o.priority, o.due_date as "dueAt"
    from work_orders o join machines m on m.tenant_id = o.tenant_id and m.id = o.machine_id
    where ${overdue} order by o.due_date, o.id limit ${OVERDUE_ORDERS}`
  const language = languageOf(locale)
  return {
    count: counted?.n ?? 0,
    orders: orders.map((order) => ({
      title: titleIn(language, order),
      machine: order.machineName,
      priority: order.priority,
      dueAt: order.dueAt.toISOString(),
    })),
  }
}

type OverdueRow = Pick<ReportedProduction['overdue']['orders'][number], 'title' | 'priority'> & {
  titleFacts: FactsRow | null
  machineName: string
  dueAt: Date
}
