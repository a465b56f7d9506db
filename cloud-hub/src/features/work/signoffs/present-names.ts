import { and, eq, inArray } from 'drizzle-orm'
import { first, owned, type TenantDb, type TenantScope } from '../../../db/scope.ts'
import { tenants, users } from '../../../db/tables/accounts.ts'
import { machines } from '../../../db/tables/machines.ts'
import type { Names, WorkRecord } from './record.ts'

/** The names of machine, customer and people, as they are now: the sign-off keeps them. */
export async function presentNames(db: TenantDb, scope: TenantScope, { workOrder, ...record }: WorkRecord): Promise<Names> {
  const ids = [
    workOrder.createdBy,
    workOrder.assignedTo,
    ...record.assignees.map(({ userId }) => userId),
    ...record.instructions.flatMap(({ createdBy, completedBy }) => [createdBy, completedBy]),
    ...record.attachments.map(({ uploadedBy }) => uploadedBy),
  ].filter((id) => id !== null)
  const { name, machineIdentifier, location } = machines
  const [machine, tenant, people] = await Promise.all([
    db
      .select({ name, identifier: machineIdentifier, location })
      .from(machines)
      .where(and(owned(machines, scope), eq(machines.id, workOrder.machineId)))
      .then(first),
    db.select({ name: tenants.name }).from(tenants).where(eq(tenants.id, scope.tenantId)).then(first),
    db
      .select({ id: users.id, name: users.fullName })
      .from(users)
      .where(and(owned(users, scope), inArray(users.id, [...new Set(ids)]))),
  ])
  return {
    machine: machine ?? { name: '', identifier: '', location: null },
    customer: tenant?.name ?? '',
    people: Object.fromEntries(people.map((person) => [person.id, person.name])),
  }
}
