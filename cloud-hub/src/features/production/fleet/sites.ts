import { Temporal } from 'temporal-polyfill'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { NotFound } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import { loadZones, machinesOfSites, siteOfMachines } from '../../plant/machine-groups/index.ts'
import {
  mtbfHours,
  mttrHours,
  type ReliabilitySums,
  selectDowntime,
  selectReliability,
  uptimePercent,
} from '../downtime/index.ts'
import { type OeeDeps, recomputeForAnswer, sumsOfWeights } from '../oee/index.ts'
import type { ComparisonQuery, SiteBody } from './schemas.ts'

type Site = z.input<typeof SiteBody>
const [DAY_MS, HOUR_MS] = [86_400_000, 3_600_000]

interface SiteSums extends ReliabilitySums {
  id: string
  name: string
  machines: number
  healthy: number
  warning: number
  critical: number
  offline: number
  alerts: number
  orders: number
  downtimeMs: number
  oeeCount: number
  /** the sum of the OEE of so many shift logs, each from 0 to 1 */
  oeeSum: number
  /** in percent, from sums of minutes and parts */
  oeeWeighted: number | null
}

/** The date so many days before today, of the plant and of the sites that have a time zone of their own. */
interface DatesBefore {
  plant: string
  sites: ReadonlyMap<string, string>
}

/** Selects the stored OEE of each machine after the date of its site: `machine_id`, `n`, `total` and the sums of weights. */
function selectOee(sql: TransactionSql, tenantId: string, { plant, sites }: DatesBefore) {
  const first = [plant, ...sites.values()].toSorted()[0] as string
  const dates = sql`
    left join (
      select s.machine_id as of_machine, w.after
      from (${siteOfMachines(sql, tenantId)}) s
      join unnest(${[...sites.keys()]}::uuid[], ${[...sites.values()]}::text[]::date[]) w(site_id, after) on w.site_id = s.site_id
    ) z on z.of_machine = machine_id`
  return sql`
    select machine_id, sum(oee_count) as n, sum(oee_sum_ppb::float8) / 1e9 as total, sum(planned_ms) as planned_ms, ${sumsOfWeights(sql)}
    from machine_oee_days ${sites.size === 0 ? sql`` : dates}
    where tenant_id = ${tenantId} and shift_date > ${first}::date
      ${sites.size === 0 ? sql`` : sql`and shift_date > coalesce(z.after, ${plant}::date)`}
    group by machine_id`
}

/** As parameters PostgreSQL can estimate how many dates follow them. */
async function datesBefore(scope: TenantScope, days: number): Promise<DatesBefore> {
  const zones = await scope.read((sql) => loadZones(sql, scope.tenantId))
  const now = Temporal.Instant.fromEpochMilliseconds(scope.clock.now().getTime())
  const dateIn = (zone: string) => now.toZonedDateTimeISO(zone).toPlainDate().subtract({ days }).toString()
  return { plant: dateIn(zones.plant), sites: new Map([...zones.sites].map(([id, zone]) => [id, dateIn(zone)])) }
}

