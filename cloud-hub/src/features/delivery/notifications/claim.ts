import type { Severity } from '../../../db/enums.ts'
import type { Sql } from '../../../db/pools.ts'
import type { DeliveryEvent } from '../../../db/tables/notifications.ts'
import type { Group, Notice } from './channel.ts'
import { MAIL_TYPES } from './registry.ts'

/** The longest Retry-After that a receiver may request. */
export const MAX_RETRY_AFTER_SECONDS = 6 * 3_600
/** The lease of a worker that died ends after this; it is longer than any attempt. */
const LEASE_SECONDS = 60

/** A claimed delivery, with all that an attempt needs. */
export interface ClaimedDelivery {
  id: string
  tenantId: string
  /** this attempt's number, from 1 */
  attempts: number
  channel: ClaimedChannel
  notice: Notice
  alertId: string
  /** others about the same subject may wait for its end */
  hasSubject: boolean
  /** false: it reports the end of an alert that the channel never accepted */
  isRaiseAccepted: boolean
}

export interface ClaimedChannel {
  id: string
  type: string
  sealedConfig: string
  isActive: boolean
}

/** A human-facing channel sends this many messages at once. Further alerts within the span leave as one digest. */
const IMMEDIATE_MESSAGES = 3
const DIGEST_SECONDS = 30

/** Releases the digests of human-facing channels that are due, each as one message or as several. */
export async function releaseDigests(allTenants: Sql, now: Date): Promise<void> {
  await allTenants`select release_digests(${now}, ${IMMEDIATE_MESSAGES}, make_interval(secs => ${DIGEST_SECONDS}))`
}

/** No delivery waits longer for its next attempt. */
const MAX_WAIT_MS = MAX_RETRY_AFTER_SECONDS * 1_000 + 60_000

/**
 * Makes deliveries due that were deferred while a clock was ahead. A delivery without any attempt is always due when it is
 * queued.
 */
export async function resetDeferred(allTenants: Sql, now: Date): Promise<void> {
  await allTenants`
    update deliveries set due_at = ${now} where status = 'waiting' and (due_at > ${new Date(now.getTime() + MAX_WAIT_MS)}
      or attempts = 0 and due_at > ${leasedUntil(now)})`
}

/** Limits of one claim. */
export interface ClaimLimits {
  deliveries: number
  /** of these, by mail: all tenants share one mail server */
  mails: number
  perChannel: number
  perTenant: number
  except: { channels: string[]; tenants: string[] }
}

/** Runs before each claim: most polls find nothing, and planning the claim costs milliseconds. */
export async function isAnyDue(allTenants: Sql, now: Date): Promise<boolean> {
  const [row] = await allTenants<{ due: boolean }[]>`
    select exists (select from deliveries where status = 'waiting' and due_at <= ${now}) as due`
  return row?.due === true
}

/** One claim considers at most this many due deliveries, none of them of a channel or tenant that has reached its limit. */
const MAX_CANDIDATES = 500

/**
 * Claims due deliveries, a few of each channel and tenant, and moves their due time to the end of the lease. Among deliveries
 * with the same subject only the first is claimed. The other candidates are deferred, by a tenth of the first one's wait and at
 * least 2 s. So deliveries behind a dead receiver do not fill every poll. The end of the first makes them due at once (see
 * `record` in attempt.ts). SKIP LOCKED leaves locked rows alone, so a channel that is being deleted delays no other. The
 * statement finds rows again by ctid. By key the planner may choose a worse index while a table begins to fill.
 * @returns the claimed deliveries, and how many were deferred
 */
