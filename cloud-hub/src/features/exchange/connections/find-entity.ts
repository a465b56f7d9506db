import { and, eq } from 'drizzle-orm'
import { first, owned, type TenantScope } from '../../../db/scope.ts'
import { downtimeRecords } from '../../../db/tables/downtime.ts'
import type { OutboundEntity } from '../../../db/tables/erp.ts'
import { shiftLogs } from '../../../db/tables/shifts.ts'
import { workOrders } from '../../../db/tables/work-orders.ts'
import { NotFound } from '../../../support/errors.ts'

/** @throws NotFound with the code of the entity's own resource */
export async function checkEntity(scope: TenantScope, entity: OutboundEntity, id: string): Promise<void> {
  const [table, name] = RESOURCES[entity]
  const found = await scope.read((db) =>
    db
      .select({ id: table.id })
      .from(table)
      .where(and(owned(table, scope), eq(table.id, id)))
      .then(first),
  )
  if (!found) throw new NotFound(name, id)
}

const RESOURCES = {
  work_order: [workOrders, 'work order'],
  production_data: [shiftLogs, 'shift log'],
  downtime: [downtimeRecords, 'downtime record'],
} as const
