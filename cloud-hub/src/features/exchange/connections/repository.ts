import { and, count, eq, gte, lte, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { first, owned, type TenantScope } from '../../../db/scope.ts'
import { erpRuns, erpSyncLogs } from '../../../db/tables/erp.ts'
import { NotFound } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import type { LogQuery, RunQuery } from './log-schemas.ts'

export type LogRow = typeof erpSyncLogs.$inferSelect
export type RunRow = typeof erpRuns.$inferSelect

/** In the order of the indexes, which PostgreSQL uses only for exactly this order. */
const newest = (column: PgColumn) => sql`${column} desc nulls last`

/** Log entries, newest first. */
export async function listLogs(
  scope: TenantScope,
  query: z.output<typeof LogQuery> & { erp_connection_id?: string | undefined },
): Promise<{ rows: LogRow[]; total: number }> {
  const { page, page_size: pageSize } = query
  const equal = (column: PgColumn, value: string | undefined) => (value === undefined ? undefined : eq(column, value))
  const matching = and(
    owned(erpSyncLogs, scope),
    equal(erpSyncLogs.erpConnectionId, query.erp_connection_id),
    equal(erpSyncLogs.entityType, query.entity_type),
    equal(erpSyncLogs.direction, query.direction),
    equal(erpSyncLogs.status, query.status),
    equal(erpSyncLogs.entityId, query.entity_id),
    equal(erpSyncLogs.runId, query.run_id),
    query.from && gte(erpSyncLogs.createdAt, query.from),
    query.to && lte(erpSyncLogs.createdAt, query.to),
  )
  return scope.read(async (db) => {
    const [rows, totals] = await Promise.all([
      db
        .select()
        .from(erpSyncLogs)
        .where(matching)
        .orderBy(newest(erpSyncLogs.createdAt), newest(erpSyncLogs.id))
        .limit(pageSize)
        .offset((page - 1) * pageSize),
      db.select({ n: count() }).from(erpSyncLogs).where(matching),
    ])
    return { rows, total: totals[0]?.n ?? 0 }
  })
}

const runsOf = (scope: TenantScope, connectionId: string) => and(owned(erpRuns, scope), eq(erpRuns.connectionId, connectionId))

/** Runs of a connection, newest first. */
export async function listRuns(
  scope: TenantScope,
  connectionId: string,
  { page, page_size: pageSize, status }: z.output<typeof RunQuery>,
): Promise<{ rows: RunRow[]; total: number }> {
  const matching = and(runsOf(scope, connectionId), status ? eq(erpRuns.status, status) : undefined)
  return scope.read(async (db) => {
    const [rows, totals] = await Promise.all([
      db
        .select()
        .from(erpRuns)
        .where(matching)
        .orderBy(newest(erpRuns.startedAt), newest(erpRuns.id))
        .limit(pageSize)
        .offset((page - 1) * pageSize),
      db.select({ n: count() }).from(erpRuns).where(matching),
    ])
    return { rows, total: totals[0]?.n ?? 0 }
  })
}

/** @throws NotFound */
export async function findRun(scope: TenantScope, connectionId: string, runId: string): Promise<RunRow> {
  const row = await scope.read((db) =>
    db
      .select()
      .from(erpRuns)
      .where(and(runsOf(scope, connectionId), eq(erpRuns.id, runId)))
      .then(first),
  )
  if (!row) throw new NotFound('erp run', runId)
  return row
}
