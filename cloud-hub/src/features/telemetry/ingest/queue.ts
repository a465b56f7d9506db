import type { IngestRequest } from './request.ts'

/** Maximum of readings in one flush; more wait for the next. */
const MAX_FLUSH_READINGS = 20_000
/** A tenant whose rows are locked is refused for this long. Then a flush of its own tries again. */
const REFUSE_LOCKED_MS = 3_000

/** The number of readings of a request. */
export const readingCount = ({ submission }: IngestRequest): number => submission.columns.timestamps.length

/** The requests of one flush. */
export interface FlushBatch<T extends IngestRequest> {
  requests: T[]
  /** a tenant with locked rows that this flush tries alone */
  probe: string | null
}

/** Requests that wait for a flush, by tenant. Flushes serve tenants round-robin. */
export class TenantQueues<T extends IngestRequest> {
  readonly #queues = new Map<string, T[]>()
  readonly #waitingOf = new Map<string, number>()
  /** tenants whose rows were found locked, and the performance.now() until which their readings are refused */
  readonly #locked = new Map<string, number>()
  /** locked tenants that a worker is trying now */
  readonly #probed = new Set<string>()
  #waiting = 0

  get isEmpty(): boolean {
    return this.#queues.size === 0
  }

  /** The number of waiting readings, of all tenants. */
  get waiting(): number {
    return this.#waiting
  }

  waitingOf(tenantId: string): number {
    return this.#waitingOf.get(tenantId) ?? 0
  }

  add(request: T): void {
    const queue = this.#queues.get(request.tenantId) ?? []
    queue.push(request)
    this.#queues.set(request.tenantId, queue)
    this.#count(request.tenantId, readingCount(request))
  }

  /**
   * Removes the requests of the next flush. It has requests of unlocked tenants, or of one locked tenant that no other worker
   * tries.
   */
  next(): FlushBatch<T> {
    const requests: T[] = []
    let readings = 0
    for (let before = -1; readings < MAX_FLUSH_READINGS && requests.length > before; ) {
      before = requests.length
      for (const [tenantId, queue] of [...this.#queues]) {
        const isLocked = this.#locked.has(tenantId)
        if (isLocked && (requests.length > 0 || this.#probed.has(tenantId))) continue
        const next = queue.shift() as T
        // the next flush begins with those that this one does not reach
        this.#queues.delete(tenantId)
        if (queue.length > 0) this.#queues.set(tenantId, queue)
        requests.push(next)
        readings += readingCount(next)
        this.#count(tenantId, -readingCount(next))
        if (isLocked) {
          this.#probed.add(tenantId)
          return { requests, probe: tenantId }
        }
        if (readings >= MAX_FLUSH_READINGS) break
      }
    }
    return { requests, probe: null }
  }

  /** Call this when the flush of a probe has ended. */
  endProbe(tenantId: string): void {
    this.#probed.delete(tenantId)
  }

  isRefused(tenantId: string): boolean {
    return performance.now() < (this.#locked.get(tenantId) ?? 0)
  }

  /** Queues requests again, of which one tenant has locked rows. Each tenant gets a flush of its own to find out which. */
  suspect(requests: readonly T[]): void {
    for (const { tenantId } of requests) this.#locked.set(tenantId, Number.NEGATIVE_INFINITY)
    for (const request of requests) this.add(request)
  }

  /** Refuses a tenant with locked rows for a while. @returns its waiting requests, which are removed */
  refuse(tenantId: string): T[] {
    this.#locked.set(tenantId, performance.now() + REFUSE_LOCKED_MS)
    const queued = this.#queues.get(tenantId) ?? []
    this.#queues.delete(tenantId)
    for (const request of queued) this.#count(tenantId, -readingCount(request))
    return queued
  }

  /** Marks the tenants of stored requests as unlocked. */
  unlock(requests: readonly T[]): void {
    for (const { tenantId } of this.#locked.size > 0 ? requests : []) this.#locked.delete(tenantId)
  }

  #count(tenantId: string, size: number): void {
    this.#waiting += size
    const waiting = this.waitingOf(tenantId) + size
    if (waiting > 0) this.#waitingOf.set(tenantId, waiting)
    else this.#waitingOf.delete(tenantId)
  }
}
