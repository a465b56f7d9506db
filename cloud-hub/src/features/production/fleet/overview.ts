import type { MachineStatus } from '../../../db/enums.ts'
import { containing } from '../../../db/like.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { latestOfMachines, type ReadingStore } from '../../../readings/index.ts'
import type { z } from '../../../support/http/z.ts'
import { inGroup } from '../../plant/machine-groups/index.ts'
import { OVERVIEW_READINGS, type OverviewQuery } from './schemas.ts'
import { NO_TRENDS, trendsOf } from './trends.ts'
import { type ViolationRow, violationsOf } from './violations.ts'

interface OverviewRow {
  machine_id: string
  machine_name: string
  machine_identifier: string
  status: MachineStatus
  active_alert_count: number
}

/** One page of the active machines, the most urgent first, and how many there are by status. */
export async function fleetOverview(store: ReadingStore, scope: TenantScope, query: z.infer<typeof OverviewQuery>) {
  const { page, page_size } = query
  const { machines, total, byStatus } = await scope.read((sql) => pageOfMachines(sql, scope.tenantId, query))
  const ids = machines.map(({ machine_id }) => machine_id)
  const [latest, violations, pinned, watched] = await scope.read((sql) =>
    Promise.all([
      latestOfMachines(sql, scope.tenantId, ids),
      violationsOf(sql, scope.tenantId, ids),
      pinnedBy(sql, scope),
      watchedMetrics(sql, scope.tenantId, ids),
    ]),
  )
  const trends = query.trends ? await trendsOf(store, scope, ids, violations) : NO_TRENDS
  const countOf = (status: MachineStatus) => byStatus.find((it) => it.status === status)?.n ?? 0
  return {
    items: machines.map((machine) => {
      const its = violations.get(machine.machine_id) ?? []
      const rank = rankOf(its, pinned, watched)
      const readings = (latest.get(machine.machine_id) ?? []).toSorted((a, b) => rank(a.metric) - rank(b.metric))
      return {
        ...machine,
        readings: readings.slice(0, OVERVIEW_READINGS).map(({ metric, unit, value, timestamp }) => ({
          metric_name: metric,
          unit,
          value,
          timestamp: timestamp.toISOString(),
          is_pinned: pinned.includes(metric),
        })),
        violations: its.map(({ triggered_at, acknowledged_at, ...one }) => ({
          ...one,
          triggered_at: triggered_at.toISOString(),
          acknowledged_at: acknowledged_at?.toISOString() ?? null,
        })),
        trend: trends.get(machine.machine_id) ?? null,
      }
    }),
    pagination: { total, page, page_size },
    counts: {
      critical: countOf('critical'),
      warning: countOf('warning'),
      offline: countOf('offline'),
      healthy: countOf('healthy'),
    },
  }
}

async function pageOfMachines(sql: TransactionSql, tenantId: string, query: z.infer<typeof OverviewQuery>) {
  const { page, page_size, status, search, group_id, machine_ids } = query
  const inPlant = sql`tenant_id = ${tenantId} and is_active ${inGroup(sql, tenantId, group_id, 'id')}`
  const filter = sql`${inPlant}
    ${status ? sql`and status = ${status}` : sql``}
    ${machine_ids ? sql`and id = any(${machine_ids}::uuid[])` : sql``}
    ${search ? sql`and (name ilike ${containing(search)} or machine_identifier ilike ${containing(search)})` : sql``}`
  const [byStatus, counted, machines] = await Promise.all([
    sql<{ status: MachineStatus; n: number }[]>`
      select status, count(*)::int as n from machines where ${inPlant} group by status`,
    sql<{ total: number }[]>`select count(*)::int as total from machines where ${filter}`,
    sql<OverviewRow[]>`
      with page as (
        select id, name, machine_identifier, status, array_position('{critical,warning,offline,healthy}'::text[], status) as urgency
        from machines where ${filter}
        order by urgency, name collate natural_order, id limit ${page_size} offset ${(page - 1) * page_size}
      )
      select p.id as machine_id, p.name as machine_name, p.machine_identifier, p.status, coalesce(a.n, 0)::int as active_alert_count
      from page p
      left join (
        select machine_id, count(*) as n from alerts where tenant_id = ${tenantId} and acknowledged_at is null group by machine_id
      ) a on a.machine_id = p.id
      order by p.urgency, p.name collate natural_order, p.id`,
  ])
  return { machines, total: counted[0]?.total ?? 0, byStatus }
}

/** Violated metrics come first, then those that the user pinned in their order, then those that a rule watches. */
function rankOf(violations: readonly ViolationRow[], pinned: readonly string[], watched: ReadonlySet<string>) {
  return (metric: string): number => {
    const violated = violations.findIndex(({ metric_name }) => metric_name === metric)
    if (violated >= 0) return violated
    const pin = pinned.indexOf(metric)
    if (pin >= 0) return violations.length + pin
    return violations.length + pinned.length + (watched.has(metric) ? 0 : 1)
  }
}

/** The metrics that the caller pinned; none of an API key. */
async function pinnedBy(sql: TransactionSql, { tenantId, actor }: TenantScope): Promise<readonly string[]> {
  const [user] = await sql<{ pinned_metrics: string[] }[]>`
    select pinned_metrics from users where tenant_id = ${tenantId} and id = ${actor.id}`
  return user?.pinned_metrics ?? []
}

/** The metrics of active threshold rules for all machines, or for one of these. */
async function watchedMetrics(
  sql: TransactionSql,
  tenantId: string,
  machineIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await sql<{ metric_name: string }[]>`
    select metric_name from threshold_rules where tenant_id = ${tenantId} and is_active and machine_id is null
    union
    select metric_name from threshold_rules
    where tenant_id = ${tenantId} and is_active and machine_id = any(${machineIds as string[]}::uuid[])`
  return new Set(rows.map(({ metric_name }) => metric_name))
}
