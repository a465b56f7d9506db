import { columns } from '../../../db/columns.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { workOrderHistory } from '../../../db/tables/work-orders.ts'

export type HistoryRow = typeof workOrderHistory.$inferSelect

const COLUMNS = columns.workOrderHistory

/** A page of the history that a trigger writes, oldest first, and the number of all entries. */
export function listHistory(scope: TenantScope, workOrderId: string, { page, pageSize }: { page: number; pageSize: number }) {
  return scope.read(async (sql) => {
    const mine = sql`tenant_id = ${scope.tenantId} and work_order_id = ${workOrderId}`
    const [rows, counted] = await Promise.all([
      sql<HistoryRow[]>`
        select ${sql.unsafe(COLUMNS)} from work_order_history where ${mine}
        order by at, id limit ${pageSize} offset ${(page - 1) * pageSize}`,
      sql<{ n: number }[]>`select count(*)::int as n from work_order_history where ${mine}`,
    ])
    return { rows: [...rows], total: counted[0]?.n ?? 0 }
  })
}
