import type { PendingQuery, Row } from 'postgres'
import type { TransactionSql } from '../../../db/pools.ts'
import type { Leased } from './along.ts'
import type { PagingAlert } from './paging-alert.ts'

/** The channel that wakes delivery workers. */
export const DELIVERIES_CHANNEL = 'haltless_deliveries'

/** The deliveries of a flush that the worker of this process makes itself, without asking the outbox for them. */
export interface Lease {
  leased: readonly Leased[]
  /** until then nobody else takes them */
  until: Date
}

/** Takes them along, to be made once the transaction has committed. */
export type TakeAlong = (alerts: readonly PagingAlert[]) => Lease

/**
 * Stores alerts by the statement `insert` and queues one delivery per alert that is not late and active channel with `notify_on_alert`, in one statement. What is
 * taken along counts as being attempted, so that it comes back when this process dies before it has made it; when one of its channels is not
 * as it was remembered the transaction fails as out of date. What goes to people is gathered first, what goes to ticketing tools waits for its
 * turn. What is not taken along wakes whoever listens when the transaction commits. Sent and not waited for: a failure fails the transaction.
 */
export function storeAndQueue(
  tx: TransactionSql,
  now: Date,
  insert: PendingQuery<Row[]>,
  alerts: readonly PagingAlert[],
  takeAlong: TakeAlong | undefined,
): void {
  const { leased, until } = takeAlong?.(alerts) ?? { leased: [], until: now }
  const along = leased.map(({ id, alert, channel }) => ({ id, alert: alert.id, channel: channel.id, version: channel.version }))
  tx`
    with stored as (${insert} returning id, tenant_id, machine_id, metric_name, unit, is_late), wanted as materialized (
      select coalesce(l.id, uuidv7()) as id, l.id is not null as is_leased, c.tenant_id, c.id as channel_id, a.id as alert_id, c.audience,
        alert_subject(c.subject_kind, a.id, a.machine_id, a.metric_name, a.unit) as subject
      from stored a join notification_channels c on c.tenant_id = a.tenant_id and c.is_active and c.notify_on_alert
      left join json_to_recordset(${JSON.stringify(along)}::text::json) l(id uuid, alert uuid, channel uuid, version text)
        on l.alert = a.id and l.channel = c.id and l.version = c.xmin::text
      where not a.is_late
    ), queued as (
      insert into deliveries (id, tenant_id, channel_id, alert_id, subject, status, attempts, due_at, created_at)
      select id, tenant_id, channel_id, alert_id, subject, case when audience = 'people' then 'gathering' else 'waiting' end,
        is_leased::int, case when is_leased then ${until}::timestamptz else ${now}::timestamptz end, ${now} from wanted
    )
    select case when count(*) filter (where is_leased) <> ${leased.length} then memory_is_out_of_date() end,
      case when count(*) filter (where not is_leased) > 0 then pg_notify(${DELIVERIES_CHANNEL}, '') end
    from wanted`.execute()
}
