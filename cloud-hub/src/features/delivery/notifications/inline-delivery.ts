import type { Sql } from '../../../db/pools.ts'
import { uuidv7 } from '../../../support/uuid.ts'
import type { ClaimedChannel, ClaimedDelivery } from './claim.ts'
import type { PagingAlert } from './paging-alert.ts'
import { channelOf } from './registry.ts'

/** A channel as the last load found it. */
export interface CachedChannel extends ClaimedChannel {
  /** the version of its row (xmin): every change of the row changes it */
  version: string
}

/** A delivery that is leased to this process, under an id that it has before it is stored. */
export interface LeasedDelivery {
  id: string
  channel: CachedChannel
  alert: PagingAlert
}

/** The cache holds at most this many tenants. */
const MAX_TENANTS = 1_000
/** An older entry is stale. Deliveries to a channel that was created since then go through the outbox. */
const MAX_AGE_MS = 60_000

/**
 * Caches the channels whose deliveries may be made inline with a flush. The flush never trusts the cache: in its own transaction
 * the database asserts the version of each channel.
 * @param maxChannels a tenant with more channels has no inline deliveries
 */
export function channelCache(allTenants: Sql, maxChannels: number) {
  const cached = new Map<string, { channels: readonly CachedChannel[]; at: number }>()
  return {
    get: (tenantId: string): readonly CachedChannel[] => cached.get(tenantId)?.channels ?? [],

    isFresh: (tenantId: string): boolean =>
      performance.now() - (cached.get(tenantId)?.at ?? Number.NEGATIVE_INFINITY) < MAX_AGE_MS,

    evict(tenantIds: readonly string[]): void {
      for (const tenantId of tenantIds) cached.delete(tenantId)
    },

    async load(tenantIds: readonly string[]): Promise<void> {
      if (tenantIds.length === 0) return
      const rows = await allTenants<(CachedChannel & { tenantId: string })[]>`
        select c.* from unnest(${tenantIds as string[]}::uuid[]) t(id) cross join lateral (
          select tenant_id as "tenantId", id, channel_type as type, sealed_config as "sealedConfig", is_active as "isActive", xmin::text as version
          from notification_channels where tenant_id = t.id and is_active and notify_on_alert and audience in ('program', 'incident')
          order by id limit ${maxChannels + 1}) c`
      const byTenant = Map.groupBy(rows, ({ tenantId }) => tenantId)
      for (const tenantId of tenantIds) {
        const its = byTenant.get(tenantId) ?? []
        cached.delete(tenantId)
        cached.set(tenantId, { channels: its.length > maxChannels ? [] : its, at: performance.now() })
      }
      while (cached.size > MAX_TENANTS) cached.delete(cached.keys().next().value as string)
    },
  }
}

/** Leases one delivery of each alert to each of these channels. */
export const leaseDeliveries = (alerts: readonly PagingAlert[], channels: readonly CachedChannel[]): LeasedDelivery[] =>
  alerts.flatMap((alert) => channels.map((channel) => ({ id: uuidv7(alert.createdAt.getTime()), channel, alert })))

/** Presents an inline delivery as a claimed one. */
export const asClaimed = ({ id, alert, channel }: LeasedDelivery): ClaimedDelivery => ({
  id,
  tenantId: alert.tenantId,
  attempts: 1,
  channel,
  alertId: alert.id,
  hasSubject: channelOf(channel.type).subjectKind !== null,
  isRaiseAccepted: true,
  notice: {
    type: 'alert',
    event: 'raised',
    deliveryId: id,
    message: alert.message,
    severity: alert.severity,
    metricName: alert.metric,
    triggerValue: alert.triggerValue,
    thresholdValue: alert.threshold,
    alert: { id: alert.id, unit: alert.unit, triggeredAt: new Date(alert.triggeredAt), createdAt: alert.createdAt },
    machine: alert.machine,
  },
})
