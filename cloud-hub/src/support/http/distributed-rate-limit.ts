import { type RateDecision, RollingWindow } from './rate-limit.ts'

/** The part of a shared limit that one replica acquired. */
export interface QuotaGrant {
  granted: number
  /** requests of all replicas in the last minute, granted quota included */
  used: number
  /** seconds until quota becomes free */
  freeIn: number
}

export interface DistributedRateLimitOptions {
  /** no other replica is alive: the local count is exact, and no query is needed */
  isAlone(): boolean
  /** acquires quota for this replica; `seed` counts the requests that it let through before the limit was shared */
  acquireQuota(bucket: string, wanted: number, allowed: number, seed: number): Promise<QuotaGrant>
}

/** A replica acquires this part of a limit at a time: the unspent quota of four replicas stays within a tenth. */
const PORTION = 1 / 40
/** A replica queries an exhausted limit again after this time. */
const RECHECK_MS = 250

interface LocalQuota {
  left: number
  used: number
  freeAt: number
  /** the limit is exhausted: no query before then, Unix ms */
  nextRequestAt: number
  request: Promise<void> | null
  touchedAt: number
}

/**
 * A rate limit over any number of replicas. A single replica counts an exact rolling window in memory. Several replicas acquire portions
 * of the limit from the database, so that only some requests wait for a statement. Together they exceed the limit by at most a tenth.
 * While the database is unreachable, each replica counts by itself.
 */
export class DistributedRateLimit {
  readonly #own = new RollingWindow()
  readonly #quotas = new Map<string, LocalQuota>()
  readonly #options: DistributedRateLimitOptions
  #lastSweep = 0

  constructor(options: DistributedRateLimitOptions) {
    this.#options = options
  }

  hit(key: string, limit: number, now: number): RateDecision | Promise<RateDecision> {
    if (this.#options.isAlone()) {
      if (this.#quotas.size > 0) this.#quotas.clear()
      return this.#own.hit(key, limit, now)
    }
    return this.#hitShared(key, limit, now)
  }

  /** Whether the next hit of a key, with the same limit, is refused without a query. */
  isFull(key: string, now: number): boolean {
    if (this.#options.isAlone()) return this.#own.isFull(key, now)
    const quota = this.#quotas.get(key)
    return quota !== undefined && quota.left === 0 && now < quota.nextRequestAt
  }

  async #hitShared(key: string, limit: number, now: number): Promise<RateDecision> {
    this.#sweep(now)
    let quota = this.#quotas.get(key)
    if (!quota) {
      quota = { left: 0, used: 0, freeAt: now, nextRequestAt: 0, request: null, touchedAt: now }
      this.#quotas.set(key, quota)
      await this.#requestQuota(key, quota, limit, now, this.#own.count(key, now))
    }
    quota.touchedAt = now
    // Several requests may wait for one portion, which may be too small for all of them.
    while (quota.left === 0 && now >= quota.nextRequestAt) await (quota.request ?? this.#requestQuota(key, quota, limit, now, 0))
    const resetAt = Math.ceil(quota.freeAt / 1000)
    if (quota.left === 0)
      return { ok: false, limit, remaining: 0, resetAt, retryAfter: Math.max(1, Math.ceil((quota.freeAt - now) / 1000)) }
    quota.left--
    // The local window stays current for the time when this replica is alone again.
    this.#own.hit(key, limit, now)
    return { ok: true, limit, remaining: Math.max(0, limit - quota.used + quota.left), resetAt, retryAfter: 0 }
  }

  #requestQuota(key: string, quota: LocalQuota, limit: number, now: number, seed: number): Promise<void> {
    const wanted = Math.max(1, Math.floor(limit * PORTION))
    quota.request = this.#options
      .acquireQuota(key, wanted, limit, seed)
      .then(({ granted, used, freeIn }) => {
        quota.left += granted
        quota.used = used
        quota.freeAt = now + freeIn * 1000
        if (granted === 0) quota.nextRequestAt = now + RECHECK_MS
      })
      .catch(() => {
        // The counts of the other replicas are unknown: the local window decides.
        const own = this.#own.count(key, now)
        quota.used = own
        quota.freeAt = now + 60_000
        if (own < limit) quota.left += 1
        else quota.nextRequestAt = now + RECHECK_MS
      })
      .finally(() => {
        quota.request = null
      })
    return quota.request
  }

  #sweep(now: number): void {
    if (now - this.#lastSweep < 60_000) return
    this.#lastSweep = now
    for (const [key, quota] of this.#quotas) if (quota.touchedAt < now - 60_000 && !quota.request) this.#quotas.delete(key)
  }
}
