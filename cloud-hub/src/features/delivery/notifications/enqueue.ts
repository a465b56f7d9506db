import type { PendingQuery, Row } from 'postgres'
import type { TransactionSql } from '../../../db/pools.ts'
import type { LeasedDelivery } from './inline-delivery.ts'
import type { PagingAlert } from './paging-alert.ts'

/** The LISTEN/NOTIFY channel that wakes delivery workers. */
export const DELIVERIES_CHANNEL = 'haltless_deliveries'

/** The deliveries of a flush that this process makes itself, bypassing the outbox. */
export interface InlineLease {
  leased: readonly LeasedDelivery[]
  /** no other worker claims them before this instant */
  until: Date
  /** drops the deliveries of alerts that maintenance mutes; called before the commit */
  mute(alertIds: readonly string[]): void
}

/** Leases the deliveries of these alerts to this process, which makes them after the commit. */
export type InlineDelivery = (alerts: readonly PagingAlert[]) => InlineLease

/**
 * Stores alerts by the statement `insert`, and in the same statement one delivery per punctual alert and active channel with
 * `notify_on_alert`. Muted alerts have none. Inline deliveries count as under way, so they become due again when this process dies. When the version of
 * one of their channels has changed, the transaction fails with a stale cache. Deliveries to people wait for their digest, those
 * to ticketing tools for their turn. NOTIFY reports all others at commit. The statement is sent without waiting for it: a failure
 * fails the transaction.
 */
export function insertAlertsAndDeliveries(
  tx: TransactionSql,
  now: Date,
  insert: PendingQuery<Row[]>,
  alerts: readonly PagingAlert[],
  inlineDelivery: InlineDelivery | undefined,
): void {
  const { leased, until, mute } = inlineDelivery?.(alerts) ?? { leased: [], until: now, mute: () => {} }
  const inline = leased.map(({ id, alert, channel }) => ({ id, alert: alert.id, channel: channel.id, version: channel.version }))
  const storing = tx<{ muted: string[] }[]>`
    with stored as (${insert} returning id, tenant_id, machine_id, metric_name, unit, is_too_old_to_notify, is_muted), leased as (
      select l.* from json_to_recordset(${JSON.stringify(inline)}::text::json) l(id uuid, alert uuid, channel uuid, version text)
      join stored a on a.id = l.alert and not a.is_muted
    ), wanted as materialized (
      select coalesce(l.id, uuidv7()) as id, l.id is not null as is_leased, c.tenant_id, c.id as channel_id, a.id as alert_id, c.audience,
        alert_subject(c.subject_kind, a.id, a.machine_id, a.metric_name, a.unit) as subject
      from stored a join notification_channels c on c.tenant_id = a.tenant_id and c.is_active and c.notify_on_alert
      left join leased l on l.alert = a.id and l.channel = c.id and l.version = c.xmin::text
      where not a.is_too_old_to_notify and not a.is_muted
    ), queued as (
      insert into deliveries (id, tenant_id, channel_id, alert_id, subject, status, attempts, due_at, created_at)
      select id, tenant_id, channel_id, alert_id, subject, case when audience = 'people' then 'pending_digest' else 'waiting' end,
        is_leased::int, case when is_leased then ${until}::timestamptz else ${now}::timestamptz end, ${now} from wanted
    )
    select array(select id from stored where is_muted) as muted,
      case when (select count(*) from wanted where is_leased) <> (select count(*) from leased) then raise_stale_cache() end,
      case when exists (select from wanted where not is_leased) then pg_notify(${DELIVERIES_CHANNEL}, '') end`
  // before the commit, whose answer comes later; a failure of the statement fails the transaction
  storing.then(
    ([row]) => mute(row?.muted ?? []),
    () => {},
  )
}
