import type { Series } from '@haltless/protocol'
import type { LoadedContext } from './context.ts'

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

/** The distinct series of some requests, as their senders name them. The *slot* of a series is its index here. */
export interface SeriesLookup {
  /** by a unique name, in the order of their slots */
  keys: Map<string, SeriesKey>
  /** for each request, by its own series index: the slot */
  slots: number[][]
  /** tenants whose series are distinguished by tag: a mapping may rename them, and several keys may then be one series */
  tagged: ReadonlySet<string>
}

/** A request, as {@link lookupOf} reads it. */
interface Sender {
  tenantId: string
  submission: { columns: { series: readonly Series[] } }
}

/** The lookup of one array of series; senders that repeat theirs give the same array. */
interface TableLookup {
  tenantId: string
  isMapped: boolean
  keys: Map<string, SeriesKey>
  slots: number[]
}

const lookups = new WeakMap<readonly Series[], TableLookup>()

/** @param mappedTenants tenants with confirmed tag mappings: only their series are distinguished by tag */
export function lookupOf(requests: readonly Sender[], mappedTenants: ReadonlySet<string>): SeriesLookup {
  const tagged = new Set(requests.map(({ tenantId }) => tenantId).filter((tenantId) => mappedTenants.has(tenantId)))
  const tables = requests.map(({ tenantId, submission }) =>
    lookupOfTable(submission.columns.series, tenantId, tagged.has(tenantId)),
  )
  const [only] = tables
  if (tables.length === 1 && only) return { keys: only.keys, slots: [only.slots], tagged }
  const slotOf = new Map<string, number>()
  const keys = new Map<string, SeriesKey>()
  const slots = tables.map((table) => {
    const merged: number[] = []
    for (const [name, key] of table.keys) {
      let slot = slotOf.get(name)
      if (slot === undefined) {
        slot = slotOf.size
        slotOf.set(name, slot)
        keys.set(name, key)
      }
      merged.push(slot)
    }
    return table.slots.map((slot) => merged[slot] as number)
  })
  return { keys, slots, tagged }
}

function lookupOfTable(series: readonly Series[], tenantId: string, isMapped: boolean): TableLookup {
  const known = lookups.get(series)
  if (known && known.tenantId === tenantId && known.isMapped === isMapped) return known
  const slotOf = new Map<string, number>()
  const keys = new Map<string, SeriesKey>()
  const slots = series.map(({ machine, metric, unit, rawTag: given }) => {
    const rawTag = isMapped ? given : null
    let name = `${tenantId}\u0000${machine}\u0000${metric}\u0000${unit}`
    if (rawTag !== null) name += `\u0000${rawTag}`
    let slot = slotOf.get(name)
    if (slot === undefined) {
      slot = slotOf.size
      slotOf.set(name, slot)
      keys.set(name, { tenantId, machine, metric, unit, rawTag })
    }
    return slot
  })
  const table = { tenantId, isMapped, keys, slots }
  lookups.set(series, table)
  return table
}

/** The slots of a lookup once its context is loaded. */
export interface ResolvedSlots {
  /** for each request, by its own series index: the slot that its readings use */
  slots: readonly (readonly number[])[]
  /** by slot: the first slot of the same series; null where no tag mapping can make two slots one */
  first: readonly number[] | null
}

/** Merges the slots of keys that tag mappings make one series: all use the slot of the first key. */
export function resolveSlots({ keys, slots, tagged }: SeriesLookup, { series }: LoadedContext): ResolvedSlots {
  if (tagged.size === 0) return { slots, first: null }
  const firstOf = new Map<number, number>()
  const first = Array.from(keys.keys(), (_, slot) => {
    const id = series[slot]?.seriesId
    if (id === undefined) return slot
    const found = firstOf.get(id) ?? slot
    firstOf.set(id, found)
    return found
  })
  return { first, slots: slots.map((each) => each.map((slot) => first[slot] as number)) }
}
