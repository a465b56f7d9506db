import type { TenantScope } from '../../../db/scope.ts'
import { NotFound } from '../../../support/errors.ts'
import { SIGNOFF_COLUMNS, type SignoffRow } from './record.ts'

/** @throws NotFound */
export async function requireWorkOrder(
  scope: TenantScope,
  { work_order_id: id }: { work_order_id: string },
): Promise<{ machineId: string }> {
  const [row] = await scope.read(
    (sql) => sql<{ machineId: string }[]>`
      select machine_id as "machineId" from work_orders where tenant_id = ${scope.tenantId} and id = ${id}`,
  )
  if (!row) throw new NotFound('work order', id)
  return row
}

/** Newest first. */
export const listSignoffs = (scope: TenantScope, workOrderId: string): Promise<SignoffRow[]> =>
  scope.read(
    (sql) => sql<SignoffRow[]>`
      select ${sql.unsafe(SIGNOFF_COLUMNS)} from signoffs
      where tenant_id = ${scope.tenantId} and work_order_id = ${workOrderId} order by number desc`,
  )
