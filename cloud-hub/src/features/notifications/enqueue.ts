import type { TransactionSql } from '../../db/pools.ts'

/** The channel that wakes delivery workers. */
export const DELIVERIES_CHANNEL = 'haltless_deliveries'

/** Queues one delivery per alert and active channel with `notify_on_alert`, in the transaction that stores the alerts. */
export async function enqueueDeliveries(
  tx: TransactionSql,
  now: Date,
  alerts: readonly { id: string; tenantId: string }[],
): Promise<void> {
  if (alerts.length === 0) return
  const queued = await tx`
    insert into deliveries (tenant_id, channel_id, alert_id, due_at, created_at)
    select c.tenant_id, c.id, a.id, ${now}, ${now}
    from unnest(${alerts.map((a) => a.tenantId)}::uuid[], ${alerts.map((a) => a.id)}::uuid[]) a(tenant_id, id)
    join notification_channels c on c.tenant_id = a.tenant_id and c.is_active and c.notify_on_alert`
  // told to listeners when the transaction commits
  if (queued.count > 0) await tx`select pg_notify(${DELIVERIES_CHANNEL}, '')`
}
