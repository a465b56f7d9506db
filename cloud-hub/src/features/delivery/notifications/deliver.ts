import { isLocked } from '../../../db/errors.ts'
import type { Sql } from '../../../db/pools.ts'
import { channelMemory, type KnownChannel, type Leased, leaseOf, takenAlong } from './along.ts'
import { type AttemptDeps, attempt } from './attempt.ts'
import { DELIVERIES_CHANNEL, type Lease } from './enqueue.ts'
import type { PagingAlert } from './paging-alert.ts'
import { channelOf } from './registry.ts'
import { MAX_PER_CHANNEL, MAX_PER_TENANT, Slots } from './slots.ts'
import { gather, isAnyDue, leasedUntil, recall, type Taken, takeDue } from './take.ts'

export interface DeliveryDeps extends AttemptDeps {
  listen: Sql
}

import { storeCapabilities } from './store-capabilities.ts'

/** An attempt that takes longer gives its slot to others. */
const SLOW_MS = 2_000
const POLL_MS = 1_000
/** A clock that went back by more was set. */
const CLOCK_SET_MS = 1_000

/**
 * Delivers what is queued, in any number of replicas: rows are claimed with SKIP LOCKED and a lease, at every NOTIFY and every second; those
 * that a flush of this process queued are delivered inline with it. A kill between sending and recording repeats a delivery under the same id,
 * and never drops one.
 */
export class DeliveryWorker {
  readonly #deps: DeliveryDeps
  readonly #slots = new Slots()
  readonly #channels: ReturnType<typeof channelMemory>
  /** attempts and reads of channels that `stop` waits for */
  readonly #underWay = new Set<Promise<void>>()
  #timer: NodeJS.Timeout | undefined
  #subscription: { unlisten(): Promise<void> } | null = null
  /** a poll that runs; null between polls */
  #polling: Promise<void> | null = null
  /** a wake-up came during the poll: it goes round once more */
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
    this.#channels = channelMemory(deps.allTenants, MAX_PER_TENANT)
  }

  /**
   * Leases deliveries of the alerts that a flush raises, as far as there are slots and their channels are cached. They are prepared at once and
   * go out when `committed` resolves; when it rejects nothing was stored, and nothing goes.
   */
  lease(alerts: readonly PagingAlert[], committed: Promise<void>): Lease {
    const until = leasedUntil(this.#deps.clock.now())
    const byTenant = Map.groupBy(alerts, ({ tenantId }) => tenantId)
    const unknown = [...byTenant.keys()].filter((tenantId) => !this.#channels.isFresh(tenantId))
    const leased: Leased[] = []
    // one tenant after another: the slots that the first takes are not free for the next
    for (const [tenantId, its] of this.#isStopped ? [] : byTenant)
      for (const each of leaseOf(its, this.#channelsWithRoom(tenantId, its.length))) {
        this.#start(takenAlong(each), committed)
        leased.push(each)
      }
    const mine = [...new Set(leased.map(({ alert }) => alert.tenantId))]
    const work = committed
      .then(
        () => (this.#isStopped ? undefined : this.#channels.learn(unknown)),
        // perhaps because a channel is not as it was cached
        () => this.#channels.forget(mine),
      )
      .catch((error) => this.#deps.logger.warn({ err: error }, 'channels could not be looked at'))
      .finally(() => this.#underWay.delete(work))
    this.#underWay.add(work)
    return { leased, until }
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
      .catch((error) => this.#deps.logger.warn({ err: error }, 'deliveries could not be taken'))
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
      if (now.getTime() < this.#lastPolledAt - CLOCK_SET_MS) await recall(allTenants, now)
      this.#lastPolledAt = now.getTime()
      await gather(allTenants, now).catch((error) => {
        // such as a people's channel that is being deleted: what is due elsewhere does not wait for that
        if (!isLocked(error)) throw error
      })
      const { free, freeMails, full } = this.#slots
      const most = { deliveries: free, mails: freeMails, perChannel: MAX_PER_CHANNEL, perTenant: MAX_PER_TENANT, except: full }
      const isWorthIt = free > 0 && (await isAnyDue(allTenants, now))
      const { taken, putOff } = isWorthIt ? await takeDue(allTenants, now, most) : { taken: [], putOff: 0 }
      for (const delivery of taken) this.#start(delivery)
      if (taken.length === 0 && putOff === 0 && !this.#pollAgain) return
    }
  }

  #start(delivery: Taken, committed?: Promise<void>): void {
    const { tenantId, channel } = delivery
    const slot = this.#slots.acquire(tenantId, channel.id, channelOf(channel.type).isMail === true)
    const timer = setTimeout(() => {
      if (slot.yield() && !this.#isStopped) this.#wake()
    }, SLOW_MS)
    // the statements of the flush are sent first; the rest is prepared while they are written
    const made = committed ? nextTurn().then(() => attempt(this.#deps, delivery, committed)) : attempt(this.#deps, delivery)
    const work = made
      .catch((error) =>
        this.#deps.logger.error({ err: error, delivery_id: delivery.id }, 'a delivery could not be recorded; it comes again'),
      )
      .finally(() => {
        clearTimeout(timer)
        this.#underWay.delete(work)
        // only at a limit can another delivery have been left waiting for the end of this one
        if ((slot.release() || delivery.hasSubject) && !this.#isStopped) this.#wake()
      })
    this.#underWay.add(work)
  }

  /** The tenant's channels that have slots for so many more alerts at once; none unless there are slots for all of them. */
  #channelsWithRoom(tenantId: string, alerts: number): KnownChannel[] {
    const free = this.#channels.of(tenantId).filter(({ id }) => this.#slots.freeOfChannel(id) >= alerts)
    return free.length * alerts <= this.#slots.freeOfTenant(tenantId) ? free : []
  }
}

/** Resolves in the next turn of the event loop. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
