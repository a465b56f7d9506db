import type { MachineStatus } from '../../../db/enums.ts'
import { isUniqueViolation } from '../../../db/errors.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { Conflict, NotFound } from '../../../support/errors.ts'
import * as repository from './repository.ts'

/** Creates a machine. @throws Conflict when a machine of this tenant, active or not, has the identifier */
export async function createMachine(
  scope: TenantScope,
  values: Parameters<typeof repository.insert>[2],
): Promise<repository.MachineRow> {
  try {
    return await scope.tx((sql) => repository.insert(sql, scope, values))
  } catch (error) {
    if (!isUniqueViolation(error, 'machines_identifier_key')) throw error
    throw new Conflict(
      'machine_identifier_taken',
      `A machine with the identifier ${values.machineIdentifier} exists already (perhaps a deactivated one).`,
    )
  }
}

export interface MachineChange {
  name?: string | undefined
  location?: string | null | undefined
  status?: MachineStatus | undefined
  isActive?: boolean | undefined
}

/** The operations on a machine's rules that deactivation needs. */
export interface MachineRules {
  /** first in the transaction */
  lock(sql: TransactionSql, scope: TenantScope): Promise<unknown>
  /** ends the machine's standing alerts and conditions */
  clear(sql: TransactionSql, scope: TenantScope, of: { machineId: string }): Promise<void>
}

/**
 * Changes a machine. A status set here stays until the machine's next reading, a rule change or its transition to offline.
 * Deactivating clears standing alerts at once and keeps the last status; `isActive: true` reactivates.
 */
export async function changeMachine(
  rules: MachineRules,
  scope: TenantScope,
  machineId: string,
  change: MachineChange,
): Promise<repository.MachineRow> {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as MachineChange
  return scope.tx(async (sql) => {
    if (given.isActive === false) await rules.lock(sql, scope)
    const now = scope.clock.now()
    const values =
      Object.keys(given).length === 0 ? {} : { ...given, updatedAt: now, ...(given.status ? { statusIsManual: true } : {}) }
    const row =
      Object.keys(values).length === 0
        ? await repository.find(sql, scope, machineId)
        : await repository.update(sql, scope, machineId, values)
    if (!row) throw new NotFound('machine', machineId)
    if (given.isActive === false) await rules.clear(sql, scope, { machineId })
    return row
  })
}
