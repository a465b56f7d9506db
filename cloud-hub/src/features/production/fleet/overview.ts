import type { MachineStatus } from '../../../db/enums.ts'
import { containing } from '../../../db/like.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { latestOfMachines } from '../../../readings/index.ts'
import type { z } from '../../../support/http/z.ts'
import { inGroup } from '../../plant/machine-groups/index.ts'
import { OVERVIEW_READINGS, type OverviewQuery } from './schemas.ts'

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
  const latest = await scope.read((sql) => latestOfMachines(sql, scope.tenantId, ids))
  const countOf = (status: MachineStatus) => byStatus.find((it) => it.status === status)?.n ?? 0
  return {
    items: machines.map((machine) => ({
      ...machine,
      readings: (latest.get(machine.machine_id) ?? [])
        .slice(0, OVERVIEW_READINGS)
        .map(({ metric, unit, value, timestamp }) => ({ metric_name: metric, unit, value, timestamp: timestamp.toISOString() })),
    })),
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
