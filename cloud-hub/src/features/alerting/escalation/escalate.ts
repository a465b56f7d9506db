import type { Sql } from '../../../db/pools.ts'
import { DELIVERIES_CHANNEL } from '../../delivery/notifications/index.ts'

/** Maximum of deliveries that one statement queues. */
const PORTION = 500

/**
 * Sends alerts that are neither acknowledged nor cleared to the channels of policies whose delay has passed. One statement
 * inserts the delivery and a row whose key is policy and alert. Hence each alert escalates once per policy, despite kills,
 * restarts, clock changes and replicas. Snoozed alerts wait. Alerts that were too old to notify or muted do not escalate; others wait
 * while maintenance is in progress on their machine. A disabled
 * channel receives them once it is enabled. `offset 0` makes PostgreSQL look up the whole key for each alert. It would plan a
 * join by statistics, which lag behind in a storm. Deliveries to people are grouped as those of alerts are, so that a storm does
 * not escalate one by one. An existing ticket gets a comment.
 * @returns the number of deliveries queued
 */
export async function escalateDue(allTenants: Sql, now: Date): Promise<number> {
  for (let escalated = 0; ; ) {
    const [portion] = await allTenants<{ looked: number; queued: number }[]>`
      with due as materialized (
        select p.tenant_id, p.id as policy_id, p.name as policy, c.id as channel_id, c.name as channel, c.audience, a.id as alert_id,
          alert_subject(c.subject_kind, a.id, a.machine_id, a.metric_name, a.unit) as subject
        from escalation_policies p
        join notification_channels c on c.tenant_id = p.tenant_id and c.id = p.channel_id and c.is_active
        join alerts a on a.tenant_id = p.tenant_id and a.severity = p.severity and a.acknowledged_at is null and a.cleared_at is null
          and not a.is_late and not a.is_muted and a.created_at <= ${now}::timestamptz - make_interval(mins => p.wait_minutes)
          and (a.snoozed_until is null or a.snoozed_until <= ${now})
        where p.is_active and not exists (
          select from escalations e where e.tenant_id = p.tenant_id and e.policy_id = p.id and e.alert_id = a.id offset 0)
          and not exists (select from maintenance_events m where m.tenant_id = a.tenant_id and m.machine_id = a.machine_id
            and m.status = 'in_progress' offset 0)
        order by a.created_at limit ${PORTION} for share of a skip locked
      ), escalated as (
        insert into escalations (tenant_id, policy_id, alert_id, escalated_at)
        select tenant_id, policy_id, alert_id, ${now} from due order by 1, 2, 3 on conflict do nothing returning tenant_id, policy_id, alert_id
      ), told as materialized (
        select due.* from due join escalated using (tenant_id, policy_id, alert_id)
      ), queued as (
        insert into deliveries (tenant_id, channel_id, alert_id, subject, status, due_at, created_at)
        select tenant_id, channel_id, alert_id, subject, case when audience = 'people' then 'gathering' else 'waiting' end, ${now}, ${now}
        from told returning 1
      ), noted as (
        insert into alert_history (tenant_id, alert_id, event, at, details)
        select tenant_id, alert_id, 'escalated', ${now}, jsonb_build_object('policy_id', policy_id, 'policy_name', policy, 'channel_id', channel_id,
          'channel_name', channel) from told
      )
      select (select count(*)::int from due) as looked, (select count(*)::int from queued) as queued,
        case when exists (select from told) then pg_notify(${DELIVERIES_CHANNEL}, '') end`
    escalated += portion?.queued ?? 0
    if ((portion?.looked ?? 0) < PORTION) return escalated
  }
}
