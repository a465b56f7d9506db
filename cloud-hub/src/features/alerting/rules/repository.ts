import { and, eq } from 'drizzle-orm'
import { first, owned, type TenantDb, type TenantScope } from '../../../db/scope.ts'
import { machines } from '../../../db/tables/machines.ts'
import { NotFound } from '../../../support/errors.ts'

export const hasMachine = async (db: TenantDb, scope: TenantScope, machineId: string): Promise<boolean> => {
  const one = and(owned(machines, scope), eq(machines.id, machineId))
  return Boolean(await db.select({ id: machines.id }).from(machines).where(one).then(first))
}

/** @throws NotFound */
export async function requireMachine(db: TenantDb, scope: TenantScope, machineId: string): Promise<void> {
  if (!(await hasMachine(db, scope, machineId))) throw new NotFound('machine', machineId)
}
