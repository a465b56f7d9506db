import { and, desc, eq } from 'drizzle-orm'
import { first, owned, type TenantScope } from '../../../db/scope.ts'
import { signoffs } from '../../../db/tables/signoffs.ts'
import { workOrders } from '../../../db/tables/work-orders.ts'
import { NotFound } from '../../../support/errors.ts'
import type { SignoffRow } from './record.ts'

/** @throws NotFound */
export async function findWorkOrder(scope: TenantScope, { work_order_id: id }: { work_order_id: string }): Promise<void> {
  const isIt = and(owned(workOrders, scope), eq(workOrders.id, id))
  const row = await scope.read((db) => db.select({ id: workOrders.id }).from(workOrders).where(isIt).then(first))
  if (!row) throw new NotFound('work order', id)
}

/** Newest first. */
export const listSignoffs = (scope: TenantScope, workOrderId: string): Promise<SignoffRow[]> =>
  scope.read((db) =>
    db
      .select()
      .from(signoffs)
      .where(and(owned(signoffs, scope), eq(signoffs.workOrderId, workOrderId)))
      .orderBy(desc(signoffs.number)),
  )
