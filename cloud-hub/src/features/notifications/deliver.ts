import type { Sql } from '../../db/pools.ts'
import { type AttemptDeps, attempt } from './attempt.ts'
import { DELIVERIES_CHANNEL, type Lease, type Leased } from './enqueue.ts'
import { channelsOf, leasedUntil, type Taken, type TakenChannel, takeDue, takenAlong } from './take.ts'

export interface DeliveryDeps extends AttemptDeps {
  listen: Sql
}

/** The worker of this process, as flushes see it. */
export interface DeliveryWorker {
  /**
   * Room for deliveries that a flush of these tenants queues: it is held until `committed` tells which ones were taken along, and they go at once.
   * When it fails nothing was stored, and nothing goes.
   */
  lease(tenantIds: readonly string[], committed: Promise<Leased[]>): Lease
  /** Takes nothing more, and waits for what is under way. */
  stop(): Promise<void>
}

/** Deliveries under way in this process, of one tenant and of one channel: slow receivers hold up only themselves. */
const AT_ONCE = 256
const PER_TENANT = 16
const PER_CHANNEL = 4
const POLL_MS = 1_000

/**
 * Delivers what is queued, in any number of replicas: rows are taken with SKIP LOCKED and a lease, woken by NOTIFY and looked for every
 * second; those that a flush of this process queued come along with it. A kill between sending and recording repeats a delivery under the same
 * id, and never drops one.
 */
export async function startDelivering(deps: DeliveryDeps): Promise<DeliveryWorker> {
  const [channels, tenants] = [tally(), tally()]
  /** tenants for which a flush holds room: another one queues as if there were none */
  const held = new Set<string>()
  const underWay = new Set<Promise<void>>()
  let stopped = false
  let looking: Promise<void> | undefined
  let again = false

  const freeSlots = () => AT_ONCE - underWay.size - held.size * PER_TENANT

  async function look(): Promise<void> {
    while (!stopped) {
      again = false
      const free = freeSlots()
      const except = { channels: channels.atLeast(PER_CHANNEL), tenants: tenants.atLeast(PER_TENANT) }
      const most = { deliveries: free, perChannel: PER_CHANNEL, perTenant: PER_TENANT, except }
      const taken = free > 0 ? await takeDue(deps.allTenants, deps.clock.now(), most) : []
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
    channels.add(delivery.channel.id, 1)
    tenants.add(delivery.tenantId, 1)
    const work = attempt(deps, delivery)
      .catch((error) =>
        deps.logger.error({ err: error, delivery_id: delivery.id }, 'a delivery could not be recorded; it comes again'),
      )
      .finally(() => {
        underWay.delete(work)
        channels.add(delivery.channel.id, -1)
        tenants.add(delivery.tenantId, -1)
        if (!stopped) wake()
      })
    underWay.add(work)
  }

  function lease(tenantIds: readonly string[], committed: Promise<Leased[]>): Lease {
    let free = freeSlots()
    const room: Lease['room'] = []
    for (const tenantId of stopped ? [] : tenantIds) {
      const deliveries = PER_TENANT - tenants.count(tenantId)
      if (held.has(tenantId) || deliveries <= 0 || deliveries > free) continue
      free -= deliveries
      room.push({ tenantId, deliveries })
    }
    const mine = room.map(({ tenantId }) => tenantId)
    for (const tenantId of mine) held.add(tenantId)
    // asked for while the flush commits
    const known = mine.length > 0 ? channelsOf(deps.allTenants, mine) : undefined
    known?.catch(() => {})
    let hasCommitted = false
    const work = committed
      .then(async (leased) => {
        hasCommitted = true
        if (leased.length === 0 || !known) return
        let found = await known.catch(() => new Map<string, TakenChannel>())
        // made since we asked, or nobody answered
        if (!leased.every(({ channelId }) => found.has(channelId))) found = await channelsOf(deps.allTenants, mine)
        for (const each of leased) {
          const channel = found.get(each.channelId)
          // one that was deleted took its deliveries with it
          if (channel) start(takenAlong(each, channel))
        }
      })
      .catch((error) => {
        if (hasCommitted) deps.logger.warn({ err: error }, 'deliveries taken along could not be made; they come again')
      })
      .finally(() => {
        underWay.delete(work)
        for (const tenantId of mine) held.delete(tenantId)
      })
    underWay.add(work)
    return { until: leasedUntil(deps.clock.now()), room, busy: channels.all(), perChannel: PER_CHANNEL }
  }

  const subscription = await deps.listen.listen(DELIVERIES_CHANNEL, wake)
  const timer = setInterval(wake, POLL_MS)
  wake()
  return {
    lease,
    async stop() {
      stopped = true
      clearInterval(timer)
      await subscription.unlisten().catch(() => {})
      await looking
      while (underWay.size > 0) await Promise.allSettled([...underWay])
    },
  }
}

/** Counts what is under way, by id. */
function tally() {
  const counts = new Map<string, number>()
  const count = (id: string) => counts.get(id) ?? 0
  return {
    count,
    add(id: string, n: 1 | -1) {
      if (count(id) + n > 0) counts.set(id, count(id) + n)
      else counts.delete(id)
    },
    atLeast: (limit: number) => [...counts].filter(([, n]) => n >= limit).map(([id]) => id),
    all: () => [...counts].map(([channelId, deliveries]) => ({ channelId, deliveries })),
  }
}
