import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { fieldError, NotFound, Unprocessable } from '../../../support/errors.ts'

/**
 * Checks people who are to be assigned, and locks them until the commit.
 * @param assigned by the path of the field that names them
 * @throws NotFound for an id that is no user of the tenant, Unprocessable for one who is deactivated or has not accepted the invitation
 */
export async function checkAssignees(
  sql: TransactionSql,
  scope: TenantScope,
  assigned: Record<string, readonly string[]>,
): Promise<void> {
  const ids = Object.values(assigned).flat()
  if (ids.length === 0) return
  const rows = await sql<{ id: string; isActive: boolean }[]>`
    select id, is_active and not is_invited as "isActive" from users
    where tenant_id = ${scope.tenantId} and id = any(${ids}::uuid[]) order by id for share`
  const active = new Map(rows.map((row) => [row.id, row.isActive]))
  const inactive = Object.entries(assigned).flatMap(([path, people]) =>
    people.some((id) => active.get(id) === false) ? [fieldError(path, 'inactive_user')] : [],
  )
  if (inactive.length > 0) throw new Unprocessable(inactive)
  const unknown = ids.find((id) => !active.has(id))
  if (unknown) throw new NotFound('user', unknown)
}

/** Makes these people the additional assignees of a work order; the history shows who was added and removed. */
export async function replaceAssignees(
  sql: TransactionSql,
  scope: TenantScope,
  workOrderId: string,
  userIds: readonly string[],
): Promise<void> {
  const wanted = userIds as string[]
  await sql`delete from work_order_assignees
    where tenant_id = ${scope.tenantId} and work_order_id = ${workOrderId} and user_id <> all(${wanted}::uuid[])`
  await sql`
    insert into work_order_assignees (tenant_id, work_order_id, user_id, position)
    select ${scope.tenantId}::uuid, ${workOrderId}::uuid, id, n - 1 from unnest(${wanted}::uuid[]) with ordinality w(id, n)
    on conflict (tenant_id, work_order_id, user_id) do update set position = excluded.position
    where work_order_assignees.position <> excluded.position`
}
