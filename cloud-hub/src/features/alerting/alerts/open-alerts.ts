import type { TransactionSql } from '../../../db/pools.ts'
import type { Severity } from '../../../db/tables/alerts.ts'
import { uuidv7 } from '../../../support/uuid.ts'
import { storeAndQueue, type TakeAlong } from '../../delivery/notifications/index.ts'

/** An alert that a flush raises. */
export interface RaisedAlert {
  tenantId: string
  machine: { id: string; name: string; identifier: string; location: string | null }
  ruleId: string
  metric: string
  unit: string
  severity: Severity
  triggerValue: number
  threshold: number
  /** a sentence for people, without what is said of late ones */
  message: string
  /** Unix ms of the reading */
  triggeredAt: number
  /** pages nobody */
  isLate: boolean
  /** over before it was stored */
  isCleared: boolean
}

/** What stands for one rule, machine and unit. */
export interface Standing {
  tenantId: string
  ruleId: string
  machineId: string
  /** null: all, for a rule whose alerts name the unit of what was true first */
  unit: string | null
}

type Said = Omit<RaisedAlert, 'message'>

/** `Pump 2: vibration is 7.4 mm/s, above the critical threshold of 7.1 mm/s.` */
export const thresholdMessage = (alert: Said, isHigh: boolean): string =>
  `${alert.machine.name}: ${alert.metric} is ${shown(alert)} ${alert.unit}, ${isHigh ? 'above' : 'below'} the ${alert.severity} threshold of ${alert.threshold} ${alert.unit}.`

/** Six digits are enough for people, unless rounding would hide which side of the threshold the value is on. */
export function shown({ triggerValue, threshold }: Pick<Said, 'triggerValue' | 'threshold'>): number {
  const short = Number(triggerValue.toPrecision(6))
  return short === threshold ? triggerValue : short
}

const sentence = ({ message, isLate, triggeredAt }: RaisedAlert): string =>
  isLate ? `${message} Reported late: measured at ${new Date(triggeredAt).toISOString()}.` : message

/**
 * Records in a flush's transaction what the rules decided: alerts of conditions that ended get `cleared_at`, new alerts are stored, and
 * each that may page has one delivery per channel queued. Sent and not waited for: a failure fails the transaction.
 */
export function openAlerts(
  tx: TransactionSql,
  now: Date,
  raised: readonly RaisedAlert[],
  cleared: readonly Standing[],
  takeAlong: TakeAlong | undefined,
): void {
  if (cleared.length > 0) {
    tx`
      update alerts a set cleared_at = ${now}
      from unnest(${cleared.map((c) => c.tenantId)}::uuid[], ${cleared.map((c) => c.ruleId)}::uuid[], ${cleared.map((c) => c.machineId)}::uuid[],
        ${cleared.map((c) => c.unit)}::text[]) c(t, r, m, u)
      where a.tenant_id = c.t and a.rule_id = c.r and a.machine_id = c.m and (c.u is null or a.unit = c.u) and a.cleared_at is null`.execute()
  }
  if (raised.length === 0) return
  const alerts = raised.map((alert) => ({ ...alert, id: uuidv7(now.getTime()), message: sentence(alert), createdAt: now }))
  const rows = alerts.map((a) => ({
    id: a.id,
    t: a.tenantId,
    m: a.machine.id,
    r: a.ruleId,
    u: a.unit,
    severity: a.severity,
    metric: a.metric,
    value: a.triggerValue,
    threshold: a.threshold,
    message: a.message,
    at: a.triggeredAt,
    late: a.isLate,
    cleared: a.isCleared,
  }))
  // one parameter instead of thirteen arrays, which cost more to write and to read for a few alerts
  const insert = tx`
    insert into alerts (id, tenant_id, machine_id, rule_id, unit, severity, metric_name, trigger_value, threshold_value, message, triggered_at,
      is_late, cleared_at, created_at)
    select id, t, m, r, u, severity, metric, value, threshold, message, to_timestamp(at / 1000), late, case when cleared then ${now}::timestamptz end, ${now}
    from json_to_recordset(${JSON.stringify(rows)}::text::json) n(id uuid, t uuid, m uuid, r uuid, u text, severity text, metric text, value float8,
      threshold float8, message text, at float8, late bool, cleared bool)`
  const paging = alerts.filter((alert) => !alert.isLate)
  if (paging.length === 0) insert.execute()
  else storeAndQueue(tx, now, insert, paging, takeAlong)
}