export async function claimDue(
  allTenants: Sql,
  now: Date,
  limits: ClaimLimits,
): Promise<{ claimed: ClaimedDelivery[]; deferred: number }> {
  const found = await allTenants<(DueRow | { id: null; deferred: number })[]>`
    with candidate as materialized (
      select w.ctid as place, w.tenant_id, w.id, w.channel_id, w.due_at, c.channel_type = any(${MAIL_TYPES}) as is_mail,
        coalesce(first.id = w.id, true) as is_first, first.due_at as first_due
      from deliveries w join notification_channels c on c.tenant_id = w.tenant_id and c.id = w.channel_id
      left join lateral (
        select e.id, e.due_at from deliveries e
        where e.tenant_id = w.tenant_id and e.channel_id = w.channel_id and e.subject = w.subject and e.subject is not null and e.status = 'waiting'
        order by e.event <> 'raised', e.id limit 1
      ) first on true
      where w.status = 'waiting' and w.due_at <= ${now} and w.channel_id <> all(${limits.except.channels}::uuid[])
        and w.tenant_id <> all(${limits.except.tenants}::uuid[]) and (c.channel_type <> all(${MAIL_TYPES}) or ${limits.mails > 0})
      order by w.due_at, w.id limit ${MAX_CANDIDATES}
    ), behind as (
      select d.ctid as place, l.first_due from deliveries d join candidate l on l.place = d.ctid and not l.is_first
      where d.status = 'waiting' and d.due_at <= ${now} for update of d skip locked
    ), deferred as (
      update deliveries d set due_at = ${now}::timestamptz + greatest(interval '2 seconds', (b.first_due - ${now}::timestamptz) / 10)
      from behind b where d.ctid = b.place returning 1
    ), due as (
      select place, is_mail, row_number() over (partition by channel_id order by due_at, id) as of_channel,
        row_number() over (partition by tenant_id order by due_at, id) as of_tenant,
        row_number() over (partition by is_mail order by due_at, id) as of_mail
      from candidate where is_first
    ), locked as (
      select d.ctid as place from deliveries d
      join due on due.place = d.ctid and of_channel <= ${limits.perChannel} and of_tenant <= ${limits.perTenant}
        and (not is_mail or of_mail <= ${limits.mails})
      where d.status = 'waiting' and d.due_at <= ${now}
      order by d.due_at limit ${limits.deliveries} for update of d skip locked
    ), claimed as (
      update deliveries d set attempts = d.attempts + 1, due_at = ${leasedUntil(now)}
      from locked l, notification_channels c, alerts a, machines m
      where d.ctid = l.place
        and c.tenant_id = d.tenant_id and c.id = d.channel_id and a.tenant_id = d.tenant_id and a.id = d.alert_id
        and m.tenant_id = a.tenant_id and m.id = a.machine_id
      returning d.id, d.event, d.group_size as "groupSize", d.subject,
        case when c.subject_kind = 'series' then alert_subject(c.subject_kind, a.id, m.id, a.metric_name, a.unit) end as "ticketKey",
        (select e.ticket_id from deliveries e where e.tenant_id = d.tenant_id and e.channel_id = d.channel_id and e.subject = d.subject
          and e.ticket_id is not null order by e.id desc limit 1) as "knownTicket",
        d.event = 'raised' or exists (select from deliveries e where e.tenant_id = d.tenant_id and e.channel_id = d.channel_id and e.alert_id = d.alert_id
          and e.event = 'raised' and e.status = 'delivered') as "isRaiseAccepted",
        (select p.name from escalations e join escalation_policies p on p.tenant_id = e.tenant_id and p.id = e.policy_id
          where e.tenant_id = d.tenant_id and e.alert_id = d.alert_id and p.channel_id = d.channel_id and e.escalated_at = d.created_at
          limit 1) as "escalatedBy",
        d.tenant_id as "tenantId", d.channel_id as "channelId", d.attempts, c.channel_type as "channelType",
        c.sealed_config as "sealedConfig", c.is_active as "isActive", a.id as "alertId", a.message, a.severity, a.metric_name as "metricName",
        a.trigger_value as "triggerValue", a.threshold_value as "thresholdValue", a.unit, a.triggered_at as "triggeredAt", a.created_at as "createdAt",
        m.id as "machineId", m.name as "machineName", m.machine_identifier as "machineIdentifier", m.location as "machineLocation"
    )
    select t.*, (select count(*)::int from deferred) as "deferred" from (select) one left join claimed t on true`
  const deferred = found[0]?.deferred ?? 0
  const rows = found.filter((row): row is DueRow => row.id !== null)
  const groups = await groupsOf(
    allTenants,
    rows.filter(({ groupSize }) => groupSize > 1),
  )
  const claimed = rows.map(
    (row): ClaimedDelivery => ({
      id: row.id,
      tenantId: row.tenantId,
      attempts: row.attempts,
      channel: { id: row.channelId, type: row.channelType, sealedConfig: row.sealedConfig, isActive: row.isActive },
      alertId: row.alertId,
      hasSubject: row.subject !== null,
      isRaiseAccepted: row.isRaiseAccepted,
      notice: {
        type: 'alert',
        event: row.event,
        deliveryId: row.id,
        severity: row.severity,
        metricName: row.metricName,
        triggerValue: row.triggerValue,
        thresholdValue: row.thresholdValue,
        alert: { id: row.alertId, unit: row.unit, triggeredAt: row.triggeredAt, createdAt: row.createdAt },
        machine: { id: row.machineId, name: row.machineName, identifier: row.machineIdentifier, location: row.machineLocation },
        ...(row.ticketKey !== null && { ticket: { key: row.ticketKey, knownId: row.knownTicket } }),
        ...groups.get(row.id),
        message: escalated(groups.get(row.id)?.message ?? row.message, row.escalatedBy),
      },
    }),
  )
  return { claimed, deferred }
}

