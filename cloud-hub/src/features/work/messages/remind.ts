import type { WorkMessageKind } from '../../../db/enums.ts'
import type { Sql } from '../../../db/pools.ts'
import { purge } from '../../../db/purge.ts'
import { notifyAssignees } from './enqueue.ts'

/** How long before the due date its reminder is sent, and until when a reminder that was missed is made up for. */
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** A reminder that no hub sent for this long, because all were stopped, is no longer sent. */
const STALE_MS = DAY_MS

interface Due {
  tenantId: string
  kind: WorkMessageKind
  workOrderId: string | null
  eventId: string | null
  userIds: string[]
}

/**
 * Queues reminders: work orders due within a day and overdue, maintenance within a day and within an hour, and maintenance in
 * progress an hour after its end, however late it was started: it keeps its machine silent. A reminder is noted in the transaction
 * that queues its messages, so each is sent once, by any
 * number of replicas. A new due date or start has reminders of its own.
 */
export async function queueReminders(allTenants: Sql, now: Date): Promise<void> {
  const at = (ms: number) => new Date(now.getTime() + ms)
  await allTenants.begin(async (tx) => {
    // nobody reads the messages of a service account
    const planner = tx`
      (select case when c.is_service then c.responsible_id else c.id end from users c where c.tenant_id = e.tenant_id and c.id = e.created_by)`
    const due = await tx<Due[]>`
    with due as materialized (
      select tenant_id, case when due_date > ${now} then 'work_order_due_soon' else 'work_order_overdue' end as kind,
        id as work_order_id, null::uuid as event_id, due_date as for_time,
        array(select a.user_id from work_order_assignees a where a.tenant_id = o.tenant_id and a.work_order_id = o.id) || o.assigned_to as users
      from work_orders o
      where status in ('open', 'in_progress') and due_date > ${at(-STALE_MS)} and due_date <= ${at(DAY_MS)}
        -- One that nobody is assigned to is announced to the first assignee.
        and (assigned_to is not null or exists (
          select from work_order_assignees a where a.tenant_id = o.tenant_id and a.work_order_id = o.id))
      union all
      select tenant_id, case when scheduled_start > ${at(HOUR_MS)} then 'maintenance_day_before' else 'maintenance_hour_before' end,
        null, id, scheduled_start,
        array[coalesce((select u.id from users u where u.tenant_id = e.tenant_id and u.id = e.assigned_to and u.is_active), ${planner})]
      from maintenance_events e where status = 'scheduled' and scheduled_start > ${now} and scheduled_start <= ${at(DAY_MS)}
      union all
      select tenant_id, 'maintenance_overrun', null, id, scheduled_end, array[assigned_to, ${planner}]
      from maintenance_events e
      where status = 'in_progress' and scheduled_end <= ${at(-HOUR_MS)}
    ), noted as (
      insert into work_reminders (tenant_id, kind, work_order_id, maintenance_event_id, for_time, sent_at)
      select tenant_id, kind, work_order_id, event_id, for_time, ${now} from due order by 1, 2, 3, 4
      on conflict do nothing returning tenant_id, kind, work_order_id, maintenance_event_id
    )
    select d.tenant_id as "tenantId", d.kind, d.work_order_id as "workOrderId", d.event_id as "eventId",
      -- The driver reads a null in an array as the text NULL.
      array_remove(d.users, null) as "userIds"
    from noted n
    join due d on d.tenant_id = n.tenant_id and d.kind = n.kind and coalesce(d.work_order_id, d.event_id) = coalesce(n.work_order_id, n.maintenance_event_id)`
    for (const { tenantId, kind, workOrderId, eventId, userIds } of due) {
      const people = { kind, userIds }
      if (workOrderId !== null) await notifyAssignees(tx, tenantId, now, { ...people, workOrderId })
      else if (eventId !== null) await notifyAssignees(tx, tenantId, now, { ...people, maintenanceEventId: eventId })
    }
  })
}

/** Deletes the notes of reminders that can no longer be due. Maintenance in progress stays due. */
export async function purgeReminders(allTenants: Sql, now: Date): Promise<void> {
  await purge(allTenants, {
    table: 'work_reminders',
    column: 'for_time',
    before: new Date(now.getTime() - 7 * DAY_MS),
    and: allTenants`not exists (
      select from maintenance_events e
      where e.tenant_id = r.tenant_id and e.id = r.maintenance_event_id and e.status = 'in_progress' offset 0)`,
  })
}
