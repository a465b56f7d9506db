import type { Severity } from '../../../db/enums.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import { OVERVIEW_VIOLATIONS } from './schemas.ts'

export interface ViolationRow {
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
export async function violationsOf(
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
