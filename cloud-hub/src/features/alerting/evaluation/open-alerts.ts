import type { TransactionSql } from '../../../db/pools.ts'
import { withoutDirections } from '../../../support/direction.ts'
import { uuidv7 } from '../../../support/uuid.ts'
import { type InlineDelivery, insertAlertsAndDeliveries } from '../../delivery/notifications/index.ts'
import { displayValue } from '../alerts/index.ts'
import type { RaisedAlert, Transitions } from './transitions.ts'

/** Readings that arrive later than this after their timestamp raise alerts without notification; the alerts say so. */
const NOTIFY_WITHIN_MS = 15 * 60_000

/** @param at Unix ms of the reading that raises an alert */
export const isTooOldToNotify = (at: number, now: Date): boolean => at < now.getTime() - NOTIFY_WITHIN_MS

type MessageFields = Omit<RaisedAlert, 'message'>

/** `Pump 2: vibration is 7.4 mm/s, above the critical threshold of 7.1 mm/s.` */
export const thresholdMessage = (alert: MessageFields): string =>
  `${alert.machine.name}: ${alert.metric} is ${displayValue(alert.triggerValue, alert.threshold)} ${alert.unit}, ${alert.comparison === '>' ? 'above' : 'below'} the ${alert.severity} threshold of ${alert.threshold} ${alert.unit}.`

const sentence = ({ message, isTooOldToNotify, triggeredAt }: RaisedAlert): string => {
  const text = withoutDirections(message)
  return isTooOldToNotify ? `${text} Reported late: measured at ${new Date(triggeredAt).toISOString()}.` : text
}

/**
 * Stores transitions in the transaction of a flush. Sets `cleared_at` of alerts whose condition ended, and inserts new alerts.
 * Queues one delivery per channel for each alert that may notify. The statement that stores an alert decides whether maintenance
 * mutes it: what began after maintenance had started never notifies. Sent, not awaited: a failure fails the transaction.
 */
export function openAlerts(
  tx: TransactionSql,
  now: Date,
  { raised, cleared }: Pick<Transitions, 'raised' | 'cleared'>,
  inlineDelivery: InlineDelivery | undefined,
): void {
  if (cleared.length > 0) {
    // locked by id, as each statement locks several alerts, so that none waits for another in a circle
    tx`
      update alerts a set cleared_at = ${now}
      where a.tenant_id = any(${[...new Set(cleared.map((c) => c.tenantId))]}::uuid[]) and a.id = any(array(
        select a.id
        from unnest(${cleared.map((c) => c.tenantId)}::uuid[], ${cleared.map((c) => c.ruleId)}::uuid[], ${cleared.map((c) => c.machineId)}::uuid[],
          ${cleared.map((c) => c.unit)}::text[]) c(t, r, m, u)
        join alerts a on a.tenant_id = c.t and a.rule_id = c.r and a.machine_id = c.m and (c.u is null or a.unit = c.u) and a.cleared_at is null
        order by a.id for no key update of a))`.execute()
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
    comparison: a.comparison,
    rule: a.ruleName && withoutDirections(a.ruleName),
    at: a.triggeredAt,
    late: a.isTooOldToNotify,
    cleared: a.isCleared,
  }))
  // one parameter instead of fifteen arrays, which cost more to encode and decode for a few alerts
  const insert = tx`
    insert into alerts (id, tenant_id, machine_id, rule_id, unit, severity, metric_name, trigger_value, threshold_value, message,
      comparison, rule_name, triggered_at, is_too_old_to_notify, is_muted, cleared_at, created_at)
    select id, t, m, r, u, severity, metric, value, threshold, message, comparison, rule, to_timestamp(at / 1000), late,
      exists (select from maintenance_events e where e.tenant_id = t and e.machine_id = m and e.status = 'in_progress'),
      case when cleared then ${now}::timestamptz end, ${now}
    from json_to_recordset(${JSON.stringify(rows)}::text::json) n(id uuid, t uuid, m uuid, r uuid, u text, severity text, metric text, value float8,
      threshold float8, message text, comparison text, rule text, at float8, late bool, cleared bool)`
  const notifying = alerts.filter((alert) => !alert.isTooOldToNotify)
  if (notifying.length === 0) insert.execute()
  else insertAlertsAndDeliveries(tx, now, insert, notifying, inlineDelivery)
}
