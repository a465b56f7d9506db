import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { Conflict } from '../../../support/errors.ts'
import { machinesOfSites } from './members.ts'

/** A machine of several sites: an entry for each of them. */
interface SharedMachine {
  machineId: string
  machineName: string
  /** how many machines are in several sites */
  machineCount: number
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

export interface SiteConflicts {
  machines: SharedMachine[]
  sites: InnerSite[]
}

/** The entries of machines that are in more than one site, directly or through nested groups; by the name of the machine. */
const selectSharedMachines = (sql: TransactionSql, { tenantId }: TenantScope, max: number | null) => sql<SharedMachine[]>`
  with members as materialized (${machinesOfSites(sql, tenantId, null)}),
  shared as (
    select m.id, m.name, (count(*) over ())::int as machine_count
    from (select k.machine_id from members k group by k.machine_id having count(*) > 1) s
    join machines m on m.tenant_id = ${tenantId} and m.id = s.machine_id
    order by m.name collate natural_order, m.id limit ${max}::int
  )
  select m.id as "machineId", m.name as "machineName", m.machine_count as "machineCount", g.id as "siteId", g.name as "siteName"
  from shared m
  join members k on k.machine_id = m.id
  join machine_groups g on g.tenant_id = ${tenantId} and g.id = k.site_id
  order by m.name collate natural_order, m.id, g.name collate natural_order, g.id`

const selectInnerSites = (sql: TransactionSql, { tenantId }: TenantScope, max: number | null) => sql<InnerSite[]>`
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
  order by s.name collate natural_order, s.id, o.name collate natural_order, o.id limit ${max}::int`

/**
 * What breaks the rules of sites: a machine belongs to at most one site, and a site is never inside another one. Groups of before the
 * rules may break them.
 * @param max of the machines and of the pairs of sites, the first by name; null: all
 */
export async function findSiteConflicts(sql: TransactionSql, scope: TenantScope, max: number | null): Promise<SiteConflicts> {
  const [machines, sites] = await Promise.all([selectSharedMachines(sql, scope, max), selectInnerSites(sql, scope, max)])
  return { machines, sites }
}

/** {@link findSiteConflicts} under the lock of the tree. Fewer than two sites have none, and most tenants have fewer. */
async function allSiteConflicts(sql: TransactionSql, scope: TenantScope): Promise<SiteConflicts> {
  const [counted] = await sql<{ sites: number }[]>`
    select count(*)::int as sites from machine_groups where tenant_id = ${scope.tenantId} and group_type = 'site'`
  return (counted?.sites ?? 0) < 2 ? { machines: [], sites: [] } : findSiteConflicts(sql, scope, null)
}

/**
 * Makes a change of groups or members that may break no rule of sites; what broke one before it is no reason to refuse. The caller
 * holds the lock of the tree, so that two concurrent changes cannot break one together.
 * @throws Conflict `site_in_site`, `machine_in_other_site`
 */
export async function keepSiteRules(sql: TransactionSql, scope: TenantScope, change: () => Promise<void>): Promise<void> {
  const before = await allSiteConflicts(sql, scope)
  await change()
  const after = await allSiteConflicts(sql, scope)
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
