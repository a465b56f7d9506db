import type { MachineStatus, Severity } from '../../../db/enums.ts'
import { containing } from '../../../db/like.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { latestOfMachines } from '../../../readings/index.ts'
import type { z } from '../../../support/http/z.ts'
import { inGroup } from '../../plant/machine-groups/index.ts'
import { OVERVIEW_READINGS, OVERVIEW_VIOLATIONS, type OverviewQuery } from './schemas.ts'

interface OverviewRow {
  machine_id: string
  machine_name: string
  machine_identifier: string
  status: MachineStatus
  active_alert_count: number
}

/** One page of the active machines, the most urgent first, and how many there are by status. */
export async function fleetOverview(scope: TenantScope, query: z.infer<typeof OverviewQuery>) {
  const { page, page_size } = query
  const { machines, total, byStatus } = await scope.read((sql) => pageOfMachines(sql, scope.tenantId, query))
  const ids = machines.map(({ machine_id }) => machine_id)
  const [latest, violations] = await scope.read((sql) =>
    Promise.all([latestOfMachines(sql, scope.tenantId, ids), violationsOf(sql, scope.tenantId, ids)]),
  )
  const countOf = (status: MachineStatus) => byStatus.find((it) => it.status === status)?.n ?? 0
  return {
    items: machines.map((machine) => {
      const its = violations.get(machine.machine_id) ?? []
      const violates = (metric: string) => its.some(({ metric_name }) => metric_name === metric)
      const readings = latest.get(machine.machine_id) ?? []
      return {
        ...machine,
        readings: [...readings.filter(({ metric }) => violates(metric)), ...readings.filter(({ metric }) => !violates(metric))]
          .slice(0, OVERVIEW_READINGS)
          .map(({ metric, unit, value, timestamp }) => ({
            metric_name: metric,
            unit,
            value,
            timestamp: timestamp.toISOString(),
          })),
        violations: its.map(({ triggered_at, acknowledged_at, ...one }) => ({
          ...one,
          triggered_at: triggered_at.toISOString(),
          acknowledged_at: acknowledged_at?.toISOString() ?? null,
        })),
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
  const { page, page_size, status, search, group_id } = query
  const inPlant = sql`tenant_id = ${tenantId} and is_active ${inGroup(sql, tenantId, group_id, 'id')}`
  const filter = sql`${inPlant}
    ${status ? sql`and status = ${status}` : sql``}
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

interface ViolationRow {
  alert_id: string
  severity: Severity
  metric_name: string
  unit: string
  threshold_value: number
  is_above: boolean
  triggered_at: Date
  acknowledged_at: Date | null
  acknowledged_by_name: string | null
}

/** The alerts of these machines whose condition has not ended, the most severe of each metric, by machine. */
async function violationsOf(
  sql: TransactionSql,
  tenantId: string,
  machineIds: readonly string[],
): Promise<Map<string, ViolationRow[]>> {
  const rows = await sql<(ViolationRow & { machine_id: string })[]>`
      select a.machine_id, a.id as alert_id, a.severity, a.metric_name, a.unit, a.threshold_value, a.trigger_value >= a.threshold_value as is_above,
        a.triggered_at, a.acknowledged_at, coalesce(u.full_name, k.name) as acknowledged_by_name
      from alerts a
      left join users u on u.tenant_id = a.tenant_id and u.id = a.acknowledged_by
      left join api_keys k on k.tenant_id = a.tenant_id and k.id = a.acknowledged_by
      where a.tenant_id = ${tenantId} and a.cleared_at is null and a.machine_id = any(${machineIds as string[]}::uuid[])
      order by array_position('{critical,warning,info}'::text[], a.severity), a.triggered_at, a.id`
  const found = new Map<string, ViolationRow[]>()
  for (const { machine_id, ...row } of rows) {
    const its = found.get(machine_id) ?? []
    const isKnown = its.some(({ metric_name }) => metric_name === row.metric_name)
    if (!isKnown && its.length < OVERVIEW_VIOLATIONS) found.set(machine_id, [...its, row])
  }
  return found
}
