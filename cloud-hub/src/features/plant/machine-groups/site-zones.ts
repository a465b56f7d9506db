import type { TransactionSql } from '../../../db/pools.ts'
import { machinesOfSites } from './members.ts'

/** What local time is asked for: that of a machine, of a group, or of the plant. */
interface Place {
  machine_id?: string | undefined
  group_id?: string | undefined
}

/**
 * A subquery: the machines that belong to one site, with it: `machine_id`, `site_id`. For machines of several sites, which are left from
 * before the rule, the plant's time zone and calendar hold.
 */
export const siteOfMachines = (sql: TransactionSql, tenantId: string) => sql`
  select machine_id, (array_agg(site_id))[1] as site_id from (${machinesOfSites(sql, tenantId, null)}) k
  group by machine_id having count(*) = 1`

/** The site of a machine, or the one that a group is or is inside of; null: none, several, or the plant as a whole. */
export async function siteOf(sql: TransactionSql, tenantId: string, { machine_id, group_id }: Place): Promise<string | null> {
  if (!machine_id && !group_id) return null
  const first = machine_id
    ? sql`select group_id from machine_group_members where tenant_id = ${tenantId} and machine_id = ${machine_id}`
    : sql`select ${group_id as string}::uuid`
  const sites = await sql<{ id: string }[]>`
    with recursive above(id) as (
      ${first}
      union select g.parent_id from machine_groups g join above a on g.id = a.id where g.tenant_id = ${tenantId} and g.parent_id is not null
    )
    select g.id from above a join machine_groups g on g.tenant_id = ${tenantId} and g.id = a.id and g.group_type = 'site' limit 2`
  return sites.length === 1 ? (sites[0]?.id ?? null) : null
}

/** The time zones of a tenant. */
export interface Zones {
  /** where no other holds */
  plant: string
  /** by the id of a site, of those that have one of their own */
  sites: ReadonlyMap<string, string>
}

/** The time zone of the plant, and those of its sites. */
export async function loadZones(sql: TransactionSql, tenantId: string): Promise<Zones> {
  const rows = await sql<{ siteId: string | null; timeZone: string }[]>`
    select null::uuid as "siteId", time_zone as "timeZone" from tenants where id = ${tenantId}
    union all
    select id, time_zone from machine_groups where tenant_id = ${tenantId} and group_type = 'site' and time_zone is not null`
  const sites = rows.flatMap(({ siteId, timeZone }) => (siteId ? [[siteId, timeZone] as const] : []))
  return { plant: rows.find(({ siteId }) => siteId === null)?.timeZone ?? 'UTC', sites: new Map(sites) }
}

/** The time zone of a site; of no site that of the plant. */
export const zoneOfSite = ({ plant, sites }: Zones, siteId: string | null): string => (siteId && sites.get(siteId)) || plant

/** The time zone of a machine, of a group, or of the plant. */
export async function zoneOf(sql: TransactionSql, tenantId: string, place: Place): Promise<string> {
  const zones = await loadZones(sql, tenantId)
  return zones.sites.size === 0 ? zones.plant : zoneOfSite(zones, await siteOf(sql, tenantId, place))
}
