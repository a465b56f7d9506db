import { isUniqueViolation } from '../../../db/errors.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { Conflict, NotFound } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import { claimPlace } from '../../people/limits/index.ts'
import * as repository from './repository.ts'
import type { MachineCreate, MachinePatch } from './schemas.ts'

/** Creates a machine. @throws Conflict when a machine of this tenant, active or not, has the identifier, or at the limit of the tenant */
export async function createMachine(scope: TenantScope, values: z.output<typeof MachineCreate>): Promise<repository.MachineRow> {
  try {
    return await scope.tx(async (sql) => {
      await claimPlace(sql, scope, 'machines')
      return repository.insert(sql, scope, values)
    })
  } catch (error) {
    if (!isUniqueViolation(error, 'machines_identifier_key')) throw error
    throw new Conflict(
      'machine_identifier_taken',
      `A machine with the identifier ${values.machine_identifier} exists already (perhaps a deactivated one).`,
    )
  }
}

/** The operations on a machine's rules that deactivation needs. */
export interface MachineRules {
  /** first in the transaction */
  lock(sql: TransactionSql, scope: TenantScope): Promise<unknown>
  /** ends the machine's standing alerts and conditions */
  clear(sql: TransactionSql, scope: TenantScope, of: { machineId: string }): Promise<void>
}

/** Whether a change locks and clears the machine's rules. */
export const deactivates = ({ is_active }: Pick<z.output<typeof MachinePatch>, 'is_active'>): boolean => is_active === false

/**
 * Changes a machine. A status set here stays until the machine's next reading, a rule change or its transition to offline.
 * Deactivating clears standing alerts at once and keeps the last status; `is_active: true` reactivates.
 * @throws NotFound; Conflict `tenant_limit` for a reactivation at the limit of the tenant
 */
export async function changeMachine(
  rules: MachineRules,
  scope: TenantScope,
  machineId: string,
  change: z.output<typeof MachinePatch>,
): Promise<repository.MachineRow> {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as typeof change
  return scope.tx(async (sql) => {
    if (deactivates(given)) await rules.lock(sql, scope)
    if (given.is_active) await claimReactivation(sql, scope, machineId)
    const now = scope.clock.now()
    const manual = given.status ? { status_is_manual: true } : {}
    const row =
      Object.keys(given).length === 0
        ? await repository.find(sql, scope, machineId)
        : await repository.update(sql, scope, machineId, { ...given, ...manual, updated_at: now })
    if (!row) throw new NotFound('machine', machineId)
    if (deactivates(given)) await rules.clear(sql, scope, { machineId })
    return row
  })
}

/** Locks the machine before the limit, as those do who add machines beside others that they change. */
async function claimReactivation(sql: TransactionSql, scope: TenantScope, machineId: string): Promise<void> {
  const [machine] = await repository.lock(sql, scope, machineId)
  if (machine && !machine.isActive) await claimPlace(sql, scope, 'machines')
}
