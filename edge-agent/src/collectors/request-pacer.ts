import type { Clock } from '../support/clock.ts'

/** What a source allows for its device. */
export interface RequestLimits {
  max_requests_per_second?: number
  pause_ms?: number
}

/** Spaces the requests to one device. Of several sources that name limits for it, the strictest limit counts. */
export class RequestPacer {
  readonly #users = new Set<RequestLimits>()
  /** between two requests, and after each, ms */
  #intervalMs = 0
  #pauseMs = 0
  #sentAt = Number.NEGATIVE_INFINITY
  #endedAt = Number.NEGATIVE_INFINITY
  #turn: Promise<void> = Promise.resolve()

  /** @returns a function that ends the use */
  join(limits: RequestLimits): () => void {
    // A copy: the same object may join twice.
    const user = { ...limits }
    this.#users.add(user)
    this.#update()
    return () => {
      this.#users.delete(user)
      this.#update()
    }
  }

  #update(): void {
    const users = [...this.#users]
    this.#intervalMs = Math.max(0, ...users.map(({ max_requests_per_second: rate }) => (rate ? 1_000 / rate : 0)))
    this.#pauseMs = Math.max(0, ...users.map(({ pause_ms: pauseMs }) => pauseMs ?? 0))
  }

  /** A pause between requests allows one request at a time. */
  get isSerial(): boolean {
    return this.#pauseMs > 0
  }

  /** Milliseconds until the next request may be sent, 0 or less: now. @param now on `performance.now()`, as below */
  waitMs(now: number): number {
    return Math.max(this.#sentAt + this.#intervalMs, this.#endedAt + this.#pauseMs) - now
  }

  sent(now: number): void {
    this.#sentAt = now
  }

  /** The request was answered, or its answer is no longer awaited. */
  ended(now: number): void {
    this.#endedAt = now
  }

  /** Runs one request when its turn has come; requests are sent in order. Without limits it runs at once. */
  run<T>(request: () => Promise<T>, clock: Clock, signal: AbortSignal): Promise<T> {
    if (this.#intervalMs === 0 && this.#pauseMs === 0) return request()
    return new Promise((resolve, reject) => {
      const take = async () => {
        await clock.sleep(this.waitMs(performance.now()), signal)
        this.sent(performance.now())
        const work = request()
        work.then(resolve, reject)
        if (!this.isSerial) return
        await work.catch(() => {})
        this.ended(performance.now())
      }
      this.#turn = this.#turn.then(take).catch(reject)
    })
  }
}

interface Shared {
  pacer: RequestPacer
  users: number
}

/** Keyed by `resolveHost`: where collectors of several tenants run, none may slow down another. */
const shared = new WeakMap<object, Map<string, Shared>>()
const noGuard = {}

/** Returns the pacer of this address; sources with the same `resolveHost` share it. @returns with `release`, which ends the use */
export function acquirePacer(
  { host, port, config }: { host: string; port: number; config: RequestLimits },
  { resolveHost }: { resolveHost?: object },
): { pacer: RequestPacer; release(): void } {
  const guard = resolveHost ?? noGuard
  const pacers = shared.get(guard) ?? new Map<string, Shared>()
  shared.set(guard, pacers)
  const key = `${host.toLowerCase()} ${port}`
  const entry = pacers.get(key) ?? { pacer: new RequestPacer(), users: 0 }
  pacers.set(key, entry)
  entry.users++
  const leave = entry.pacer.join(config)
  let released = false
  return {
    pacer: entry.pacer,
    release: () => {
      if (released) return
      released = true
      leave()
      if (--entry.users === 0) pacers.delete(key)
    },
  }
}
