import { isolateFailures } from '../../../db/errors.ts'
import type { Sql, TransactionSql } from '../../../db/pools.ts'
import { DELIVERIES_CHANNEL } from '../../delivery/notifications/index.ts'

/** Alerts that one transaction examines. */
const PORTION = 500
/** An alert that fails is examined again after this delay; others go on. */
const AGAIN_MS = 600_000
/** Failures that one error names. */
const MAX_REPORTED = 5

/**
 * Sends alerts that are neither acknowledged nor cleared to the channels of policies whose delay has passed. One statement
 * inserts the delivery and a row whose key is policy and alert. Hence each alert escalates once per policy, despite kills,
 * restarts, clock changes and replicas. Snoozed alerts wait. Alerts that were too old to notify or muted do not escalate; others wait
 * while maintenance is in progress on their machine. A disabled
 * channel receives them once it is enabled. Deliveries to people are grouped as those of alerts are, so that a storm does
 * not escalate one by one. An existing ticket gets a comment.
 * `alerts.escalation_due_at` says when an alert is examined; triggers bring it forward when what it depends on changes
 * (migrations/functions/plan_escalation.sql).
 * @returns the number of deliveries queued
 * @throws AggregateError after the others, when values of alerts or policies cannot be evaluated
 */
export async function escalateDue(allTenants: Sql, now: Date): Promise<number> {
  const failures: Error[] = []
  for (let escalated = 0; ; ) {
    const due = await dueAlerts(allTenants, now)
    let examined = 0
    const failed = await isolateFailures(due, async (some) => {
      const done = await allTenants.begin((tx) => escalateSome(tx, some, now))
      examined += done.examined
      escalated += done.queued
    })
    await defer(
      allTenants,
      failed.map(({ row }) => row),
      now,
    )
    failures.push(...failed.map(({ row, error }) => new Error(`alert ${row.id} of tenant ${row.tenantId}`, { cause: error })))
    if (due.length < PORTION || examined + failed.length === 0) {
      if (failures.length === 0) return escalated
      throw new AggregateError(failures.slice(0, MAX_REPORTED), `${failures.length} alerts could not be examined for escalation.`)
    }
  }
}

interface AlertKey {
  tenantId: string
  id: string
}

const dueAlerts = (allTenants: Sql, now: Date) => allTenants<AlertKey[]>`
  select tenant_id as "tenantId", id from alerts
  where acknowledged_at is null and cleared_at is null and escalation_due_at <= ${now}
  order by escalation_due_at limit ${PORTION}`

/** Examines alerts again later. */
async function defer(allTenants: Sql, alerts: readonly AlertKey[], now: Date): Promise<void> {
  const later = new Date(now.getTime() + AGAIN_MS)
  for (const { tenantId, id } of alerts)
    await allTenants`update alerts set escalation_due_at = ${later} where tenant_id = ${tenantId} and id = ${id} and escalation_due_at <= ${now}`
}

async function escalateSome(
  tx: TransactionSql,
  due: readonly AlertKey[],
  now: Date,
): Promise<{ examined: number; queued: number }> {
  // A statement of its own: the next one sees what was committed before the locks, and later changes wait for them.
  const claimed = await tx<AlertKey[]>`
    select a.tenant_id as "tenantId", a.id
    from unnest(${due.map(({ tenantId }) => tenantId)}::uuid[], ${due.map(({ id }) => id)}::uuid[]) w(tenant_id, id)
    cross join lateral (
      select a.tenant_id, a.id from alerts a
      where a.tenant_id = w.tenant_id and a.id = w.id and a.acknowledged_at is null and a.cleared_at is null and a.escalation_due_at <= ${now}
      limit 1 for no key update skip locked) a`
  if (claimed.length === 0) return { examined: 0, queued: 0 }
  const [row] = await tx<[{ queued: number }]>`
    with examined as materialized (
      select a.place, a.tenant_id, a.id, a.severity, a.machine_id, a.metric_name, a.unit, a.is_too_old_to_notify, a.is_muted, a.created_at, a.snoozed_until,
        a.snoozed_until > ${now} as is_snoozed, exists (
        select from maintenance_events m where m.tenant_id = a.tenant_id and m.machine_id = a.machine_id and m.status = 'in_progress'
        offset 0) as is_muted_now
      from unnest(${claimed.map(({ tenantId }) => tenantId)}::uuid[], ${claimed.map(({ id }) => id)}::uuid[]) w(tenant_id, id)
      cross join lateral (
        select a.ctid as place, a.tenant_id, a.id, a.severity, a.machine_id, a.metric_name, a.unit, a.is_too_old_to_notify, a.is_muted, a.created_at, a.snoozed_until
        from alerts a where a.tenant_id = w.tenant_id and a.id = w.id limit 1) a
    ), open as materialized (
      select a.tenant_id, p.id as policy_id, p.name as policy, c.id as channel_id, c.name as channel, c.audience, a.id as alert_id, a.created_at,
        alert_subject(c.subject_kind, a.id, a.machine_id, a.metric_name, a.unit) as subject,
        a.created_at + make_interval(mins => p.wait_minutes) as due_at
      from examined a
      cross join lateral (
        select p.tenant_id, p.id, p.name, p.channel_id, p.wait_minutes from escalation_policies p
        where p.tenant_id = a.tenant_id and p.severity = a.severity and p.is_active offset 0) p
      cross join lateral (
        select c.id, c.name, c.audience, c.subject_kind from notification_channels c
        where c.tenant_id = p.tenant_id and c.id = p.channel_id and c.is_active limit 1) c
      where is_snoozed is not true and not is_muted_now and not a.is_too_old_to_notify and not a.is_muted and not exists (
        select from escalations e where e.tenant_id = p.tenant_id and e.policy_id = p.id and e.alert_id = a.id offset 0)
    ), escalated as (
      insert into escalations (tenant_id, policy_id, alert_id, escalated_at)
      select tenant_id, policy_id, alert_id, ${now} from open where due_at <= ${now} order by 1, 2, 3
      on conflict do nothing returning tenant_id, policy_id, alert_id
    ), told as materialized (
      select open.* from open join escalated using (tenant_id, policy_id, alert_id)
    ), queued as (
      insert into deliveries (tenant_id, channel_id, alert_id, subject, status, due_at, created_at)
      select tenant_id, channel_id, alert_id, subject, case when audience = 'people' then 'pending_digest' else 'waiting' end, ${now}, ${now}
      from told order by created_at returning 1
    ), noted as (
      insert into alert_history (tenant_id, alert_id, event, at, details)
      select tenant_id, alert_id, 'escalated', ${now}, jsonb_build_object('policy_id', policy_id, 'policy_name', policy, 'channel_id', channel_id,
        'channel_name', channel) from told
    ), later as (
      select tenant_id, alert_id, min(due_at) as due_at from open where due_at > ${now} group by 1, 2
    ), planned as (
      update alerts a set escalation_due_at = e.next_at from (
        select x.place, case when x.is_snoozed then x.snoozed_until else l.due_at end as next_at
        from examined x left join later l on l.tenant_id = x.tenant_id and l.alert_id = x.id) e
      where a.ctid = e.place
    )
    select (select count(*)::int from queued) as queued, case when exists (select from told) then pg_notify(${DELIVERIES_CHANNEL}, '') end`
  return { examined: claimed.length, queued: row.queued }
}
