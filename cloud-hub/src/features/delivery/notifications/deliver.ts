import { isLocked } from '../../../db/errors.ts'
import type { Sql } from '../../../db/pools.ts'
import { channelMemory, type KnownChannel, type Leased, leaseOf, takenAlong } from './along.ts'
import { type AttemptDeps, attempt } from './attempt.ts'
import { DELIVERIES_CHANNEL, type Lease } from './enqueue.ts'
import type { PagingAlert } from './paging-alert.ts'
import { gather, isAnyDue, leasedUntil, recall, type Taken, takeDue } from './take.ts'

export interface DeliveryDeps extends AttemptDeps {
  listen: Sql
}

/** The worker of this process, as flushes see it. */
export interface DeliveryWorker {
  /**
   * Takes along deliveries of the alerts that a flush raises, as far as there is room and their channels are known. They are made ready at once and
   * go out when `committed` resolves; when it rejects nothing was stored, and nothing goes.
   */
  lease(alerts: readonly PagingAlert[], committed: Promise<void>): Lease
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
  const memory = channelMemory(deps.allTenants, PER_TENANT)
  const underWay = new Set<Promise<void>>()
  /** places that are taken, attempts that gave theirs back, mails */
  let [busy, slow, mails] = [0, 0, 0]
  let lastLook = Number.POSITIVE_INFINITY
  let stopped = false
  let looking: Promise<void> | undefined
  let again = false

  const freeSlots = () => AT_ONCE - busy

  async function look(): Promise<void> {
    while (!stopped) {
      again = false
      const now = deps.clock.now()
      if (now.getTime() < lastLook - CLOCK_SET_MS) await recall(deps.allTenants, now)
      lastLook = now.getTime()
      await gather(deps.allTenants, now).catch((error) => {
        // such as a people's channel that is being deleted: what is due elsewhere does not wait for that
        if (!isLocked(error)) throw error
      })
      const free = freeSlots()
      const except = { channels: channels.atLeast(PER_CHANNEL), tenants: tenants.atLeast(PER_TENANT) }
      const most = { deliveries: free, mails: MAILS_AT_ONCE - mails, perChannel: PER_CHANNEL, perTenant: PER_TENANT, except }
      const isWorthIt = free > 0 && (await isAnyDue(deps.allTenants, now))
      const { taken, putOff } = isWorthIt ? await takeDue(deps.allTenants, now, most) : { taken: [], putOff: 0 }
      for (const delivery of taken) start(delivery)
      if (taken.length === 0 && putOff === 0 && !again) return
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
    // first what the flush has to say: the rest is made ready while that is written
    const work = (committed ? turnHasEnded().then(() => attempt(deps, delivery, committed)) : attempt(deps, delivery))
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

  function lease(alerts: readonly PagingAlert[], committed: Promise<void>): Lease {
    const until = leasedUntil(deps.clock.now())
    const byTenant = Map.groupBy(alerts, ({ tenantId }) => tenantId)
    const unknown = [...byTenant.keys()].filter((tenantId) => !memory.isFresh(tenantId))
    const leased: Leased[] = []
    // one tenant after another: what the first took is no room for the next
    for (const [tenantId, its] of stopped ? [] : byTenant)
      for (const each of leaseOf(its, channelsWithRoom(tenantId, its.length))) {
        start(takenAlong(each), committed)
        leased.push(each)
      }
    const mine = [...new Set(leased.map(({ alert }) => alert.tenantId))]
    const work = committed
      .then(
        () => (stopped ? undefined : memory.learn(unknown)),
        // perhaps because a channel is not as it was remembered
        () => memory.forget(mine),
      )
      .catch((error) => deps.logger.warn({ err: error }, 'channels could not be looked at'))
      .finally(() => underWay.delete(work))
    underWay.add(work)
    return { leased, until }
  }

  /** Those of a tenant that take so many alerts more at once; none unless there is room for all of it. */
  function channelsWithRoom(tenantId: string, alerts: number): KnownChannel[] {
    const free = memory.of(tenantId).filter(({ id }) => channels.count(id) + alerts <= PER_CHANNEL)
    const room = Math.min(freeSlots(), PER_TENANT - tenants.count(tenantId))
    return free.length * alerts <= room ? free : []
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

const turnHasEnded = () => new Promise<void>((resolve) => setImmediate(resolve))

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