/** Sums of each site over its active machines, by name. @param siteId null for all sites */
async function sumSites(scope: TenantScope, deps: OeeDeps, days: number, siteId: string | null): Promise<SiteSums[]> {
  await recomputeForAnswer(scope, deps)
  const { tenantId } = scope
  const now = scope.clock.now()
  const from = new Date(now.getTime() - days * DAY_MS)
  const dates = await datesBefore(scope, days)
  return scope.read(
    (sql) => sql<SiteSums[]>`
    with members as materialized (${machinesOfSites(sql, tenantId, siteId)}),
    alerts_of as materialized (
      select machine_id, count(*) as n from alerts where tenant_id = ${tenantId} and acknowledged_at is null group by machine_id),
    orders_of as materialized (
      select machine_id, count(*) as n from work_orders where tenant_id = ${tenantId} and status in ('open', 'in_progress') group by machine_id),
    downtime_of as materialized (${selectDowntime(sql, tenantId, from, now)}),
    reliability_of as materialized (${selectReliability(sql, tenantId, from, null)}),
    oee_of as materialized (${selectOee(sql, tenantId, dates)})
    select g.id, g.name, count(m.id)::int as machines,
      count(m.id) filter (where m.status = 'healthy')::int as healthy, count(m.id) filter (where m.status = 'warning')::int as warning,
      count(m.id) filter (where m.status = 'critical')::int as critical, count(m.id) filter (where m.status = 'offline')::int as offline,
      coalesce(sum(a.n), 0)::int as alerts, coalesce(sum(o.n), 0)::int as orders, coalesce(sum(d.ms), 0) as "downtimeMs",
      coalesce(sum(r.repairs), 0)::int as repairs, coalesce(sum(r."repairMs"), 0) as "repairMs",
      coalesce(sum(r.failures), 0)::int as failures, coalesce(sum(r.intervals), 0)::int as intervals,
      coalesce(sum(r."uptimeMs"), 0) as "uptimeMs", coalesce(sum(e.n), 0)::int as "oeeCount", coalesce(sum(e.total), 0)::float8 as "oeeSum",
      (select w.oee from weighted_oee(sum(e.planned_ms), sum(e.run_ms), sum(e.net_ms), sum(e.counted_ms), sum(e.good_ms), sum(e.parts),
        sum(e.good_parts)) w) as "oeeWeighted"
    from machine_groups g
    left join members k on k.site_id = g.id
    left join machines m on m.tenant_id = ${tenantId} and m.id = k.machine_id and m.is_active
    left join alerts_of a on a.machine_id = m.id
    left join orders_of o on o.machine_id = m.id
    left join downtime_of d on d.machine_id = m.id
    left join reliability_of r on r.machine_id = m.id
    left join oee_of e on e.machine_id = m.id
    where g.tenant_id = ${tenantId} and g.group_type = 'site' and (${siteId}::uuid is null or g.id = ${siteId})
    group by g.id, g.name
    order by g.name collate natural_order, g.id`,
  )
}

function presentSite(sums: SiteSums, days: number): Site {
  return {
    site_id: sums.id,
    name: sums.name,
    machine_count: sums.machines,
    healthy_count: sums.healthy,
    warning_count: sums.warning,
    critical_count: sums.critical,
    offline_count: sums.offline,
    active_alert_count: sums.alerts,
    open_work_order_count: sums.orders,
    downtime_hours: sums.downtimeMs / HOUR_MS,
    uptime_percent: uptimePercent(sums.machines * days * DAY_MS, sums.downtimeMs),
    mttr_hours: mttrHours(sums),
    mtbf_hours: mtbfHours(sums),
    oee_pct: sums.oeeCount === 0 ? null : (sums.oeeSum / sums.oeeCount) * 100,
    oee_weighted_pct: sums.oeeWeighted,
  }
}

/** The figures of all sites, by name. A figure of several machines pools their events; it is no mean of means. */
export const siteFigures = async (scope: TenantScope, deps: OeeDeps, days: number): Promise<Site[]> =>
  (await sumSites(scope, deps, days, null)).map((sums) => presentSite(sums, days))

/** @throws NotFound for an unknown group, and for one that is no site */
export async function findSite(scope: TenantScope, { site_id }: { site_id: string }): Promise<void> {
  const [row] = await scope.read(
    (sql) => sql`select 1 from machine_groups where tenant_id = ${scope.tenantId} and id = ${site_id} and group_type = 'site'`,
  )
  if (!row) throw new NotFound('site', site_id)
}

/** The figures of one site. @throws NotFound */
export async function figuresOfSite(scope: TenantScope, deps: OeeDeps, siteId: string, days: number): Promise<Site> {
  const [sums] = await sumSites(scope, deps, days, siteId)
  if (!sums) throw new NotFound('site', siteId)
  return presentSite(sums, days)
}

/** The sites in the order of a figure; those without it come last. */
export async function compareSites(
  scope: TenantScope,
  deps: OeeDeps,
  { days, sort_by, sort_dir }: z.output<typeof ComparisonQuery>,
) {
  const sites = await siteFigures(scope, deps, days)
  if (sort_by === 'name') return sort_dir === 'asc' ? sites : sites.toReversed()
  const sign = sort_dir === 'asc' ? 1 : -1
  return sites.toSorted((a, b) => {
    const [left, right] = [a[sort_by], b[sort_by]]
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    return sign * (left - right)
  })
}
