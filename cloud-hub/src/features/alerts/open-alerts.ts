import type { TransactionSql } from '../../db/pools.ts'
import { enqueueDeliveries } from '../notifications/index.ts'

/** An alert that a flush raises. */
export interface RaisedAlert {
  tenantId: string
  machineId: string
  machineName: string
  ruleId: string
  metric: string
  unit: string
  severity: 'warning' | 'critical'
  triggerValue: number
  threshold: number
  /** the rule watches for high values */
  isHigh: boolean
  /** Unix ms of the reading */
  triggeredAt: number
  /** pages nobody */
  isLate: boolean
  /** over before it was stored */
  isCleared: boolean
}

/** What stands for one rule, machine and unit. */
interface Standing {
  tenantId: string
  ruleId: string
  machineId: string
  unit: string
}

/** A sentence for people: `Pump 2: vibration is 7.4 mm/s, above the critical threshold of 7.1 mm/s.` */
export function alertMessage(alert: RaisedAlert): string {
  const late = alert.isLate ? ` Reported late: measured at ${new Date(alert.triggeredAt).toISOString()}.` : ''
  const side = alert.isHigh ? 'above' : 'below'
  return `${alert.machineName}: ${alert.metric} is ${shown(alert)} ${alert.unit}, ${side} the ${alert.severity} threshold of ${alert.threshold} ${alert.unit}.${late}`
}

/** Six digits are enough for people, unless rounding would hide which side of the threshold the value is on. */
function shown({ triggerValue, threshold }: RaisedAlert): number {
  const short = Number(triggerValue.toPrecision(6))
  return short === threshold ? triggerValue : short
}

/**
 * Records in a flush's transaction what the rules decided: alerts of conditions that ended get `cleared_at`, new alerts are stored, and
 * each that may page has one delivery per channel queued.
 */
export async function openAlerts(
  tx: TransactionSql,
  now: Date,
  raised: readonly RaisedAlert[],
  cleared: readonly Standing[],
): Promise<void> {
  if (cleared.length > 0) {
    await tx`
      update alerts a set cleared_at = ${now}
      from unnest(${cleared.map((c) => c.tenantId)}::uuid[], ${cleared.map((c) => c.ruleId)}::uuid[], ${cleared.map((c) => c.machineId)}::uuid[],
        ${cleared.map((c) => c.unit)}::text[]) c(t, r, m, u)
      where a.tenant_id = c.t and a.rule_id = c.r and a.machine_id = c.m and a.unit = c.u and a.cleared_at is null`
  }
  if (raised.length === 0) return
  const rows = raised.map((alert) => ({
    tenant_id: alert.tenantId,
    machine_id: alert.machineId,
    rule_id: alert.ruleId,
    unit: alert.unit,
    severity: alert.severity,
    metric_name: alert.metric,
    trigger_value: alert.triggerValue,
    threshold_value: alert.threshold,
    message: alertMessage(alert),
    triggered_at: new Date(alert.triggeredAt),
    is_late: alert.isLate,
    cleared_at: alert.isCleared ? now : null,
    created_at: now,
  }))
  const stored: { id: string; tenantId: string; isLate: boolean }[] = []
  // one statement takes at most 65,534 parameters; a backlog may raise thousands
  for (let from = 0; from < rows.length; from += 1_000) {
    stored.push(
      ...(await tx<{ id: string; tenantId: string; isLate: boolean }[]>`
        insert into alerts ${tx(rows.slice(from, from + 1_000))} returning id, tenant_id as "tenantId", is_late as "isLate"`),
    )
  }
  await enqueueDeliveries(
    tx,
    now,
    stored.filter((alert) => !alert.isLate),
  )
}
