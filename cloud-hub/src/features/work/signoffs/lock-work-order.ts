import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { workOrders } from '../../../db/tables/work-orders.ts'
import { NotFound } from '../../../support/errors.ts'

export type WorkOrderRow = typeof workOrders.$inferSelect

/**
 * Locks a work order for signing. Changes of it, of its instructions and attachments lock it too, so that of signing and changing at the
 * same moment the second sees what the first did. @throws NotFound
 */
export async function lockWorkOrder(
  sql: TransactionSql,
  scope: TenantScope,
  workOrderId: string,
): Promise<Pick<WorkOrderRow, 'status'>> {
  const [row] = await sql<Pick<WorkOrderRow, 'status'>[]>`
    select status from work_orders where tenant_id = ${scope.tenantId} and id = ${workOrderId} for update`
  if (!row) throw new NotFound('work order', workOrderId)
  return row
}
