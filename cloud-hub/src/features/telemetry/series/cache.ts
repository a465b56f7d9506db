import type { Series } from '@haltless/protocol'
import { type LatestRow, latestKey } from '../../../readings/index.ts'
import { RecentMap } from '../../../support/recent-map.ts'
import type { CompositeRule } from '../../alerting/evaluation/index.ts'
import type { LoadedContext, SeriesContext } from './context.ts'
import { keyOf, nameOf, type Sender, type SeriesEntry, type SeriesLookup } from './lookup.ts'

/** Baselines are cached no longer than this, and no longer than until they are recomputed. */
const BASELINES_MS = 10 * 60_000
/**
 * Series that one process caches, plus the rules that concern each: about half a kilobyte each. The cache guarantees half of this (see
 * RecentMap). From a larger working set it evicts series before their next use, and a flush that misses one loads its whole context.
 */
const MAX_SERIES = 400_000

export interface CachedContext extends LoadedContext {
  series: SeriesContext[]
  /** `facts_version` by tenant, which the transaction asserts */
  versions: Map<string, number>
}

/** The entries of one array of series; senders that repeat their series give the same array. */
interface SeriesTable {
  tenantId: string
  isMapped: boolean
  /** by the index of the series */
  entries: readonly SeriesEntry[]
}

/**
 * The contexts that flushes of this process have used last. Never trusted: the transaction that uses one asserts the version of the
 * tenant's facts, each rule state that it changes and the newest readings, and the flush loads its context again when one is stale.
 *
 * A repeated array of series finds its entries without their names: looking up names would be a tenth of the work of a live flush.
 */
export class SeriesContextCache {
  readonly #maxAgeMs: number
  readonly #entries: RecentMap<SeriesEntry>
  readonly #tables = new WeakMap<readonly Series[], SeriesTable>()
  #lookups = 0
  /** by id, once for all series that one concerns, with the state after the last of their flushes */
  readonly #composites: RecentMap<CompositeRule>
  /** one object for each row of `machine_latest`, shared by its series */
  readonly #rows: RecentMap<LatestRow>

  /** @param maxSeries see {@link MAX_SERIES} */
  constructor(baselineIntervalSeconds: number, maxSeries = MAX_SERIES) {
    this.#maxAgeMs = Math.min(BASELINES_MS, baselineIntervalSeconds * 1_000)
    this.#entries = new RecentMap(
      maxSeries,
      ({ weight }) => weight,
      (dropped) => {
        dropped.context = null
        dropped.isDropped = true
      },
    )
    this.#composites = new RecentMap(maxSeries, () => 1)
    this.#rows = new RecentMap(maxSeries, () => 1)
  }

  /** @param mappedTenants tenants with confirmed tag mappings: only their series are distinguished by tag */
  lookup(requests: readonly Sender[], mappedTenants: ReadonlySet<string>): SeriesLookup {
    const tagged = new Set(requests.map(({ tenantId }) => tenantId).filter((tenantId) => mappedTenants.has(tenantId)))
    let areKnown = true
    const tables = requests.map(({ tenantId, submission: { columns } }) => {
      const isMapped = tagged.has(tenantId)
      const known = this.#tables.get(columns.series)
      if (known?.tenantId === tenantId && known.isMapped === isMapped && this.#areUsable(known)) return known.entries
      areKnown = false
      return this.#makeTable(columns.series, tenantId, isMapped)
    })
    // Known tables have the only entry of each name. A new table may have another entry for a series that was dropped meanwhile.
    const byName = areKnown ? null : new Map<string, SeriesEntry>()
    const lookup = ++this.#lookups
    const entries: SeriesEntry[] = []
    const slots = tables.map((table) =>
      table.map((one) => {
        const entry = byName ? firstOf(byName, one) : one
        if (entry.lookup !== lookup) {
          entry.lookup = lookup
          entry.slot = entries.push(entry) - 1
        }
        return entry.slot
      }),
    )
    return { entries, slots, tagged }
  }

  /** @returns the context of a lookup; null unless all of it is cached */
  get({ entries }: SeriesLookup, now: Date): CachedContext | null {
    const series: SeriesContext[] = []
    const versions = new Map<string, number>()
    const composites = new Map<string, CompositeRule>()
    const oldest = now.getTime() - this.#maxAgeMs
    let tenantId = ''
    for (const { context: one } of entries) {
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
  put({ entries }: SeriesLookup, { series, composites }: LoadedContext, before: LoadedContext | null): void {
    for (const [ruleId, composite] of composites) this.#composites.set(ruleId, composite)
    if (before && before.series === series) return
    for (const [slot, entry] of entries.entries()) {
      const one = series[slot] ?? null
      if (one && before?.series[slot] === one) continue
      if (one) this.#weigh(entry, 1 + one.rules.length + one.composites.length)
      entry.context = one && !entry.isDropped ? this.#withSharedRow(one) : null
    }
  }

  delete({ entries }: SeriesLookup): void {
    for (const entry of entries) entry.context = null
  }

  /** Marks the entries of a table as used. @returns false when the cache has dropped one of them */
  #areUsable({ entries }: SeriesTable): boolean {
    for (const entry of entries) {
      if (entry.isDropped) return false
      const { generation } = this.#entries
      if (entry.generation === generation) continue
      this.#entries.get(entry.name)
      entry.generation = generation
    }
    return true
  }

  #makeTable(series: readonly Series[], tenantId: string, isMapped: boolean): readonly SeriesEntry[] {
    const entries = series.map((one) => {
      const key = keyOf(one, tenantId, isMapped)
      const name = nameOf(key)
      const known = this.#entries.get(name)
      if (known) return known
      const { generation } = this.#entries
      const entry: SeriesEntry = { name, key, context: null, weight: 1, isDropped: false, generation, slot: 0, lookup: 0 }
      this.#entries.set(name, entry)
      return entry
    })
    this.#tables.set(series, { tenantId, isMapped, entries })
    return entries
  }

  #weigh(entry: SeriesEntry, weight: number): void {
    if (entry.isDropped || entry.weight === weight) return
    this.#entries.delete(entry.name)
    entry.weight = weight
    this.#entries.set(entry.name, entry)
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

/** The entry of this name that came first. */
function firstOf(byName: Map<string, SeriesEntry>, entry: SeriesEntry): SeriesEntry {
  const first = byName.get(entry.name)
  if (!first) byName.set(entry.name, entry)
  return first ?? entry
}
