import type { GroupType } from '../../../db/enums.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { machineGroups } from '../../../db/tables/machines.ts'
import { fieldError, NotFound, Unprocessable } from '../../../support/errors.ts'

export type GroupRow = Pick<
  typeof machineGroups.$inferSelect,
  'id' | 'name' | 'groupType' | 'description' | 'color' | 'parentId' | 'timeZone' | 'createdAt'
> & { machineCount: number }

/** Groups sorted by name, with the number of their direct, active members. */
export const listGroups = (
  sql: TransactionSql,
  scope: TenantScope,
  { id, type }: { id?: string; type?: GroupType | undefined } = {},
) => sql<GroupRow[]>`
  select id, name, group_type as "groupType", description, color, parent_id as "parentId", time_zone as "timeZone", created_at as "createdAt",
    (select count(*)::int from machine_group_members k join machines m on m.tenant_id = k.tenant_id and m.id = k.machine_id and m.is_active
     where k.tenant_id = g.tenant_id and k.group_id = g.id) as "machineCount"
  from machine_groups g where g.tenant_id = ${scope.tenantId} ${id ? sql`and g.id = ${id}` : sql``} ${type ? sql`and g.group_type = ${type}` : sql``}
  order by g.name collate natural_order, g.id`

export const activeMembers = async (sql: TransactionSql, scope: TenantScope, groupId: string): Promise<string[]> => {
  const rows = await sql<{ id: string }[]>`
    select m.id from machine_group_members k join machines m on m.tenant_id = k.tenant_id and m.id = k.machine_id and m.is_active
    where k.tenant_id = ${scope.tenantId} and k.group_id = ${groupId} order by m.name collate natural_order, m.id`
  return rows.map((row) => row.id)
}

/** Locks a group against deletion, before something refers to it. @throws NotFound */
export async function lockGroup(sql: TransactionSql, { tenantId }: TenantScope, groupId: string): Promise<void> {
  const [row] = await sql`select 1 from machine_groups where tenant_id = ${tenantId} and id = ${groupId} for key share`
  if (!row) throw new NotFound('machine group', groupId)
}

/**
 * Locks sites, as {@link lockGroup} does, and against becoming groups of another type.
 * @param given each with its path in the request
 * @throws NotFound, Unprocessable for groups of other types
 */
export async function lockSites(
  sql: TransactionSql,
  { tenantId }: TenantScope,
  given: readonly { id: string; path: string }[],
): Promise<void> {
  if (given.length === 0) return
  const rows = await sql<{ id: string; type: GroupType }[]>`
    select id, group_type as type from machine_groups
    where tenant_id = ${tenantId} and id = any(${[...new Set(given.map(({ id }) => id))]}::uuid[]) order by id for share`
  const types = new Map(rows.map(({ id, type }) => [id, type]))
  const unknown = given.find(({ id }) => !types.has(id))
  if (unknown) throw new NotFound('machine group', unknown.id)
  const others = given.filter(({ id }) => types.get(id) !== 'site')
  if (others.length > 0) throw new Unprocessable(others.map(({ path }) => fieldError(path, 'not_a_site')))
}

/** The first of these machines that the tenant does not have. */
export async function findUnknownMachine(sql: TransactionSql, scope: TenantScope, machineIds: readonly string[]) {
  const [row] = await sql<{ id: string }[]>`
    select w.id from unnest(${machineIds as string[]}::uuid[]) with ordinality w(id, n)
    where not exists (select from machines m where m.tenant_id = ${scope.tenantId} and m.id = w.id) order by w.n limit 1`
  return row?.id
}

/** Whether the parent is this group or a descendant of it, which would form a cycle. */
export async function isDescendant(sql: TransactionSql, scope: TenantScope, groupId: string, parentId: string): Promise<boolean> {
  const [row] = await sql`
    with recursive ancestors(id, parent_id) as (
      select id, parent_id from machine_groups where tenant_id = ${scope.tenantId} and id = ${parentId}
      union select g.id, g.parent_id from machine_groups g join ancestors a on g.id = a.parent_id where g.tenant_id = ${scope.tenantId}
    )
    select 1 from ancestors where id = ${groupId}`
  return row !== undefined
}
