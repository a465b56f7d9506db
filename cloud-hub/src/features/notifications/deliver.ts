import type { Sql } from '../../db/pools.ts'
import type { Severity } from '../../db/tables/alerts.ts'
import type { Clock } from '../../support/clock.ts'
import type { Logger } from '../../support/logger.ts'
import type { Mailer } from '../../support/mail.ts'
import type { GuardedClient } from '../../support/net/guarded-client.ts'
import type { SecretBox } from '../../support/secrets/secret-box.ts'
import type { DeliveryOutcome, Notice } from './channel.ts'
import { DELIVERIES_CHANNEL } from './enqueue.ts'
import { openConfig } from './manage-channel.ts'
import { channelOf } from './registry.ts'

export interface DeliveryDeps {
  /** system role: deliveries of all tenants */
  allTenants: Sql
  listen: Sql
  box: SecretBox
  http: GuardedClient
  mailer: Mailer
  clock: Clock
  logger: Logger
  observe(channelType: string, outcome: string): void
}

/** Deliveries under way in this process, of one tenant and of one channel: slow receivers hold up only themselves. */
const AT_ONCE = 256
const PER_TENANT = 16
const PER_CHANNEL = 4
/** A worker that dies gives its deliveries back after this; longer than any attempt takes. */
const LEASE_SECONDS = 60
const POLL_MS = 1_000
/** Before attempts 2 to 8: about six hours in all. */
const RETRY_SECONDS = [5, 30, 120, 600, 1_800, 5_400, 13_500]
const MAX_RETRY_AFTER_SECONDS = 6 * 3_600

