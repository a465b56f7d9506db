import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { z } from '../../../support/http/z.ts'
import { inGroup } from '../../plant/machine-groups/index.ts'
import type { FleetReliabilityQuery } from './figure-schemas.ts'
import { addSums, mtbfHours, mttrHours, NO_EVENTS, type ReliabilitySums, selectReliability } from './figures.ts'
import { observedFrom } from './observed-from.ts'

type FleetQuery = z.output<typeof FleetReliabilityQuery>

const DAY_MS = 86_400_000
const windowStart = (scope: TenantScope, days: number) => new Date(scope.clock.now().getTime() - days * DAY_MS)

type MachineSums = ReliabilitySums & { id: string }

const presentReliability = ({ id, ...sums }: MachineSums, days: number) => ({
  machine_id: id,
  mttr_hours: mttrHours(sums),
  mtbf_hours: mtbfHours(sums),
  repair_event_count: sums.repairs,
  failure_event_count: sums.failures,
  lookback_days: days,
})

/** MTTR and MTBF of one machine over the last days. */
export async function machineReliability(scope: TenantScope, machineId: string, days: number) {
  return scope.tx(async (sql) => {
    const [sums] = await sql<ReliabilitySums[]>`
      select repairs, "repairMs", failures, intervals, "uptimeMs"
      from (${selectReliability(sql, scope.tenantId, windowStart(scope, days), sql`and machine_id = ${machineId}`)}) s`
    const observed_from = await observedFrom(sql, scope.tenantId, machineId)
    return { ...presentReliability({ id: machineId, ...NO_EVENTS, ...sums }, days), observed_from }
  })
}

const sumsOfMachines = (sql: TransactionSql, scope: TenantScope, { days, group_id }: FleetQuery) => sql<MachineSums[]>`
  select m.id, coalesce(repairs, 0) as repairs, coalesce("repairMs", 0) as "repairMs", coalesce(failures, 0) as failures,
    coalesce(intervals, 0) as intervals, coalesce("uptimeMs", 0) as "uptimeMs"
  from machines m left join (
    ${selectReliability(sql, scope.tenantId, windowStart(scope, days), inGroup(sql, scope.tenantId, group_id, 'machine_id'))}) s on s.machine_id = m.id
  where m.tenant_id = ${scope.tenantId} and m.is_active ${inGroup(sql, scope.tenantId, group_id, 'm.id')}
  order by m.name collate natural_order, m.id`

/** MTTR and MTBF of each active machine of the group, by name, and of all their events together. */
export async function fleetReliability(scope: TenantScope, query: FleetQuery) {
  const machines = await scope.read((sql) => sumsOfMachines(sql, scope, query))
  const all = machines.reduce(addSums, NO_EVENTS)
  return {
    machines: machines.map((sums) => presentReliability(sums, query.days)),
    fleet_mttr_hours: mttrHours(all),
    fleet_mtbf_hours: mtbfHours(all),
  }
}
