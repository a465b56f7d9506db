export interface TurnLimits {
  /** calls that run at once */
  slots: number
  /** of one tenant; by default all but one slot, so that one is soon free for another tenant */
  perTenant?: number
  /** calls of one tenant that may wait; further ones are refused at once */
  waitingPerTenant: number
  /** a call that has waited for longer is refused; by default it waits as long as its caller does */
  waitMs?: number
  refusal: () => Error
}

interface Waiter {
  start(): void
}

/**
 * Slots that tenants share. A free slot goes to the waiting tenant with the fewest running calls; of equals, to the one that has waited
 * longest since its last turn. Calls of one tenant run in order of arrival. A call whose caller leaves while it waits is refused, and never starts.
 */
export class Turns {
  readonly #limits: TurnLimits
  readonly #perTenant: number
  readonly #running = new Map<string, number>()
  readonly #waiting = new Map<string, Set<Waiter>>()
  /** the number of the last turn of each tenant that has calls */
  readonly #lastTurn = new Map<string, number>()
  #used = 0
  #turn = 0

  constructor(limits: TurnLimits) {
    this.#limits = limits
    this.#perTenant = limits.perTenant ?? Math.max(1, limits.slots - 1)
  }

  /** Runs `work` in a slot. @param signal aborted when the caller leaves @throws what `refusal` returns; then `work` has not begun */
  async run<T>(tenantId: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const release = await this.acquire(tenantId, signal)
    try {
      return await work()
    } finally {
      release()
    }
  }

  /** Waits for a slot. @returns what frees it @throws what `refusal` returns */
  async acquire(tenantId: string, signal?: AbortSignal): Promise<() => void> {
    if (signal?.aborted) throw this.#limits.refusal()
    if (this.#used < this.#limits.slots && this.#runningOf(tenantId) < this.#perTenant) this.#count(tenantId, 1)
    else await this.#wait(tenantId, signal)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#count(tenantId, -1)
      this.#startNext()
    }
  }

  async #wait(tenantId: string, signal: AbortSignal | undefined): Promise<void> {
    const { waitingPerTenant, waitMs, refusal } = this.#limits
    const queue = this.#waiting.get(tenantId) ?? new Set<Waiter>()
    if (queue.size >= waitingPerTenant) throw refusal()
    this.#waiting.set(tenantId, queue)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter = { start: resolve }
    queue.add(waiter)
    const leave = () => {
      this.#remove(tenantId, waiter)
      reject(refusal())
    }
    const timer = waitMs === undefined ? undefined : setTimeout(leave, waitMs)
    signal?.addEventListener('abort', leave, { once: true })
    try {
      await promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', leave)
    }
  }

  #startNext(): void {
    while (this.#used < this.#limits.slots) {
      const tenantId = this.#nextTenant()
      if (tenantId === undefined) return
      const [waiter] = this.#waiting.get(tenantId) as Iterable<Waiter> as [Waiter]
      this.#count(tenantId, 1)
      this.#remove(tenantId, waiter)
      waiter.start()
    }
  }

  #nextTenant(): string | undefined {
    const turnOf = (tenantId: string) => this.#lastTurn.get(tenantId) ?? 0
    let found: string | undefined
    for (const tenantId of this.#waiting.keys()) {
      const running = this.#runningOf(tenantId)
      if (running >= this.#perTenant) continue
      const compareTo = (other: string) => running - this.#runningOf(other) || turnOf(tenantId) - turnOf(other)
      if (found === undefined || compareTo(found) < 0) found = tenantId
    }
    return found
  }

  #remove(tenantId: string, waiter: Waiter): void {
    const queue = this.#waiting.get(tenantId)
    queue?.delete(waiter)
    if (queue?.size === 0) this.#waiting.delete(tenantId)
    this.#forget(tenantId)
  }

  #forget(tenantId: string): void {
    if (!this.#running.has(tenantId) && !this.#waiting.has(tenantId)) this.#lastTurn.delete(tenantId)
  }

  #runningOf(tenantId: string): number {
    return this.#running.get(tenantId) ?? 0
  }

  #count(tenantId: string, change: 1 | -1): void {
    this.#used += change
    const running = this.#runningOf(tenantId) + change
    if (running > 0) this.#running.set(tenantId, running)
    else this.#running.delete(tenantId)
    if (change > 0) this.#lastTurn.set(tenantId, ++this.#turn)
    else this.#forget(tenantId)
  }
}
