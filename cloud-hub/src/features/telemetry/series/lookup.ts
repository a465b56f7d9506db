import type { Series } from '@haltless/protocol'
import type { LoadedContext, SeriesContext } from './context.ts'

/** A series as its sender names it. */
export interface SeriesKey {
  tenantId: string
  /** its identifier */
  machine: string
  metric: string
  unit: string
  /** the tag of the source; null for none, and where the tenant has no confirmed tag mappings */
  rawTag: string | null
}

/** A series in the cache of a process. There is one entry for a name, until the cache drops it. */
export interface SeriesEntry {
  /** unique: all parts of the key */
  readonly name: string
  readonly key: SeriesKey
  /** null: not cached */
  context: SeriesContext | null
  /** what the entry counts in the cache: the series, and each rule that concerns it */
  weight: number
  /** the cache has dropped it, and may have another entry for the series */
  isDropped: boolean
  /** the generation of the cache in which it was used last */
  generation: number
  /** its slot in the lookup that is being made, and the number of that lookup */
  slot: number
  lookup: number
}

/** The distinct series of some requests, as their senders name them. The *slot* of a series is its index here. */
export interface SeriesLookup {
  /** by slot */
  entries: readonly SeriesEntry[]
  /** for each request, by its own series index: the slot */
  slots: readonly (readonly number[])[]
  /** tenants whose series are distinguished by tag: a mapping may rename them, and several keys may then be one series */
  tagged: ReadonlySet<string>
}

/** A request, as a lookup reads it. */
export interface Sender {
  tenantId: string
  submission: { columns: { series: readonly Series[] } }
}

/** @param isMapped the tenant has confirmed tag mappings: series are distinguished by tag too */
export function keyOf({ machine, metric, unit, rawTag }: Series, tenantId: string, isMapped: boolean): SeriesKey {
  return { tenantId, machine, metric, unit, rawTag: isMapped ? rawTag : null }
}

export function nameOf({ tenantId, machine, metric, unit, rawTag }: SeriesKey): string {
  const name = `${tenantId}\u0000${machine}\u0000${metric}\u0000${unit}`
  return rawTag === null ? name : `${name}\u0000${rawTag}`
}

/** The slots of a lookup once its context is loaded. */
export interface ResolvedSlots {
  /** for each request, by its own series index: the slot that its readings use */
  slots: readonly (readonly number[])[]
  /** by slot: the first slot of the same series; null where no tag mapping can make two slots one */
  first: readonly number[] | null
}

/** Merges the slots of keys that tag mappings make one series: all use the slot of the first key. */
export function resolveSlots({ entries, slots, tagged }: SeriesLookup, { series }: LoadedContext): ResolvedSlots {
  if (tagged.size === 0) return { slots, first: null }
  const firstOf = new Map<number, number>()
  const first = entries.map((_, slot) => {
    const id = series[slot]?.seriesId
    if (id === undefined) return slot
    const found = firstOf.get(id) ?? slot
    firstOf.set(id, found)
    return found
  })
  return { first, slots: slots.map((each) => each.map((slot) => first[slot] as number)) }
}
