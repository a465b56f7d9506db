import type { PendingQuery, Row } from 'postgres'
import type { Sql } from '../../db/pools.ts'
import { DAY_MS, dayOf } from './limits.ts'

/** Days for which readings, minutes and hours are kept; 0 is for ever. */
export interface Retention {
  rawDays: number
  minuteDays: number
  hourDays: number
}

/** Days before this one are older than the retention; nothing is older than 0 days. */
export const firstKept = (days: number, now: Date): number =>
  days === 0 ? Number.NEGATIVE_INFINITY : dayOf(now.getTime() - days * DAY_MS)

/** Tenants with rows that some tenant's retention would remove: in partitions that begin before its limit, or with any hours. */
export async function tenantsWithOldData(allTenants: Sql, now: Date, hub: Retention): Promise<string[]> {
  const [least] = await allTenants<{ rawDays: number | null; minuteDays: number | null; hourDays: number | null }[]>`
    select min(nullif(d.raw, 0)) as "rawDays", min(nullif(d.minute, 0)) as "minuteDays", min(nullif(d.hour, 0)) as "hourDays" from (
      select raw_retention_days, minute_retention_days, hour_retention_days from tenants
      union all
      select ${hub.rawDays}::int, ${hub.minuteDays}::int, ${hub.hourDays}::int) d(raw, minute, hour)`
  const found = new Set<string>()
  const add = async (table: string, before: PendingQuery<Row[]>) => {
    for (const { id } of await tenantsIn(allTenants, table, before)) found.add(id)
  }
  const blocks = await endOfPartitions(allTenants, 'reading_blocks', least?.rawDays ?? 0, now)
  if (blocks) await add('reading_blocks', allTenants`t.t0 < ${blocks}`)
  const minutes = await endOfPartitions(allTenants, 'reading_minutes', least?.minuteDays ?? 0, now)
  if (minutes) await add('reading_minutes', allTenants`t.day < ${minutes.toISOString().slice(0, 10)}::date`)
  if (least?.hourDays) await add('reading_hours', allTenants`true`)
  return [...found]
}

/** The end of the newest partition that begins before what is kept `days`; null for none. */
async function endOfPartitions(allTenants: Sql, parent: string, days: number, now: Date): Promise<Date | null> {
  if (days === 0) return null
  const [row] = await allTenants<{ end: Date | null }[]>`
    select max(upper) as "end" from store_partitions where parent = ${parent} and lower < ${new Date(firstKept(days, now))}`
  return row?.end ?? null
}

/** The tenants with such rows in a table, whose key begins with the tenant: one probe of the index for each, however many rows it has. */
const tenantsIn = (allTenants: Sql, table: string, condition: PendingQuery<Row[]>) => allTenants<{ id: string }[]>`
  with recursive found as (
    (select t.tenant_id from ${allTenants(table)} t where ${condition} order by t.tenant_id limit 1)
    union all
    select (select t.tenant_id from ${allTenants(table)} t where t.tenant_id > found.tenant_id and ${condition} order by t.tenant_id limit 1)
    from found where found.tenant_id is not null)
  select tenant_id as id from found where tenant_id is not null`
