import { and, eq } from 'drizzle-orm'
import { first, owned, type TenantDb, type TenantScope } from '../../../db/scope.ts'
import { workOrders } from '../../../db/tables/work-orders.ts'
import { NotFound } from '../../../support/errors.ts'

export type WorkOrderRow = typeof workOrders.$inferSelect

/**
 * Locks a work order for signing. Changes of it, of its instructions and attachments lock it too, so that of signing and changing at the
 * same moment the second sees what the first did. @throws NotFound
 */
export async function lockWorkOrder(db: TenantDb, scope: TenantScope, workOrderId: string): Promise<WorkOrderRow> {
  const row = await db
    .select()
    .from(workOrders)
    .where(and(owned(workOrders, scope), eq(workOrders.id, workOrderId)))
    .for('update')
    .then(first)
  if (!row) throw new NotFound('work order', workOrderId)
  return row
}
