import type { MachineStatus } from '../../../db/enums.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { newestByMachine } from '../../../readings/index.ts'
import { inGroup } from '../../plant/machine-groups/index.ts'

interface MachineState {
  machine_id: string
  machine_name: string
  machine_identifier: string
  status: MachineStatus
  active_alert_count: number
  /** Unix ms */
  newest: number | null
}

/** The state of every active machine of a group, or of all, by name, in one statement. */
export async function fleetStatus(scope: TenantScope, groupId: string | undefined) {
  const machines = await scope.read(
    (sql) => sql<MachineState[]>`
      select m.id as machine_id, m.name as machine_name, m.machine_identifier, m.status, coalesce(a.n, 0)::int as active_alert_count,
        l.newest
      from machines m
      left join (select machine_id, count(*) as n from alerts 
        where tenant_id = ${scope.tenantId} and acknowledged_at is null group by machine_id) a
        on a.machine_id = m.id
      left join (${newestByMachine(sql, scope.tenantId, inGroup(sql, scope.tenantId, groupId, 'l.machine_id'))}) l on l.machine_id = m.id
      where m.tenant_id = ${scope.tenantId} and m.is_active ${inGroup(sql, scope.tenantId, groupId, 'm.id')}
      order by m.name collate natural_order, m.id`,
  )
  return machines.map(({ newest, ...state }) => ({
    ...state,
    last_reading_at: newest === null ? null : new Date(newest).toISOString(),
  }))
}
