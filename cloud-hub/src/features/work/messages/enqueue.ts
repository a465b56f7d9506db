import type { WorkMessageKind } from '../../../db/enums.ts'
import type { Sql, TransactionSql } from '../../../db/pools.ts'

/** What a message is about. */
type WorkSubject =
  | { workOrderId: string; maintenanceEventId?: undefined; noteId?: undefined }
  | { maintenanceEventId: string; workOrderId?: undefined; noteId?: undefined }
  | { noteId: string; workOrderId?: undefined; maintenanceEventId?: undefined }

/**
 * Queues a message to each of these users in the transaction of its cause: a mail, and one web push for each of the user's
 * browsers. Users who are not active members of the tenant get none. The worker sends them after the commit.
 */
export async function notifyAssignees(
  sql: Sql | TransactionSql,
  tenantId: string,
  now: Date,
  message: WorkSubject & { kind: WorkMessageKind; userIds: readonly string[] },
): Promise<void> {
  await sql`
    insert into work_messages (tenant_id, kind, user_id, channel_id, work_order_id, maintenance_event_id, note_id, due_at, created_at)
    select u.tenant_id, ${message.kind}, u.id, receiver.channel_id, ${message.workOrderId ?? null}::uuid,
      ${message.maintenanceEventId ?? null}::uuid, ${message.noteId ?? null}::uuid, ${now}, ${now}
    from users u cross join lateral (
      select null::uuid as channel_id
      union all
      select c.id from notification_channels c
      where c.tenant_id = u.tenant_id and c.channel_type = 'push' and c.created_by = u.id and c.is_active
    ) receiver
    where u.tenant_id = ${tenantId} and u.id = any(${[...new Set(message.userIds)]}::uuid[]) and u.is_active and not u.is_invited and not u.is_service`
}
