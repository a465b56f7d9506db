import type { OutboundEntity } from '../../db/enums.ts'
import type { Sql, TransactionSql } from '../../db/pools.ts'
import { attributeTime, byStart, sumByKey } from '../production/time-attribution/index.ts'
import type { ErpRecord, FieldValues } from './fields.ts'

type Reader = Sql | TransactionSql
type Row = FieldValues & { id: string }

const MINUTE_MS = 60_000

/**
 * The records with these ids, as an ERP gets them, by id: with one set of statements for all of them. Records that do not exist are
 * absent, and so are shift logs without a stored OEE, because they are not completed.
 */
export async function loadRecords(
  sql: Reader,
  tenantId: string,
  entity: OutboundEntity,
  ids: readonly string[],
): Promise<Map<string, ErpRecord>> {
  const [rows, lines] = await LOADERS[entity](sql, tenantId, ids as string[])
  const record = (row: Row): ErpRecord => ({
    id: row.id,
    entity,
    fields: row,
    lines: Object.fromEntries(Object.entries(lines).map(([list, byId]) => [list, byId.get(row.id) ?? []])),
  })
  return new Map(rows.map((row) => [row.id, record(row)]))
}

type Loaded = [rows: Row[], lines: Record<string, Map<string, FieldValues[]>>]

const LOADERS: Record<OutboundEntity, (sql: Reader, tenantId: string, ids: string[]) => Promise<Loaded>> = {
  work_order: loadWorkOrders,
  production_data: loadProductionData,
  downtime: loadDowntime,
}

async function loadWorkOrders(sql: Reader, tenantId: string, ids: string[]): Promise<Loaded> {
  const [orders, steps] = await Promise.all([
    sql<Row[]>`
      select w.id, w.title, w.description, w.status, w.priority, m.machine_identifier, m.name as machine_name, u.email as assigned_to,
        w.due_date, w.completed_at, w.completion_notes, w.created_at
      from work_orders w join machines m on m.tenant_id = w.tenant_id and m.id = w.machine_id
      left join users u on u.tenant_id = w.tenant_id and u.id = w.assigned_to
      where w.tenant_id = ${tenantId} and w.id = any(${ids}::uuid[])`,
    sql<(FieldValues & { work_order_id: string })[]>`
      select work_order_id, step_order as position, concat_ws(': ', title, nullif(body, '')) as text, completed_at
      from work_order_instructions where tenant_id = ${tenantId} and work_order_id = any(${ids}::uuid[])
      order by work_order_id, step_order, id`,
  ])
  const byOrder = Map.groupBy(steps, (step) => step.work_order_id)
  return [
    orders,
    { instructions: new Map([...byOrder].map(([id, of]) => [id, of.map(({ work_order_id: _, ...step }) => step)])) },
  ]
}

async function loadDowntime(sql: Reader, tenantId: string, ids: string[]): Promise<Loaded> {
  const rows = await sql<Row[]>`
    select d.id, m.machine_identifier, m.name as machine_name, d.reason_type, c.code as reason_code, c.label as reason_name, d.reason_note,
      d.started_at, d.ended_at, round(extract(epoch from d.ended_at - d.started_at)::numeric / 60, 3)::float8 as duration_minutes, d.source
    from downtime_records d join machines m on m.tenant_id = d.tenant_id and m.id = d.machine_id
    left join reason_codes c on c.tenant_id = d.tenant_id and c.id = d.reason_code_id
    where d.tenant_id = ${tenantId} and d.id = any(${ids}::uuid[])`
  return [rows, {}]
}

interface Stop {
  logId: string
  id: string
  code: string | null
  label: string | null
  type: string
  start: number
  end: number
}

async function loadProductionData(sql: Reader, tenantId: string, ids: string[]): Promise<Loaded> {
  const [logs, stops] = await Promise.all([
    sql<(Row & { started_at: Date; ended_at: Date })[]>`
      select l.id, m.machine_identifier, m.name as machine_name, s.name as shift_name, l.shift_date::text as shift_date,
        l.actual_start as started_at, l.actual_end as ended_at, o.planned_ms / 60000.0::float8 as planned_minutes,
        greatest(o.planned_ms - o.availability_loss_ms, 0) / 60000.0::float8 as run_minutes, o.downtime_ms / 60000.0::float8 as downtime_minutes,
        o.total_count, o.good_count, o.total_count - o.good_count as scrap_count, round(o.oee_ppb / 1e7, 2)::float8 as oee_pct,
        round(o.availability_ppb / 1e7, 2)::float8 as availability_pct, round(o.performance_ppb / 1e7, 2)::float8 as performance_pct,
        round(o.quality_ppb / 1e7, 2)::float8 as quality_pct
      from shift_logs l join shift_log_oee o on o.tenant_id = l.tenant_id and o.shift_log_id = l.id
      join machines m on m.tenant_id = l.tenant_id and m.id = l.machine_id
      join shift_definitions s on s.tenant_id = l.tenant_id and s.id = l.shift_definition_id
      where l.tenant_id = ${tenantId} and l.id = any(${ids}::uuid[]) and l.status = 'completed'`,
    sql<(Omit<Stop, 'start' | 'end'> & { start: Date; end: Date | null })[]>`
      select l.id as "logId", d.id, c.code, c.label, d.reason_type as type, d.started_at as start, d.ended_at as end
      from shift_logs l join downtime_records d on d.tenant_id = l.tenant_id and d.machine_id = l.machine_id
        and d.started_at < l.actual_end and (d.ended_at is null or d.ended_at > l.actual_start)
      left join reason_codes c on c.tenant_id = d.tenant_id and c.id = d.reason_code_id
      where l.tenant_id = ${tenantId} and l.id = any(${ids}::uuid[]) and l.status = 'completed'`,
  ])
  const byLog = Map.groupBy(
    stops.map((stop) => ({ ...stop, start: stop.start.getTime(), end: stop.end?.getTime() ?? Number.POSITIVE_INFINITY })),
    ({ logId }) => logId,
  )
  const lines = logs.map((log): [string, FieldValues[]] => [log.id, downtimeByReason(log, byLog.get(log.id) ?? [])])
  return [logs, { downtime_by_reason: new Map(lines) }]
}

/** Minutes by reason, the longest first. Each minute counts once: of overlapping records the one that started first owns it. */
function downtimeByReason(log: { started_at: Date; ended_at: Date }, stops: readonly Stop[]): FieldValues[] {
  const keyOf = ({ code, type }: Stop) => `${code ?? ''} ${type}`
  const reasons = new Map(stops.map((stop) => [keyOf(stop), stop]))
  const segments = attributeTime({ start: log.started_at.getTime(), end: log.ended_at.getTime() }, stops, byStart)
  return [...sumByKey(segments, keyOf)]
    .toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .map(([key, ms]) => {
      const { code = null, label = null, type } = reasons.get(key) as Stop
      return { reason_code: code, reason_name: label, reason_type: type, minutes: ms / MINUTE_MS }
    })
}
