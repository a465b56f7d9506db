import type { Pools, Sql } from '../../../db/pools.ts'
import type { GroupGate } from '../../people/accounts/index.ts'

/** What lies in groups, for credentials that are confined to some. Groups that were deleted contain nothing. */
export function createGroupGate(hub: { pools: Pools }): GroupGate {
  const below = (allTenants: Sql, tenantId: string, groupIds: readonly string[]) => allTenants`
    with recursive nested(id) as (
      select id from machine_groups where tenant_id = ${tenantId} and id = any(${groupIds as string[]}::uuid[])
      union select g.id from machine_groups g join nested n on g.parent_id = n.id where g.tenant_id = ${tenantId}
    )
    select id from nested`
  return {
    hasMachines: async (tenantId, groupIds, machineIds) => {
      const [allTenants, wanted] = [hub.pools.system, [...new Set(machineIds)]]
      const [row] = await allTenants<{ inside: number }[]>`
        select count(distinct k.machine_id)::int as inside from machine_group_members k
        where k.tenant_id = ${tenantId} and k.machine_id = any(${wanted}::uuid[]) and k.group_id in (${below(allTenants, tenantId, groupIds)})`
      return row?.inside === wanted.length
    },
    hasGroups: async (tenantId, groupIds, ids) => {
      const [allTenants, wanted] = [hub.pools.system, [...new Set(ids)]]
      const [row] = await allTenants<{ inside: number }[]>`
        select count(*)::int as inside from machine_groups
        where tenant_id = ${tenantId} and id = any(${wanted}::uuid[]) and id in (${below(allTenants, tenantId, groupIds)})`
      return row?.inside === wanted.length
    },
  }
}
