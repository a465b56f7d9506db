import type { CompositeRule } from '../../alerting/evaluation/index.ts'
import type { LoadedContext, SeriesContext } from './context.ts'
import type { SeriesLookup } from './lookup.ts'

/** A larger flush would rarely find all of its series cached. */
const MAX_SERIES = 2_000
/** Series plus the rules that concern each: about half a kilobyte each. Nothing limits how many rules concern a series. */
const MAX_WEIGHT = 50_000
/** Baselines are cached no longer than this, and no longer than until they are recomputed. */
const BASELINES_MS = 10 * 60_000

export interface CachedContext extends LoadedContext {
  series: SeriesContext[]
  /** `facts_version` by tenant, which the transaction asserts */
  versions: Map<string, number>
}

/** A map that evicts the least recently put entries while all weigh more than {@link MAX_WEIGHT}. */
class BoundedMap<T> {
  readonly #entries = new Map<string, T>()
  readonly #weightOf: (one: T) => number
  #weight = 0

  constructor(weightOf: (one: T) => number) {
    this.#weightOf = weightOf
  }

  get(name: string): T | undefined {
    return this.#entries.get(name)
  }

  delete(name: string): boolean {
    const found = this.#entries.get(name)
    if (found === undefined) return false
    this.#weight -= this.#weightOf(found)
    return this.#entries.delete(name)
  }

  put(name: string, one: T): void {
    this.#entries.set(name, one)
    this.#weight += this.#weightOf(one)
    for (const oldest of this.#weight > MAX_WEIGHT ? this.#entries.keys() : []) {
      this.delete(oldest)
      if (this.#weight <= MAX_WEIGHT) break
    }
  }
}

/**
 * The contexts that this process has loaded last. Never trusted: the transaction that uses one asserts the version of the tenant's facts and each
 * rule state that it changes, and the flush loads its context again when one is stale.
 */
export class SeriesContextCache {
  readonly #maxAgeMs: number
  readonly #series = new BoundedMap<SeriesContext>(({ rules, composites }) => 1 + rules.length + composites.length)
  /** by id, once for all series that one concerns, with the state after the last of their flushes */
  readonly #composites = new BoundedMap<CompositeRule>(() => 1)

  constructor(baselineIntervalSeconds: number) {
    this.#maxAgeMs = Math.min(BASELINES_MS, baselineIntervalSeconds * 1_000)
  }

  /** @returns the context of a lookup; null unless all of it is cached */
  get({ keys }: SeriesLookup, now: Date): CachedContext | null {
    if (keys.size > MAX_SERIES) return null
    const series: SeriesContext[] = []
    const versions = new Map<string, number>()
    const composites = new Map<string, CompositeRule>()
    for (const name of keys.keys()) {
      const one = this.#series.get(name)
      if (!one || now.getTime() - one.loadedAt > this.#maxAgeMs) return null
      if ((versions.get(one.tenantId) ?? one.factsVersion) !== one.factsVersion) return null
      versions.set(one.tenantId, one.factsVersion)
      series.push(one)
      for (const ruleId of one.composites) {
        const composite = this.#composites.get(ruleId)
        if (!composite) return null
        composites.set(ruleId, composite)
      }
    }
    return { series, versions, composites }
  }

  /** After a commit. A flush of too many series updates what is cached, which would be stale otherwise, and adds nothing. */
  put({ keys }: SeriesLookup, { series, composites }: LoadedContext): void {
    const isLarge = keys.size > MAX_SERIES
    const replace = <T>(cache: BoundedMap<T>, name: string, one: T | null | undefined) => {
      const wasCached = cache.delete(name)
      if (one && (wasCached || !isLarge)) cache.put(name, one)
    }
    for (const [ruleId, composite] of composites) replace(this.#composites, ruleId, composite)
    let slot = 0
    for (const name of keys.keys()) replace(this.#series, name, series[slot++])
  }

  delete({ keys }: SeriesLookup): void {
    for (const name of keys.keys()) this.#series.delete(name)
  }
}
