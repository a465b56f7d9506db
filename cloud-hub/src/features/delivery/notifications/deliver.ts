import { isLocked } from '../../../db/errors.ts'
import type { Sql } from '../../../db/pools.ts'
import { type AttemptDeps, attempt } from './attempt.ts'
import { type ClaimedDelivery, claimDue, isAnyDue, leasedUntil, releaseDigests, resetDeferred } from './claim.ts'
import { DELIVERIES_CHANNEL, type InlineLease } from './enqueue.ts'
import { asClaimed, type CachedChannel, channelCache, type LeasedDelivery, leaseDeliveries } from './inline-delivery.ts'
import type { PagingAlert } from './paging-alert.ts'
import { channelOf } from './registry.ts'
import { MAX_PER_CHANNEL, MAX_PER_TENANT, Slots } from './slots.ts'

export interface DeliveryDeps extends AttemptDeps {
  listen: Sql
}

import { storeCapabilities } from './store-capabilities.ts'

/** A slower attempt gives its slot to others. */
const SLOW_MS = 2_000
const POLL_MS = 1_000
/** When the clock goes back by more, somebody has set it. */
const CLOCK_SET_MS = 1_000

/**
 * Delivers queued deliveries, in any number of replicas. Workers claim rows with SKIP LOCKED and a lease, at every NOTIFY and
 * every second. Deliveries that a flush of this process queued are made inline with it. A kill between sending and recording
 * repeats a delivery under the same id, and never drops one.
 */
export class DeliveryWorker {
  readonly #deps: DeliveryDeps
  readonly #slots = new Slots()
  readonly #channels: ReturnType<typeof channelCache>
  /** attempts and channel loads that `stop` waits for */
  readonly #underWay = new Set<Promise<void>>()
  #timer: NodeJS.Timeout | undefined
  #subscription: { unlisten(): Promise<void> } | null = null
  /** the poll under way; null between polls */
  #polling: Promise<void> | null = null
  /** a wake-up came during the poll: the worker polls once more */
  #pollAgain = false
  #lastPolledAt = Number.POSITIVE_INFINITY
  #isStopped = false

  static async start(deps: DeliveryDeps): Promise<DeliveryWorker> {
    const worker = new DeliveryWorker(deps)
    await storeCapabilities(deps.allTenants)
    worker.#subscription = await deps.listen.listen(DELIVERIES_CHANNEL, () => worker.#wake())
    worker.#timer = setInterval(() => worker.#wake(), POLL_MS)
    worker.#wake()
    return worker
  }

  private constructor(deps: DeliveryDeps) {
    this.#deps = deps
    this.#channels = channelCache(deps.allTenants, MAX_PER_TENANT)
  }

  /**
   * Leases deliveries of the alerts that a flush raises, as far as slots are free and channels cached. They are prepared at once
   * and sent when `committed` resolves, unless the statement that stored the alert muted it. When it rejects, nothing was stored
   * and nothing is sent.
   */
  lease(alerts: readonly PagingAlert[], committed: Promise<void>): InlineLease {
    const until = leasedUntil(this.#deps.clock.now())
    const byTenant = Map.groupBy(alerts, ({ tenantId }) => tenantId)
    const stale = [...byTenant.keys()].filter((tenantId) => !this.#channels.isFresh(tenantId))
    const leased: LeasedDelivery[] = []
    const muted = new Set<string>()
    // one tenant after another, because each acquires slots
    for (const [tenantId, its] of this.#isStopped ? [] : byTenant)
      for (const each of leaseDeliveries(its, this.#channelsWithRoom(tenantId, its.length))) {
        const mayPage = committed.then(() => (muted.has(each.alert.id) ? Promise.reject(new Error('muted')) : undefined))
        mayPage.catch(() => {})
        this.#start(asClaimed(each), mayPage)
        leased.push(each)
      }
    const mine = [...new Set(leased.map(({ alert }) => alert.tenantId))]
    const work = committed
      .then(
        () => (this.#isStopped ? undefined : this.#channels.load(stale)),
        // a stale channel may have failed the commit
        () => this.#channels.evict(mine),
      )
      .catch((error) => this.#deps.logger.warn({ err: error }, 'channels could not be loaded'))
      .finally(() => this.#underWay.delete(work))
    this.#underWay.add(work)
    const mute = (alertIds: readonly string[]) => {
      for (const id of alertIds) muted.add(id)
    }
    return { leased, until, mute }
  }

  /** Claims no more, and waits for the attempts under way. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearInterval(this.#timer)
    await this.#subscription?.unlisten().catch(() => {})
    await this.#polling
    while (this.#underWay.size > 0) await Promise.allSettled([...this.#underWay])
  }

  #wake(): void {
    this.#pollAgain = true
    this.#polling ??= this.#poll()
      .catch((error) => this.#deps.logger.warn({ err: error }, 'deliveries could not be claimed'))
      .finally(() => {
        this.#polling = null
        if (this.#pollAgain && !this.#isStopped) setImmediate(() => this.#wake())
      })
  }

  async #poll(): Promise<void> {
    const { allTenants, clock } = this.#deps
    while (!this.#isStopped) {
      this.#pollAgain = false
      const now = clock.now()
      if (now.getTime() < this.#lastPolledAt - CLOCK_SET_MS) await resetDeferred(allTenants, now)
      this.#lastPolledAt = now.getTime()
      await releaseDigests(allTenants, now).catch((error) => {
        // a human-facing channel that is being deleted holds the lock; due deliveries of other channels do not wait for that
        if (!isLocked(error)) throw error
      })
      const { free, freeMails, full } = this.#slots
      const limits = { deliveries: free, mails: freeMails, perChannel: MAX_PER_CHANNEL, perTenant: MAX_PER_TENANT, except: full }
      const hasWork = free > 0 && (await isAnyDue(allTenants, now))
      const { claimed, deferred } = hasWork ? await claimDue(allTenants, now, limits) : { claimed: [], deferred: 0 }
      for (const delivery of claimed) this.#start(delivery)
      if (claimed.length === 0 && deferred === 0 && !this.#pollAgain) return
    }
  }

  #start(delivery: ClaimedDelivery, committed?: Promise<void>): void {
    const { tenantId, channel } = delivery
    const slot = this.#slots.acquire(tenantId, channel.id, channelOf(channel.type).isMail === true)
    const timer = setTimeout(() => {
      if (slot.yield() && !this.#isStopped) this.#wake()
    }, SLOW_MS)
    // the statements of the flush are sent first; this attempt is prepared while they are written
    const made = committed ? nextTurn().then(() => attempt(this.#deps, delivery, committed)) : attempt(this.#deps, delivery)
    const work = made
      .catch((error) =>
        this.#deps.logger.error(
          { err: error, delivery_id: delivery.id },
          'a delivery could not be recorded; its lease expires and it is attempted again',
        ),
      )
      .finally(() => {
        clearTimeout(timer)
        this.#underWay.delete(work)
        // other deliveries can only wait for this one at a limit or behind its subject
        if ((slot.release() || delivery.hasSubject) && !this.#isStopped) this.#wake()
      })
    this.#underWay.add(work)
  }

  /** Returns the tenant's channels with slots for this many more alerts at once; none unless slots suffice for all of them. */
  #channelsWithRoom(tenantId: string, alerts: number): CachedChannel[] {
    const free = this.#channels.get(tenantId).filter(({ id }) => this.#slots.freeOfChannel(id) >= alerts)
    return free.length * alerts <= this.#slots.freeOfTenant(tenantId) ? free : []
  }
}

/** Resolves in the next turn of the event loop. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
