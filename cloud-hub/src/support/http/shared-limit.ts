import { type RateVerdict, RollingWindow } from './rate-limit.ts'

/** What one replica was given of a bucket that all share. */
export interface Places {
  granted: number
  /** of the whole limit, by all replicas, in the last minute */
  used: number
  /** seconds until places come free */
  freeIn: number
}

export interface SharedLimitOptions {
  /** no other replica is alive: the own count is the whole truth, and nobody is asked */
  isAlone(): boolean
  /** takes places for this replica in what all share; `seed` is what it let through by itself before */
  takePlaces(bucket: string, wanted: number, allowed: number, seed: number): Promise<Places>
}

/** A replica takes this part of a limit at a time: what up to four of them hold unspent stays within a tenth. */
const PORTION = 1 / 40
/** A bucket that is full is asked for again after this. */
const RECHECK_MS = 250

interface Share {
  left: number
  used: number
  freeAt: number
  /** full: no asking before then */
  quietUntil: number
  asking: Promise<void> | null
  touchedAt: number
}

/**
 * A rate limit over any number of replicas. Alone, it is an exact rolling window in memory. With others, each takes portions of the limit
 * from the database and hands them out by itself, so that a request in some waits for one statement; together they let through what the
 * limit says within a tenth. While the database is away everybody counts alone.
 */
export class SharedLimit {
  readonly #own = new RollingWindow()
  readonly #shares = new Map<string, Share>()
  readonly #options: SharedLimitOptions
  #lastSweep = 0

  constructor(options: SharedLimitOptions) {
    this.#options = options
  }

  hit(key: string, limit: number, now: number): RateVerdict | Promise<RateVerdict> {
    if (this.#options.isAlone()) {
      if (this.#shares.size > 0) this.#shares.clear()
      return this.#own.hit(key, limit, now)
    }
    return this.#hitShared(key, limit, now)
  }

  async #hitShared(key: string, limit: number, now: number): Promise<RateVerdict> {
    this.#sweep(now)
    let share = this.#shares.get(key)
    if (!share) {
      share = { left: 0, used: 0, freeAt: now, quietUntil: 0, asking: null, touchedAt: now }
      this.#shares.set(key, share)
      await this.#ask(key, share, limit, now, this.#own.count(key, now))
    }
    share.touchedAt = now
    // several requests may wait for one portion; a small one may not be enough for all
    while (share.left === 0 && now >= share.quietUntil) await (share.asking ?? this.#ask(key, share, limit, now, 0))
    const resetAt = Math.ceil(share.freeAt / 1000)
    if (share.left === 0)
      return { ok: false, limit, remaining: 0, resetAt, retryAfter: Math.max(1, Math.ceil((share.freeAt - now) / 1000)) }
    share.left--
    // goes on counting for the day on which this replica is alone again
    this.#own.hit(key, limit, now)
    return { ok: true, limit, remaining: Math.max(0, limit - share.used + share.left), resetAt, retryAfter: 0 }
  }

  #ask(key: string, share: Share, limit: number, now: number, seed: number): Promise<void> {
    const wanted = Math.max(1, Math.floor(limit * PORTION))
    share.asking = this.#options
      .takePlaces(key, wanted, limit, seed)
      .then(({ granted, used, freeIn }) => {
        share.left += granted
        share.used = used
        share.freeAt = now + freeIn * 1000
        if (granted === 0) share.quietUntil = now + RECHECK_MS
      })
      .catch(() => {
        // nobody knows what the others do: the own window decides
        const own = this.#own.count(key, now)
        share.used = own
        share.freeAt = now + 60_000
        if (own < limit) share.left += 1
        else share.quietUntil = now + RECHECK_MS
      })
      .finally(() => {
        share.asking = null
      })
    return share.asking
  }

  #sweep(now: number): void {
    if (now - this.#lastSweep < 60_000) return
    this.#lastSweep = now
    for (const [key, share] of this.#shares) if (share.touchedAt < now - 60_000 && !share.asking) this.#shares.delete(key)
  }
}
