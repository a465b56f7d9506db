import { columns } from '../../../db/columns.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { qualified } from '../../../db/sql.ts'
import type { alertHistory, alerts } from '../../../db/tables/alerts.ts'
import { fieldError, NotFound, Unprocessable } from '../../../support/errors.ts'
import type { ListPart } from '../../../support/http/cursor.ts'
import type { z } from '../../../support/http/z.ts'
import { inGroup } from '../../plant/machine-groups/index.ts'
import { machineNameOf } from '../../plant/machines/index.ts'
import type { AlertQuery } from './schemas.ts'

/** An alert with the name of its machine and its open work order. */
export type AlertRow = typeof alerts.$inferSelect & { machineName: string; workOrderId: string | null }

/** The columns of an {@link AlertRow} of the table `alerts a`. An alert has at most one open work order. */
export const ALERT_COLUMNS = `${qualified(columns.alerts, 'a')}, ${machineNameOf('a')},
  (select o.id from work_orders o where o.tenant_id = a.tenant_id and o.alert_id = a.id and o.status in ('open', 'in_progress')) as "workOrderId"`

const HISTORY_COLUMNS = columns.alertHistory

/** @throws NotFound */
export async function findAlert(scope: TenantScope, { alert_id }: { alert_id: string }): Promise<AlertRow> {
  const [row] = await scope.read(
    (sql) => sql<AlertRow[]>`
      select ${sql.unsafe(ALERT_COLUMNS)} from alerts a where a.tenant_id = ${scope.tenantId} and a.id = ${alert_id}`,
  )
  if (!row) throw new NotFound('alert', alert_id)
  return row
}

type AlertFilter = Omit<z.output<typeof AlertQuery>, 'page' | 'page_size' | 'cursor' | 'is_acknowledged'>

/** The filters that lists and bulk acknowledgements share, for the table `alerts a`. */
export const matching = (
  sql: TransactionSql,
  tenantId: string,
  { machine_id, rule_id, group_id, severity, start_date, end_date }: AlertFilter,
) => sql`
  ${inGroup(sql, tenantId, group_id, 'a.machine_id')} ${machine_id ? sql`and a.machine_id = ${machine_id}` : sql``} ${severity ? sql`and a.severity = ${severity}` : sql``}
  ${rule_id ? sql`and a.rule_id = ${rule_id}` : sql``}
  ${start_date ? sql`and a.created_at >= ${start_date}` : sql``} ${end_date ? sql`and a.created_at <= ${end_date}` : sql``}`

/** @throws Unprocessable for an end that is not after the start */
export function checkRange({ start_date, end_date }: AlertFilter): void {
  if (start_date && end_date && end_date <= start_date)
    throw new Unprocessable([fieldError('query.end_date', 'not_after', { other: 'start_date' })])
}

/** The filters of a query. */
export const matchingQuery = (
  sql: TransactionSql,
  tenantId: string,
  query: AlertFilter & { is_acknowledged?: boolean | undefined },
) => sql`
  a.tenant_id = ${tenantId} ${matching(sql, tenantId, query)}
  ${query.is_acknowledged === true ? sql`and a.acknowledged_at is not null` : sql``}
  ${query.is_acknowledged === false ? sql`and a.acknowledged_at is null` : sql``}`

/** A part of the alerts, newest first (exactly in the order of an index), and the number of all matches where the part does not know it. */
export const listAlerts = (
  scope: TenantScope,
  query: AlertFilter & { is_acknowledged?: boolean | undefined },
  { limit, offset, after, total }: Pick<ListPart, 'limit' | 'offset' | 'after' | 'total'>,
): Promise<{ items: AlertRow[]; total: number }> =>
  scope.read(async (sql) => {
    const where = matchingQuery(sql, scope.tenantId, query)
    const [items, totals] = await Promise.all([
      sql<AlertRow[]>`
        select ${sql.unsafe(ALERT_COLUMNS)} from alerts a where ${where}
        ${after ? sql`and (a.created_at, a.id) < (${after.at}, ${after.id})` : sql``}
        order by a.created_at desc nulls last, a.id desc nulls last limit ${limit} offset ${offset}`,
      total === null ? sql<{ total: number }[]>`select count(*)::int as total from alerts a where ${where}` : [{ total }],
    ])
    return { items: [...items], total: totals[0]?.total ?? 0 }
  })

/** The number of unacknowledged alerts by severity; a severity without any is missing. */
export const countUnacknowledged = (
  scope: TenantScope,
  groupId: string | undefined,
): Promise<{ severity: AlertRow['severity']; n: number }[]> =>
  scope.read(
    (sql) => sql<{ severity: AlertRow['severity']; n: number }[]>`
      select severity, count(*)::int as n from alerts
      where tenant_id = ${scope.tenantId} and acknowledged_at is null ${inGroup(sql, scope.tenantId, groupId, 'machine_id')}
      group by severity`,
  )

type HistoryRow = typeof alertHistory.$inferSelect

/**
 * The history of an alert, oldest first, and the number of rows. The first entry of page 1 (raised) is not stored, so this omits
 * it.
 */
export function listHistory(
  scope: TenantScope,
  alertId: string,
  { page, pageSize }: { page: number; pageSize: number },
): Promise<{ rows: HistoryRow[]; total: number }> {
  const from = (page - 1) * pageSize
  return scope.read(async (sql) => {
    const [rows, totals] = await Promise.all([
      sql<HistoryRow[]>`
        select ${sql.unsafe(HISTORY_COLUMNS)} from alert_history where tenant_id = ${scope.tenantId} and alert_id = ${alertId}
        order by at, id limit ${from === 0 ? pageSize - 1 : pageSize} offset ${Math.max(0, from - 1)}`,
      sql<{ n: number }[]>`
        select count(*)::int as n from alert_history where tenant_id = ${scope.tenantId} and alert_id = ${alertId}`,
    ])
    return { rows: [...rows], total: totals[0]?.n ?? 0 }
  })
}
