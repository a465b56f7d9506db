import { columns } from '../../../db/columns.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { erpRuns, erpSyncLogs } from '../../../db/tables/erp.ts'
import { NotFound } from '../../../support/errors.ts'
import type { ListPart } from '../../../support/http/cursor.ts'
import type { z } from '../../../support/http/z.ts'
import type { LogQuery, RunQuery } from './log-schemas.ts'

export type LogRow = typeof erpSyncLogs.$inferSelect
export type RunRow = typeof erpRuns.$inferSelect

const LOG_COLUMNS = columns.erpSyncLogs
const RUN_COLUMNS = columns.erpRuns

type LogFilters = z.output<typeof LogQuery> & { erp_connection_id?: string | undefined }

const matchingLogs = (sql: TransactionSql, query: LogFilters) => sql`
  ${query.erp_connection_id ? sql`and erp_connection_id = ${query.erp_connection_id}` : sql``}
  ${query.entity_type ? sql`and entity_type = ${query.entity_type}` : sql``}
  ${query.direction ? sql`and direction = ${query.direction}` : sql``}
  ${query.status ? sql`and status = ${query.status}` : sql``}
  ${query.entity_id ? sql`and entity_id = ${query.entity_id}` : sql``}
  ${query.run_id ? sql`and run_id = ${query.run_id}` : sql``}
  ${query.from ? sql`and created_at >= ${query.from}` : sql``}
  ${query.to ? sql`and created_at <= ${query.to}` : sql``}`

/** Log entries, newest first: in the order of the indexes, which PostgreSQL uses only for exactly this order. */
export const listLogs = (
  scope: TenantScope,
  query: LogFilters,
  { limit, offset, after, total }: ListPart,
): Promise<{ rows: LogRow[]; total: number }> =>
  scope.read(async (sql) => {
    const [rows, totals] = await Promise.all([
      sql<LogRow[]>`
        select ${sql.unsafe(LOG_COLUMNS)} from erp_sync_logs where tenant_id = ${scope.tenantId} ${matchingLogs(sql, query)}
        ${after ? sql`and (created_at, id) < (${after.at}, ${after.id})` : sql``}
        order by created_at desc nulls last, id desc nulls last limit ${limit} offset ${offset}`,
      total === null
        ? sql<{ n: number }[]>`
            select count(*)::int as n from erp_sync_logs where tenant_id = ${scope.tenantId} ${matchingLogs(sql, query)}`
        : [{ n: total }],
    ])
    return { rows: [...rows], total: totals[0]?.n ?? 0 }
  })

/** Runs of a connection, newest first, in the order of the index. */
export const listRuns = (
  scope: TenantScope,
  connectionId: string,
  { page, page_size: size, status }: z.output<typeof RunQuery>,
): Promise<{ rows: RunRow[]; total: number }> =>
  scope.read(async (sql) => {
    const ofStatus = status ? sql`and status = ${status}` : sql``
    const [rows, totals] = await Promise.all([
      sql<RunRow[]>`
        select ${sql.unsafe(RUN_COLUMNS)} from erp_runs
        where tenant_id = ${scope.tenantId} and connection_id = ${connectionId} ${ofStatus}
        order by started_at desc nulls last, id desc nulls last limit ${size} offset ${(page - 1) * size}`,
      sql<{ n: number }[]>`
        select count(*)::int as n from erp_runs
        where tenant_id = ${scope.tenantId} and connection_id = ${connectionId} ${ofStatus}`,
    ])
    return { rows: [...rows], total: totals[0]?.n ?? 0 }
  })

/** @throws NotFound */
export async function findRun(scope: TenantScope, connectionId: string, runId: string): Promise<RunRow> {
  const [row] = await scope.read(
    (sql) => sql<RunRow[]>`
      select ${sql.unsafe(RUN_COLUMNS)} from erp_runs
      where tenant_id = ${scope.tenantId} and connection_id = ${connectionId} and id = ${runId}`,
  )
  if (!row) throw new NotFound('erp run', runId)
  return row
}