/** The prefix shows people that an alert comes again because no one acknowledged it. */
const escalated = (message: string, policy: string | null): string =>
  policy === null ? message : `Escalated (${policy}): ${message}`

/** A digest lists at most this many alerts. */
const SHOWN = 9

/** Loads the content of digests, by id. Alerts that were acknowledged or cleared meanwhile are only counted. */
async function groupsOf(
  allTenants: Sql,
  rows: readonly Pick<DueRow, 'id' | 'tenantId'>[],
): Promise<Map<string, { message: string; severity: Severity; group: Group }>> {
  if (rows.length === 0) return new Map()
  const found = await allTenants<{ id: string; severity: Severity; count: number; closed: number; messages: string[] | null }[]>`
    select l.id, a.severity, (count(*) filter (where is_open))::int as count, (count(*) filter (where not is_open))::int as closed,
      (array_agg(a.message order by a.triggered_at, a.id) filter (where is_open))[:${SHOWN}] as messages
    from unnest(${rows.map((row) => row.tenantId)}::uuid[], ${rows.map((row) => row.id)}::uuid[]) l(tenant_id, id)
    join deliveries d on d.tenant_id = l.tenant_id and (d.id = l.id or d.lead_id = l.id)
    join alerts a on a.tenant_id = d.tenant_id and a.id = d.alert_id
    cross join lateral (select a.acknowledged_at is null and a.cleared_at is null as is_open) state
    group by l.id, a.severity`
  return new Map(
    rows.map(({ id }) => {
      const bySeverity = ['critical', 'warning', 'info'].flatMap((s) =>
        found.filter((row) => row.id === id && row.severity === s),
      )
      const open = bySeverity.filter(({ count }) => count > 0)
      const total = open.reduce((sum, { count }) => sum + count, 0)
      const closed = bySeverity.reduce((sum, row) => sum + row.closed, 0)
      const shown = open
        .flatMap(({ severity, messages }) => (messages ?? []).map((message) => ({ severity, message })))
        .slice(0, SHOWN)
      return [id, { message: groupMessage(open, total, closed), severity: open[0]?.severity ?? 'info', group: { total, shown } }]
    }),
  )
}

function groupMessage(open: readonly { severity: Severity; count: number }[], total: number, closed: number): string {
  const alerts = (n: number) => `${n} alert${n === 1 ? '' : 's'}`
  if (total === 0) return `${alerts(closed)}, acknowledged or cleared meanwhile.`
  const counts = open.map(({ severity, count }) => `${count} ${severity}`).join(', ')
  const others = closed === 0 ? '' : ` ${closed} more ${closed === 1 ? 'was' : 'were'} acknowledged or cleared meanwhile.`
  return `${alerts(total)}: ${counts}.${others}`
}

interface DueRow {
  deferred: number
  id: string
  event: DeliveryEvent
  groupSize: number
  subject: string | null
  ticketKey: string | null
  knownTicket: string | null
  isRaiseAccepted: boolean
  /** the name of the policy that escalated it; its delivery has the same instant (see escalate.ts) */
  escalatedBy: string | null
  tenantId: string
  channelId: string
  channelType: string
  sealedConfig: string
  isActive: boolean
  attempts: number
  alertId: string
  message: string
  severity: Severity
  metricName: string
  triggerValue: number
  thresholdValue: number
  unit: string
  triggeredAt: Date
  createdAt: Date
  machineId: string
  machineName: string
  machineIdentifier: string
  machineLocation: string | null
}

export const leasedUntil = (now: Date): Date => new Date(now.getTime() + LEASE_SECONDS * 1000)
