import { columns } from '../../../db/columns.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { qualified } from '../../../db/sql.ts'
import type { shiftLogs } from '../../../db/tables/shifts.ts'
import { NotFound } from '../../../support/errors.ts'
import { limitsOf } from '../../../support/http/shapes.ts'
import type { z } from '../../../support/http/z.ts'
import { inGroup } from '../../plant/machine-groups/index.ts'
import { machineNameOf } from '../../plant/machines/index.ts'
import type { ActiveQuery, LogQuery } from './schemas.ts'

export type ShiftLogRow = typeof shiftLogs.$inferSelect & { machineName: string; shiftName: string; shiftColor: string }

/** The columns of a {@link ShiftLogRow}: of a log `l` with its definition `d`. */
export const SHIFT_LOG_COLUMNS = `${qualified(columns.shiftLogs, 'l')}, ${machineNameOf('l')}, d.name as "shiftName", d.color as "shiftColor"`

const withDefinition = (sql: TransactionSql) =>
  sql`shift_logs l join shift_definitions d on d.tenant_id = l.tenant_id and d.id = l.shift_definition_id`

/** @throws NotFound */
export async function logById(sql: TransactionSql, scope: TenantScope, id: string): Promise<ShiftLogRow> {
  const [row] = await sql<ShiftLogRow[]>`
    select ${sql.unsafe(SHIFT_LOG_COLUMNS)} from ${withDefinition(sql)} where l.tenant_id = ${scope.tenantId} and l.id = ${id}`
  if (!row) throw new NotFound('shift log', id)
  return row
}

/** @throws NotFound */
export const findLog = (scope: TenantScope, { log_id }: { log_id: string }): Promise<ShiftLogRow> =>
  scope.read((sql) => logById(sql, scope, log_id))

/** Locks a log until the end of the transaction. */
export const lockLog = (sql: TransactionSql, scope: TenantScope, { log_id }: { log_id: string }) =>
  sql`select 1 from shift_logs where tenant_id = ${scope.tenantId} and id = ${log_id} for no key update`

/** A page of the logs that match, newest first, and how many match. */
export function listLogs(scope: TenantScope, query: z.output<typeof LogQuery>): Promise<{ rows: ShiftLogRow[]; total: number }> {
  const { machine_id, group_id, from_date, to_date, status, page, page_size } = query
  return scope.tx(async (sql) => {
    const matching = sql`l.tenant_id = ${scope.tenantId}
      ${machine_id ? sql`and l.machine_id = ${machine_id}` : sql``}
      ${inGroup(sql, scope.tenantId, group_id, 'l.machine_id')}
      ${from_date ? sql`and l.shift_date >= ${from_date}::text::date` : sql``}
      ${to_date ? sql`and l.shift_date <= ${to_date}::text::date` : sql``}
      ${status ? sql`and l.status = ${status}` : sql``}`
    const rows = await sql<ShiftLogRow[]>`
      select ${sql.unsafe(SHIFT_LOG_COLUMNS)} from ${withDefinition(sql)} where ${matching}
      order by l.shift_date desc, l.actual_start desc, l.id desc limit ${page_size} offset ${(page - 1) * page_size}`
    const [counted] = await sql<{ n: number }[]>`select count(*)::int as n from shift_logs l where ${matching}`
    return { rows: [...rows], total: counted?.n ?? 0 }
  })
}

/** Logs in progress, by start, and how many there are on all pages. */
export async function activeLogs(scope: TenantScope, query: z.output<typeof ActiveQuery>) {
  const { limit, offset } = limitsOf(query)
  const [rows, [counted]] = await scope.read((sql) => {
    const matching = sql`l.tenant_id = ${scope.tenantId} and l.status = 'active'
      ${inGroup(sql, scope.tenantId, query.group_id, 'l.machine_id')}`
    const firsts = query.first_of_each
      ? sql`and l.id in (
          select distinct on (l.shift_definition_id) l.id from shift_logs l where ${matching}
          order by l.shift_definition_id, l.actual_start, l.id)`
      : sql``
    return Promise.all([
      sql<ShiftLogRow[]>`
        select ${sql.unsafe(SHIFT_LOG_COLUMNS)} from ${withDefinition(sql)}
        where ${matching} ${firsts}
        order by l.actual_start, l.id limit ${limit} offset ${offset}`,
      limit === null
        ? []
        : sql<{ n: number }[]>`
            select count(*)::int as n from shift_logs l where ${matching} ${firsts}`,
    ])
  })
  return { rows, total: counted?.n ?? rows.length }
}
