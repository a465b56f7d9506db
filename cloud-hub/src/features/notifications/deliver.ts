import type { Sql } from '../../db/pools.ts'
import { type AttemptDeps, attempt } from './attempt.ts'
import { DELIVERIES_CHANNEL, type Lease, type Leased } from './enqueue.ts'
import { channelMemory, gather, leasedUntil, recall, type Taken, takeDue, takenAlong } from './take.ts'

export interface DeliveryDeps extends AttemptDeps {
  listen: Sql
}

/** The worker of this process, as flushes see it. */
export interface DeliveryWorker {
  /**
   * Room for deliveries of the alerts that a flush raises, given by their tenants. Those that it takes along are made ready at once and go out
   * when `committed` resolves; when it rejects nothing was stored, and nothing goes.
   */
  lease(alertsOf: ReadonlyMap<string, number>, committed: Promise<void>): Lease
  /** Takes nothing more, and waits for what is under way. */
  stop(): Promise<void>
}

/** Deliveries under way in this process, of one tenant and of one channel: slow receivers hold up only themselves. */
const AT_ONCE = 256
const PER_TENANT = 16
const PER_CHANNEL = 4
/** Mails under way: all tenants share one mail server, and what waits in its queue may not outlast the lease. */
const MAILS_AT_ONCE = 8
/** An attempt that takes longer gives its place in the process and in its tenant to others, though not its channel's; so many may have done so. */
const SLOW_MS = 2_000
const SLOW_AT_ONCE = 1_024
const POLL_MS = 1_000
/** A clock that went back by more was set. */
const CLOCK_SET_MS = 1_000

/**
 * Delivers what is queued, in any number of replicas: rows are taken with SKIP LOCKED and a lease, woken by NOTIFY and looked for every
 * second; those that a flush of this process queued come along with it. A kill between sending and recording repeats a delivery under the same
 * id, and never drops one.
 */
export async function startDelivering(deps: DeliveryDeps): Promise<DeliveryWorker> {
  const [channels, tenants] = [tally(), tally()]
  const memory = channelMemory(deps.allTenants)
  /** tenants for which a flush holds room: another one queues as if there were none */
  const held = new Set<string>()
  const underWay = new Set<Promise<void>>()
  /** places that are taken, attempts that gave theirs back, mails */
  let [busy, slow, mails] = [0, 0, 0]
  let lastLook = Number.POSITIVE_INFINITY
  let stopped = false
  let looking: Promise<void> | undefined
  let again = false

  const freeSlots = () => AT_ONCE - busy - held.size * PER_TENANT

  async function look(): Promise<void> {
    while (!stopped) {
      again = false
      const now = deps.clock.now()
      if (now.getTime() < lastLook - CLOCK_SET_MS) await recall(deps.allTenants, now)
      lastLook = now.getTime()
      await gather(deps.allTenants, now)
      const free = freeSlots()
      const except = { channels: channels.atLeast(PER_CHANNEL), tenants: tenants.atLeast(PER_TENANT) }
      const most = { deliveries: free, mails: MAILS_AT_ONCE - mails, perChannel: PER_CHANNEL, perTenant: PER_TENANT, except }
      const taken = free > 0 ? await takeDue(deps.allTenants, now, most) : []
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

  function start(delivery: Taken, committed?: Promise<void>): void {
    const { tenantId, channel } = delivery
    const isMail = channel.type === 'email'
    const count = (n: 1 | -1) => {
      busy += n
      tenants.add(tenantId, n)
    }
    const isFull = () => freeSlots() <= 0 || tenants.count(tenantId) >= PER_TENANT
    count(1)
    channels.add(channel.id, 1)
    if (isMail) mails++
    let isSlow = false
    const timer = setTimeout(() => {
      if (slow >= SLOW_AT_ONCE) return
      isSlow = true
      slow++
      const wasFull = isFull()
      count(-1)
      if (wasFull && !stopped) wake()
    }, SLOW_MS)
    const work = attempt(deps, delivery, committed)
      .catch((error) =>
        deps.logger.error({ err: error, delivery_id: delivery.id }, 'a delivery could not be recorded; it comes again'),
      )
      .finally(() => {
        clearTimeout(timer)
        // only where it was at its limit can another have been left waiting for this one's end
        const wasFull = isFull() || channels.count(channel.id) >= PER_CHANNEL || (isMail && mails >= MAILS_AT_ONCE)
        underWay.delete(work)
        if (isSlow) slow--
        else count(-1)
        channels.add(channel.id, -1)
        if (isMail) mails--
        if ((wasFull || delivery.hasSubject) && !stopped) wake()
      })
    underWay.add(work)
  }

  function lease(alertsOf: ReadonlyMap<string, number>, committed: Promise<void>): Lease {
    const fits = ([tenantId, alerts]: [string, number]) =>
      !stopped && alerts <= PER_CHANNEL && !held.has(tenantId) && tenants.count(tenantId) < PER_TENANT
    const mine = [...alertsOf].filter(fits).map(([tenantId]) => tenantId)
    const room = Math.min(freeSlots(), ...mine.map((tenantId) => PER_TENANT - tenants.count(tenantId)))
    const most = Math.max(0, ...alertsOf.values())
    for (const tenantId of mine) held.add(tenantId)
    const work = committed
      .catch(() => {})
      .finally(() => {
        underWay.delete(work)
        for (const tenantId of mine) held.delete(tenantId)
      })
    underWay.add(work)
    const take = (queued: Promise<Leased[]>) => {
      const taking = takeAlong(queued, committed)
        .catch((error) => deps.logger.warn({ err: error }, 'deliveries taken along could not be made; they come again'))
        .finally(() => underWay.delete(taking))
      underWay.add(taking)
    }
    return {
      until: leasedUntil(deps.clock.now()),
      tenantIds: mine,
      room,
      fullChannels: channels.atLeast(PER_CHANNEL + 1 - most),
      take,
    }
  }

  async function takeAlong(queued: Promise<Leased[]>, committed: Promise<void>): Promise<void> {
    // of a transaction that failed there is nothing to make
    const leased = await queued.catch(() => [])
    const found = await memory.of(leased)
    for (const each of leased) {
      const channel = found.get(each.channelId)
      // one that was deleted took its deliveries with it
      if (channel) start(takenAlong(each, channel), committed)
    }
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
  }
}
