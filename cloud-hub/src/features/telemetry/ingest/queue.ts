import type { Series } from '@haltless/protocol'
import type { IngestRequest } from './request.ts'

/** Maximum of readings in one flush; more wait for the next. */
const MAX_FLUSH_READINGS = 20_000
/** A tenant whose rows are locked is refused for this long. Then a flush of its own tries again. */
const REFUSE_LOCKED_MS = 3_000

/** Machines of a list of series; senders over MQTT use one list for many batches. */
const machinesOfSeries = new WeakMap<readonly Series[], ReadonlySet<string>>()

function machinesOf({ submission }: IngestRequest): ReadonlySet<string> {
  const { series } = submission.columns
  const machines = machinesOfSeries.get(series) ?? new Set(series.map(({ machine }) => machine))
  machinesOfSeries.set(series, machines)
  return machines
}

/** The number of readings of a request. */
export const readingCount = ({ submission }: IngestRequest): number => submission.columns.timestamps.length

/** The requests of one flush. */
export interface FlushBatch<T extends IngestRequest> {
  requests: T[]
  /** a tenant with locked rows that this flush tries alone */
  probe: string | null
}

/**
 * Requests that wait for a flush, by tenant. Flushes serve tenants round-robin.
 *
 * - Two flushes that store the same machine at once would wait for each other's rows, and the later one would start again. So a request waits
 *   while another flush stores one of its machines, and then shares the next flush with all that waited for the same.
 * - The next requests of a tenant with a flush under way share no flush with those of others and come after them, so that one that sends without a
 *   pause delays others by little.
 */
export class TenantQueues<T extends IngestRequest> {
  readonly #queues = new Map<string, T[]>()
  readonly #waitingOf = new Map<string, number>()
  /** tenants whose rows were found locked, and the performance.now() until which their readings are refused */
  readonly #locked = new Map<string, number>()
  /** machines of the flushes under way, by tenant */
  readonly #machinesOf = new Map<string, Set<string>>()
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
   * Removes the requests of the next flush: those of unlocked tenants, or of one locked tenant that no other worker tries. Call {@link endFlush}
   * when it has ended.
   */
  next(): FlushBatch<T> {
    let batch = this.#take((tenantId) => !this.#machinesOf.has(tenantId))
    if (batch.requests.length === 0) batch = this.#take((tenantId) => this.#machinesOf.has(tenantId))
    for (const request of batch.requests) {
      const busy = this.#machinesOf.get(request.tenantId) ?? new Set()
      for (const machine of machinesOf(request)) busy.add(machine)
      this.#machinesOf.set(request.tenantId, busy)
    }
    return batch
  }

  /** Call this when the flush of a batch has ended, however. */
  endFlush({ requests, probe }: FlushBatch<T>): void {
    for (const request of requests) {
      const busy = this.#machinesOf.get(request.tenantId)
      for (const machine of machinesOf(request)) busy?.delete(machine)
      if (busy?.size === 0) this.#machinesOf.delete(request.tenantId)
    }
    if (probe) this.#probed.delete(probe)
  }

  /** Removes requests of some tenants, one of each in turn, except those with a machine that another flush stores now. */
  #take(isTaken: (tenantId: string) => boolean): FlushBatch<T> {
    const requests: T[] = []
    let readings = 0
    let tenants = [...this.#queues.keys()].filter(isTaken).map((tenantId) => ({ tenantId, ready: this.#ready(tenantId) }))
    while (tenants.length > 0) {
      const withMore: typeof tenants = []
      for (const tenant of tenants) {
        const isLocked = this.#locked.has(tenant.tenantId)
        if (isLocked && (requests.length > 0 || this.#probed.has(tenant.tenantId))) continue
        const request = tenant.ready.next().value
        if (!request) continue
        requests.push(request)
        readings += readingCount(request)
        if (isLocked) this.#probed.add(tenant.tenantId)
        if (isLocked || readings >= MAX_FLUSH_READINGS) return this.#remove(requests, isLocked ? tenant.tenantId : null)
        withMore.push(tenant)
      }
      tenants = withMore
    }
    return this.#remove(requests, null)
  }

  /** The waiting requests of a tenant that no flush under way delays. */
  *#ready(tenantId: string): Generator<T, undefined> {
    const busy = this.#machinesOf.get(tenantId)
    for (const request of this.#queues.get(tenantId) ?? []) if (!busy || !hasAny(busy, machinesOf(request))) yield request
  }

  #remove(requests: T[], probe: string | null): FlushBatch<T> {
    const taken = new Set(requests)
    for (const tenantId of new Set(requests.map((request) => request.tenantId))) {
      const left = (this.#queues.get(tenantId) ?? []).filter((request) => !taken.has(request))
      if (left.length > 0) this.#queues.set(tenantId, left)
      else this.#queues.delete(tenantId)
    }
    for (const request of requests) this.#count(request.tenantId, -readingCount(request))
    return { requests, probe }
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

function hasAny(busy: ReadonlySet<string>, machines: ReadonlySet<string>): boolean {
  for (const machine of machines) if (busy.has(machine)) return true
  return false
}
