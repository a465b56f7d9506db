import type { OutboundEntity } from '../../../db/enums.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { NotFound } from '../../../support/errors.ts'

/** @throws NotFound with the code of the entity's own resource */
export async function checkEntity(scope: TenantScope, entity: OutboundEntity, id: string): Promise<void> {
  const { table, name } = RESOURCES[entity]
  const [found] = await scope.read((sql) => sql`select id from ${sql(table)} where tenant_id = ${scope.tenantId} and id = ${id}`)
  if (!found) throw new NotFound(name, id)
}

const RESOURCES = {
  work_order: { table: 'work_orders', name: 'work order' },
  production_data: { table: 'shift_logs', name: 'shift log' },
  downtime: { table: 'downtime_records', name: 'downtime record' },
} as const
