import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { NotFound } from '../../../support/errors.ts'

export async function hasMachine(sql: TransactionSql, { tenantId }: TenantScope, machineId: string): Promise<boolean> {
  const rows = await sql`select id from machines where tenant_id = ${tenantId} and id = ${machineId}`
  return rows.length > 0
}

/** @throws NotFound */
export async function requireMachine(sql: TransactionSql, scope: TenantScope, machineId: string): Promise<void> {
  if (!(await hasMachine(sql, scope, machineId))) throw new NotFound('machine', machineId)
}