interface Taken {
  id: string
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

/** Seconds until the next attempt after the `attempt`-th, with a fifth of jitter either way; null when there is none. */
export function retryDelay(attempt: number, retryAfterSeconds: number | undefined, random = Math.random()): number | null {
  const base = RETRY_SECONDS[attempt - 1]
  if (base === undefined) return null
  return Math.max(base * (0.8 + 0.4 * random), Math.min(retryAfterSeconds ?? 0, MAX_RETRY_AFTER_SECONDS))
}

/**
 * Delivers what is queued, in any number of replicas: rows are taken with SKIP LOCKED and a lease, woken by NOTIFY and looked for every
 * second. A kill between sending and recording repeats a delivery under the same id, and never drops one.
 * @returns stops taking, and waits for what is under way
 */
export async function startDelivering(deps: DeliveryDeps): Promise<() => Promise<void>> {
  const [channels, tenants] = [tally(PER_CHANNEL), tally(PER_TENANT)]
  const underWay = new Set<Promise<void>>()
  let stopped = false
  let looking: Promise<void> | undefined
  let again = false

  async function look(): Promise<void> {
    while (!stopped) {
      again = false
      const free = AT_ONCE - underWay.size
      const taken = free > 0 ? await take(deps, free, channels.full(), tenants.full()) : []
      for (const delivery of taken) start(delivery)
      if (taken.length === 0 && !again) return
    }
  }

  function wake(): void {
    again = true
    looking ??= look()
      .catch((error) => deps.logger.warn({ err: error }, 'deliveries could not be taken'))
      .finally(() => {
        looking = undefined
        if (again && !stopped) setImmediate(wake)
      })
  }

  function start(delivery: Taken): void {
    channels.add(delivery.channelId, 1)
    tenants.add(delivery.tenantId, 1)
    const work = attempt(deps, delivery)
      .catch((error) =>
        deps.logger.error({ err: error, delivery_id: delivery.id }, 'a delivery could not be recorded; it comes again'),
      )
      .finally(() => {
        underWay.delete(work)
        channels.add(delivery.channelId, -1)
        tenants.add(delivery.tenantId, -1)
        if (!stopped) wake()
      })
    underWay.add(work)
  }

  const subscription = await deps.listen.listen(DELIVERIES_CHANNEL, wake)
  const timer = setInterval(wake, POLL_MS)
  wake()
  return async () => {
    stopped = true
    clearInterval(timer)
    await subscription.unlisten().catch(() => {})
    await looking
    await Promise.allSettled([...underWay])
  }
}

/** Counts what is under way, by id. */
function tally(limit: number) {
  const counts = new Map<string, number>()
  return {
    add(id: string, n: 1 | -1) {
      const count = (counts.get(id) ?? 0) + n
      if (count > 0) counts.set(id, count)
      else counts.delete(id)
    },
    full: () => [...counts].filter(([, n]) => n >= limit).map(([id]) => id),
  }
}

/** Takes due deliveries, a few of each channel and tenant, and pushes them ahead by the lease. */
async function take(
  { allTenants, clock }: DeliveryDeps,
  limit: number,
  fullChannels: string[],
  fullTenants: string[],
): Promise<Taken[]> {
  const now = clock.now()
  return allTenants<Taken[]>`
    with due as (
      select tenant_id, id, row_number() over (partition by channel_id order by due_at) as of_channel,
        row_number() over (partition by tenant_id order by due_at) as of_tenant from (
        select tenant_id, id, channel_id, due_at from deliveries
        where status = 'waiting' and due_at <= ${now} and channel_id <> all(${fullChannels}::uuid[]) and tenant_id <> all(${fullTenants}::uuid[])
        order by due_at limit 2000) d
    ), locked as (
      select d.tenant_id, d.id from deliveries d
      join due on due.tenant_id = d.tenant_id and due.id = d.id and of_channel <= ${PER_CHANNEL} and of_tenant <= ${PER_TENANT}
      where d.status = 'waiting' and d.due_at <= ${now}
      order by d.due_at limit ${limit} for update of d skip locked
    )
    update deliveries d set attempts = d.attempts + 1, due_at = ${new Date(now.getTime() + LEASE_SECONDS * 1000)}
    from locked l, notification_channels c, alerts a, machines m
    where d.tenant_id = l.tenant_id and d.id = l.id
      and c.tenant_id = d.tenant_id and c.id = d.channel_id and a.tenant_id = d.tenant_id and a.id = d.alert_id
      and m.tenant_id = a.tenant_id and m.id = a.machine_id
    returning d.id, d.tenant_id as "tenantId", d.channel_id as "channelId", d.attempts, c.channel_type as "channelType",
      c.sealed_config as "sealedConfig", c.is_active as "isActive", a.id as "alertId", a.message, a.severity, a.metric_name as "metricName",
      a.trigger_value as "triggerValue", a.threshold_value as "thresholdValue", a.unit, a.triggered_at as "triggeredAt", a.created_at as "createdAt",
      m.id as "machineId", m.name as "machineName", m.machine_identifier as "machineIdentifier", m.location as "machineLocation"`
}

const noticeOf = (t: Taken): Notice => ({
  type: 'alert',
  deliveryId: t.id,
  message: t.message,
  severity: t.severity,
  metricName: t.metricName,
  triggerValue: t.triggerValue,
  thresholdValue: t.thresholdValue,
  alert: { id: t.alertId, unit: t.unit, triggeredAt: t.triggeredAt, createdAt: t.createdAt },
  machine: { id: t.machineId, name: t.machineName, identifier: t.machineIdentifier, location: t.machineLocation },
})

async function attempt(deps: DeliveryDeps, taken: Taken): Promise<void> {
  const outcome: DeliveryOutcome = taken.isActive
    ? await deliverSafely(deps, noticeOf(taken), taken.channelType, () =>
        openConfig(deps.box, { tenantId: taken.tenantId, id: taken.channelId, sealedConfig: taken.sealedConfig }),
      )
    : { kind: 'permanent', error: 'the channel was switched off' }
  deps.observe(taken.channelType, outcome.kind)
  const now = deps.clock.now()
  const delay = outcome.kind === 'transient' ? retryDelay(taken.attempts, outcome.retryAfterSeconds) : null
  const status = outcome.kind === 'delivered' ? 'delivered' : delay === null ? 'refused' : 'waiting'
  const row = {
    tenant_id: taken.tenantId,
    channel_id: taken.channelId,
    delivery_id: taken.id,
    alert_id: taken.alertId,
    attempt: taken.attempts,
    status: outcome.kind === 'delivered' ? 'delivered' : 'failed',
    response_status: outcome.responseStatus ?? null,
    error: outcome.kind === 'delivered' ? null : outcome.error,
    attempted_at: now,
  }
  await deps.allTenants.begin(async (tx) => {
    const [channel] = await tx`
      select 1 from notification_channels where tenant_id = ${taken.tenantId} and id = ${taken.channelId} for key share`
    // deleted meanwhile, and its record with it
    if (!channel) return
    await tx`insert into delivery_attempts ${tx(row)}`
    // one whose lease ran out meanwhile belongs to whoever took it since
    await tx`update deliveries set status = ${status}, due_at = ${new Date(now.getTime() + (delay ?? 0) * 1000)}
      where tenant_id = ${taken.tenantId} and id = ${taken.id} and attempts = ${taken.attempts}`
  })
}

/** An adapter or a sealed configuration that throws fails its own delivery and nothing else. */
export async function deliverSafely(
  deps: Pick<DeliveryDeps, 'http' | 'mailer' | 'clock' | 'logger'>,
  notice: Notice,
  channelType: string,
  config: () => Record<string, unknown>,
): Promise<DeliveryOutcome> {
  try {
    return await channelOf(channelType).deliver(notice, config(), { http: deps.http, mailer: deps.mailer, now: deps.clock.now() })
  } catch (error) {
    deps.logger.error({ err: error, channel_type: channelType }, 'a channel failed')
    return { kind: 'transient', error: 'the delivery failed on our side' }
  }
}
