import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { SignedNames, WorkRecord } from './record.ts'

/** The names of machine, customer and people, as they are now: the sign-off keeps them. */
export async function presentNames(
  sql: TransactionSql,
  { tenantId }: TenantScope,
  { workOrder, ...record }: WorkRecord,
): Promise<SignedNames> {
  const ids = [
    workOrder.createdBy,
    workOrder.assignedTo,
    ...record.assignees.map(({ userId }) => userId),
    ...record.instructions.flatMap(({ createdBy, completedBy }) => [createdBy, completedBy]),
    ...record.attachments.map(({ uploadedBy }) => uploadedBy),
  ].filter((id) => id !== null)
  const [[machine], [tenant], people] = await Promise.all([
    sql<SignedNames['machine'][]>`
      select name, machine_identifier as identifier, location from machines where tenant_id = ${tenantId} and id = ${workOrder.machineId}`,
    sql<{ name: string }[]>`select name from tenants where id = ${tenantId}`,
    sql<{ id: string; name: string }[]>`
      select id, full_name as name from users where tenant_id = ${tenantId} and id = any(${[...new Set(ids)]}::uuid[])`,
  ])
  return {
    machine: machine ?? { name: '', identifier: '', location: null },
    customer: tenant?.name ?? '',
    people: Object.fromEntries(people.map((person) => [person.id, person.name])),
  }
}
