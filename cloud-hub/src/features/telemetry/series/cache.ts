import { RecentMap } from '../../../support/recent-map.ts'
import type { CompositeRule } from '../../alerting/evaluation/index.ts'
import { type LatestRow, latestKey } from '../readings/index.ts'
import type { LoadedContext, SeriesContext } from './context.ts'
import type { SeriesLookup } from './lookup.ts'

/** Baselines are cached no longer than this, and no longer than until they are recomputed. */
const BASELINES_MS = 10 * 60_000
/** Series that one process caches, plus the rules that concern each: about half a kilobyte each. */
const MAX_SERIES = 200_000

export interface CachedContext extends LoadedContext {
  series: SeriesContext[]
  /** `facts_version` by tenant, which the transaction asserts */
  versions: Map<string, number>
}

/**
 * The contexts that flushes of this process have used last. Never trusted: the transaction that uses one asserts the version of the
 * tenant's facts, each rule state that it changes and the newest readings, and the flush loads its context again when one is stale.
 */
export class SeriesContextCache {
  readonly #maxAgeMs: number
  readonly #series: RecentMap<SeriesContext>
  /** by id, once for all series that one concerns, with the state after the last of their flushes */
  readonly #composites: RecentMap<CompositeRule>
  /** one object for each row of `machine_latest`, shared by its series */
  readonly #rows: RecentMap<LatestRow>

  /** @param maxSeries see {@link MAX_SERIES} */
  constructor(baselineIntervalSeconds: number, maxSeries = MAX_SERIES) {
    this.#maxAgeMs = Math.min(BASELINES_MS, baselineIntervalSeconds * 1_000)
    this.#series = new RecentMap(maxSeries, ({ rules, composites }) => 1 + rules.length + composites.length)
    this.#composites = new RecentMap(maxSeries, () => 1)
    this.#rows = new RecentMap(maxSeries, () => 1)
  }

  /** @returns the context of a lookup; null unless all of it is cached */
  get({ keys }: SeriesLookup, now: Date): CachedContext | null {
    const series: SeriesContext[] = []
    const versions = new Map<string, number>()
    const composites = new Map<string, CompositeRule>()
    const oldest = now.getTime() - this.#maxAgeMs
    let tenantId = ''
    for (const name of keys.keys()) {
      const one = this.#series.get(name)
      if (!one || one.loadedAt < oldest) return null
      if (one.tenantId !== tenantId || versions.get(tenantId) !== one.factsVersion) {
        tenantId = one.tenantId
        if ((versions.get(tenantId) ?? one.factsVersion) !== one.factsVersion) return null
        versions.set(tenantId, one.factsVersion)
      }
      series.push(one)
      for (const ruleId of one.composites) {
        const composite = this.#composites.get(ruleId)
        if (!composite) return null
        composites.set(ruleId, composite)
      }
    }
    return { series, versions, composites }
  }

  /**
   * After a commit.
   * @param before the cached context that the flush began with; null: it loaded its context
   */
  put({ keys }: SeriesLookup, { series, composites }: LoadedContext, before: LoadedContext | null): void {
    for (const [ruleId, composite] of composites) this.#composites.set(ruleId, composite)
    if (before && before.series === series) return
    let slot = 0
    for (const name of keys.keys()) {
      const one = series[slot]
      if (!one) this.#series.delete(name)
      else if (before?.series[slot] !== one) this.#series.set(name, this.#withSharedRow(one))
      slot++
    }
  }

  delete({ keys }: SeriesLookup): void {
    for (const name of keys.keys()) this.#series.delete(name)
  }

  /** Lets all series of a row share one object, which has the newest state that this process knows. */
  #withSharedRow(one: SeriesContext): SeriesContext {
    const { row, index } = one.latest
    const key = latestKey(row)
    const known = this.#rows.get(key)
    if (!known || known === row) {
      if (!known) this.#rows.set(key, row)
      return one
    }
    if (row.body.length > known.body.length || (row.seen !== null && (known.seen === null || row.seen > known.seen))) {
      known.body = row.body
      known.tags = row.tags
      known.tagBytes = row.tagBytes
      known.written = row.written
      known.seen = row.seen
    }
    known.sharedUntil = Math.max(known.sharedUntil, row.sharedUntil)
    return { ...one, latest: { row: known, index } }
  }
}
