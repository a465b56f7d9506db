import type { Asked, FlushSeries } from './look-up.ts'

/** A lone batch gains a round trip; one of many series would gain little and have much confirmed. */
const MOST_SERIES = 32
/** About half a kilobyte each. */
const REMEMBERED = 20_000
/** What is remembered of baselines is believed for so long, and no longer than until they are computed anew. */
const BASELINES_MS = 10 * 60_000

/**
 * What this process last learned of a series and of the rules that concern it. Never believed: a flush that uses it has the database confirm it
 * in the same transaction, by the version of the tenant's facts and by each condition that it changes, and asks anew when it does not hold.
 */
export function flushMemory(baselineIntervalSeconds: number) {
  const believedMs = Math.min(BASELINES_MS, baselineIntervalSeconds * 1_000)
  const remembered = new Map<string, FlushSeries>()
  return {
    /** @returns what was asked, by place, with the version of each tenant; null unless all of it is remembered */
    recall({ series }: Asked, now: Date): { known: FlushSeries[]; versions: Map<string, number> } | null {
      if (series.size > MOST_SERIES) return null
      const known: FlushSeries[] = []
      const versions = new Map<string, number>()
      for (const name of series.keys()) {
        const one = remembered.get(name)
        if (!one || now.getTime() - one.lookedUpAt > believedMs) return null
        if ((versions.get(one.tenantId) ?? one.factsVersion) !== one.factsVersion) return null
        versions.set(one.tenantId, one.factsVersion)
        known.push(one)
      }
      return { known, versions }
    },

    /** After a commit, by place. */
    keep({ series }: Asked, learned: readonly (FlushSeries | null)[]): void {
      if (series.size > MOST_SERIES) return
      let place = 0
      for (const name of series.keys()) {
        const one = learned[place++]
        // the longest untouched are forgotten first
        remembered.delete(name)
        if (one) remembered.set(name, one)
      }
      while (remembered.size > REMEMBERED) remembered.delete(remembered.keys().next().value as string)
    },

    forget({ series }: Asked): void {
      for (const name of series.keys()) remembered.delete(name)
    },
  }
}
