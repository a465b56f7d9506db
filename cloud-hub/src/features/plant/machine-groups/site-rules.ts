import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { Conflict } from '../../../support/errors.ts'
import { machinesOfSites } from './members.ts'

/** A machine of several sites: an entry for each of them. */
interface SharedMachine {
  machineId: string
  machineName: string
  siteId: string
  siteName: string
}

/** A site inside another one, at any depth. */
interface InnerSite {
  siteId: string
  siteName: string
  outerId: string
  outerName: string
}

/** The entries of machines that are in more than one site, directly or through nested groups; by the name of the machine. */
const selectSharedMachines = (sql: TransactionSql, { tenantId }: TenantScope) => sql<SharedMachine[]>`
  with members as materialized (${machinesOfSites(sql, tenantId, null)})
  select m.id as "machineId", m.name as "machineName", g.id as "siteId", g.name as "siteName"
  from members k
  join machines m on m.tenant_id = ${tenantId} and m.id = k.machine_id
  join machine_groups g on g.tenant_id = ${tenantId} and g.id = k.site_id
  where k.machine_id in (select s.machine_id from members s group by s.machine_id having count(*) > 1)
  order by m.name collate natural_order, m.id, g.name collate natural_order, g.id`

const selectInnerSites = (sql: TransactionSql, { tenantId }: TenantScope) => sql<InnerSite[]>`
  with recursive above(id, ancestor_id) as (
    select id, parent_id from machine_groups where tenant_id = ${tenantId} and group_type = 'site' and parent_id is not null
    union
    select a.id, g.parent_id from above a join machine_groups g on g.id = a.ancestor_id
    where g.tenant_id = ${tenantId} and g.parent_id is not null
  )
  select s.id as "siteId", s.name as "siteName", o.id as "outerId", o.name as "outerName"
  from above a
  join machine_groups s on s.tenant_id = ${tenantId} and s.id = a.id
  join machine_groups o on o.tenant_id = ${tenantId} and o.id = a.ancestor_id and o.group_type = 'site'
  order by s.name collate natural_order, s.id, o.name collate natural_order, o.id`

/**
 * What breaks the rules of sites: a machine belongs to at most one site, and a site is never inside another one. Groups of before the
 * rules may break them.
 */
export const findSiteConflicts = async (sql: TransactionSql, scope: TenantScope) => {
  const [machines, sites] = await Promise.all([selectSharedMachines(sql, scope), selectInnerSites(sql, scope)])
  return { machines, sites }
}

/**
 * Makes a change of groups or members that may break no rule of sites; what broke one before it is no reason to refuse. The caller
 * holds the lock of the tree, so that two concurrent changes cannot break one together.
 * @throws Conflict `site_in_site`, `machine_in_other_site`
 */
export async function keepSiteRules(sql: TransactionSql, scope: TenantScope, change: () => Promise<void>): Promise<void> {
  const before = await findSiteConflicts(sql, scope)
  await change()
  const after = await findSiteConflicts(sql, scope)
  const nested = new Set(before.sites.map(({ siteId, outerId }) => `${siteId} ${outerId}`))
  const inner = after.sites.find(({ siteId, outerId }) => !nested.has(`${siteId} ${outerId}`))
  if (inner) {
    const names = { site: inner.siteName, other: inner.outerName }
    throw new Conflict('site_in_site', `The site ${names.site} would be inside the site ${names.other}.`, names)
  }
  const shared = new Set(before.machines.map(({ machineId, siteId }) => `${machineId} ${siteId}`))
  const taken = after.machines.find(({ machineId, siteId }) => !shared.has(`${machineId} ${siteId}`))
  if (!taken) return
  const [site, other] = after.machines.filter(({ machineId }) => machineId === taken.machineId).map(({ siteName }) => siteName)
  const names = { machine: taken.machineName, site: site as string, other: other as string }
  throw new Conflict(
    'machine_in_other_site',
    `The machine ${names.machine} would belong to the sites ${names.site} and ${names.other}.`,
    names,
  )
}
