import type { TransactionSql } from '../../../db/pools.ts'
import { loadZones, siteOf, siteOfMachines, zoneOfSite } from '../../plant/machine-groups/index.ts'
import type { ShiftTimes } from './occurrences.ts'

/** An active shift definition. */
interface Definition extends ShiftTimes {
  id: string
  /** null: of all sites */
  siteId: string | null
  updatedAt: Date
}

/** Time zone, active shifts and days without production: those of all sites, and the site's own. */
export interface Calendar {
  /** null: that of the plant, for machines of no site, of several, and of sites without anything of their own */
  siteId: string | null
  timeZone: string
  definitions: readonly Definition[]
  nonProductionDays: ReadonlySet<string>
}

/** The sites that differ from the plant, and the calendar of one of them, or of the plant (null). */
async function loadSites(sql: TransactionSql, tenantId: string, since: Date | null) {
  const zones = await loadZones(sql, tenantId)
  const definitions = await sql<Definition[]>`
    select id, group_id as "siteId", start_time::text as "startTime", end_time::text as "endTime", updated_at as "updatedAt"
    from shift_definitions where tenant_id = ${tenantId} and is_active order by id`
  const days = await sql<{ siteId: string | null; date: string }[]>`
    select group_id as "siteId", date::text as date from non_production_days
    where tenant_id = ${tenantId} ${since ? sql`and date >= ${since}::timestamptz::date` : sql``}`
  const calendarOfSite = (siteId: string | null): Calendar => {
    const holds = (row: { siteId: string | null }) => row.siteId === null || row.siteId === siteId
    return {
      siteId,
      timeZone: zoneOfSite(zones, siteId),
      definitions: definitions.filter(holds),
      nonProductionDays: new Set(days.filter(holds).map(({ date }) => date)),
    }
  }
  const own = [...zones.sites.keys(), ...[...definitions, ...days].flatMap(({ siteId }) => siteId ?? [])]
  return { sites: new Set(own), calendarOfSite }
}

/** The calendar of the plant, and those of the sites that differ from it. @param since leaves out days before this date (UTC) */
export async function loadCalendars(
  sql: TransactionSql,
  tenantId: string,
  since: Date | null,
): Promise<[Calendar, ...Calendar[]]> {
  const { sites, calendarOfSite } = await loadSites(sql, tenantId, since)
  return [calendarOfSite(null), ...[...sites].map(calendarOfSite)]
}

/** Whether a site has non-production days or active shift definitions of its own. */
export async function siteHasCalendar(sql: TransactionSql, tenantId: string, siteId: string): Promise<boolean> {
  const found = await sql`
    select 1 from non_production_days where tenant_id = ${tenantId} and group_id = ${siteId}
    union all select 1 from shift_definitions where tenant_id = ${tenantId} and group_id = ${siteId} and is_active limit 1`
  return found.length > 0
}

/** The calendar of a machine. @param since as {@link loadCalendars} */
export async function calendarOfMachine(
  sql: TransactionSql,
  tenantId: string,
  machineId: string,
  since: Date,
): Promise<Calendar> {
  const { sites, calendarOfSite } = await loadSites(sql, tenantId, since)
  const siteId = sites.size === 0 ? null : await siteOf(sql, tenantId, { machine_id: machineId })
  return calendarOfSite(siteId && sites.has(siteId) ? siteId : null)
}

/** A condition for the end of a `where`: that a calendar holds for a machine. @param calendars all of the tenant */
export function followsCalendar(
  sql: TransactionSql,
  tenantId: string,
  { siteId }: Pick<Calendar, 'siteId'>,
  calendars: readonly Calendar[],
  column: string,
) {
  const sites = calendars.flatMap((calendar) => calendar.siteId ?? [])
  if (sites.length === 0) return sql``
  const machines = sql`select machine_id from (${siteOfMachines(sql, tenantId)}) s where site_id = any(${siteId ? [siteId] : sites}::uuid[])`
  return siteId ? sql`and ${sql.unsafe(column)} in (${machines})` : sql`and ${sql.unsafe(column)} not in (${machines})`
}
