import type { PendingQuery, Row } from 'postgres'
import { answeredEarly, type TransactionSql } from '../../db/pools.ts'
import type { Severity } from '../../db/tables/alerts.ts'

/** The channel that wakes delivery workers. */
export const DELIVERIES_CHANNEL = 'haltless_deliveries'

/** An alert as its deliveries tell it. */
export interface PagingAlert {
  id: string
  tenantId: string
  message: string
  severity: Severity
  metric: string
  triggerValue: number
  threshold: number
  unit: string
  /** Unix ms */
  triggeredAt: number
  createdAt: Date
  machine: { id: string; name: string; identifier: string; location: string | null }
}

/** What the worker of this process may take along from a flush, without asking the outbox for it. */
export interface Lease {
  /** until then nobody else takes these deliveries */
  until: Date
  /** whose deliveries it has room for */
  tenantIds: string[]
  /** deliveries in all: of more than these none is taken along */
  room: number
  /** channels that have no room */
  fullChannels: string[]
  /** hands them over as soon as they are queued, to be made once the transaction has committed */
  take(queued: Promise<Leased[]>): void
}

/** A delivery that is this process's to make. */
export interface Leased {
  id: string
  channelId: string
  /** which state of the channel it goes to: changes with every change of its row */
  channelVersion: string
  alert: PagingAlert
}

/**
 * Stores alerts by the statement `insert` and queues one delivery per alert and active channel with `notify_on_alert`, in one statement. What the
 * lease has room for is taken along: it counts as being attempted, so that it comes back when this process dies before it has made it. The rest
 * wakes whoever listens when the transaction commits. Sent and not waited for: a failure fails the transaction.
 */
export function storeAndQueue(
  tx: TransactionSql,
  now: Date,
  insert: PendingQuery<Row[]>,
  alerts: readonly PagingAlert[],
  lease: Lease | undefined,
): void {
  const { tenantIds = [], room = 0, fullChannels = [], until = now } = lease ?? {}
  const queued = tx<{ id: string; alertId: string; channelId: string; channelVersion: string; isLeased: boolean }[]>`
    with stored as (${insert}), wanted as materialized (
      select uuidv7() as id, c.tenant_id, c.id as channel_id, c.xmin::text as version, a.id as alert_id,
        count(*) over () <= ${room} and c.tenant_id = any(${tenantIds}::uuid[]) and c.id <> all(${fullChannels}::uuid[]) as is_leased
      from unnest(${alerts.map((a) => a.tenantId)}::uuid[], ${alerts.map((a) => a.id)}::uuid[]) a(tenant_id, id)
      join notification_channels c on c.tenant_id = a.tenant_id and c.is_active and c.notify_on_alert
    ), queued as (
      insert into deliveries (id, tenant_id, channel_id, alert_id, attempts, due_at, created_at)
      select id, tenant_id, channel_id, alert_id, is_leased::int, case when is_leased then ${until}::timestamptz else ${now}::timestamptz end, ${now} from wanted
    )
    select id, alert_id as "alertId", channel_id as "channelId", version as "channelVersion", is_leased as "isLeased",
      case when not is_leased then pg_notify(${DELIVERIES_CHANNEL}, '') end from wanted`
  if (!lease) {
    queued.execute()
    return
  }
  const byId = new Map(alerts.map((alert) => [alert.id, alert]))
  // deliveries are made ready while the rest of the flush is written
  const leased = answeredEarly(queued).then((rows) =>
    rows
      .filter((row) => row.isLeased)
      .map(({ id, channelId, channelVersion, alertId }) => ({
        id,
        channelId,
        channelVersion,
        alert: byId.get(alertId) as PagingAlert,
      })),
  )
  leased.catch(() => {})
  lease.take(leased)
}
