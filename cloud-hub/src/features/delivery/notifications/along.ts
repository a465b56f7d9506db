import type { Sql } from '../../../db/pools.ts'
import { uuidv7 } from '../../../support/uuid.ts'
import type { PagingAlert } from './paging-alert.ts'
import { channelOf } from './registry.ts'
import type { Taken, TakenChannel } from './take.ts'

/** A channel as it was when it was last looked at. */
export interface KnownChannel extends TakenChannel {
  /** which state of its row that was: changes with every change */
  version: string
}

/** A delivery that is this process's to make, under an id that it has before it is stored. */
export interface Leased {
  id: string
  channel: KnownChannel
  alert: PagingAlert
}

/** Tenants held in memory at most. */
const KNOWN_TENANTS = 1_000
/** A channel that was made since then is not known: its deliveries are taken from the outbox until somebody looks again. */
const FRESH_MS = 60_000

/**
 * The channels of tenants whose deliveries may come along with a flush. Never believed: the flush that uses them has the database confirm that each
 * still is as it was, in the same transaction.
 * @param most a tenant that has more has none that come along
 */
export function channelMemory(allTenants: Sql, most: number) {
  const known = new Map<string, { channels: readonly KnownChannel[]; at: number }>()
  return {
    of: (tenantId: string): readonly KnownChannel[] => known.get(tenantId)?.channels ?? [],

    isFresh: (tenantId: string): boolean => performance.now() - (known.get(tenantId)?.at ?? Number.NEGATIVE_INFINITY) < FRESH_MS,

    forget(tenantIds: readonly string[]): void {
      for (const tenantId of tenantIds) known.delete(tenantId)
    },

    async learn(tenantIds: readonly string[]): Promise<void> {
      if (tenantIds.length === 0) return
      const rows = await allTenants<(KnownChannel & { tenantId: string })[]>`
        select c.* from unnest(${tenantIds as string[]}::uuid[]) t(id) cross join lateral (
          select tenant_id as "tenantId", id, channel_type as type, sealed_config as "sealedConfig", is_active as "isActive", xmin::text as version
          from notification_channels where tenant_id = t.id and is_active and notify_on_alert and audience in ('program', 'incident')
          order by id limit ${most + 1}) c`
      const byTenant = Map.groupBy(rows, ({ tenantId }) => tenantId)
      for (const tenantId of tenantIds) {
        const its = byTenant.get(tenantId) ?? []
        known.delete(tenantId)
        known.set(tenantId, { channels: its.length > most ? [] : its, at: performance.now() })
      }
      while (known.size > KNOWN_TENANTS) known.delete(known.keys().next().value as string)
    },
  }
}

/** One delivery of each alert to each of these channels. */
export const leaseOf = (alerts: readonly PagingAlert[], channels: readonly KnownChannel[]): Leased[] =>
  alerts.flatMap((alert) => channels.map((channel) => ({ id: uuidv7(alert.createdAt.getTime()), channel, alert })))

/** A delivery that came with its flush, as if it had been taken from the outbox. */
export const takenAlong = ({ id, alert, channel }: Leased): Taken => ({
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
