import type { ConcernedComposite } from '../rules/index.ts'
import type { Asked, Composites, FlushSeries } from './look-up.ts'

/** A flush of more would rarely find all of them remembered, and in vain be made ready as if. */
const MOST_SERIES = 2_000
/** About half a kilobyte each. */
const REMEMBERED = 50_000
/** What is remembered of baselines is believed for so long, and no longer than until they are computed anew. */
const BASELINES_MS = 10 * 60_000

export interface Remembered {
  known: FlushSeries[]
  versions: Map<string, number>
  composites: Composites
}

function forgetOldest(of: Map<string, unknown>): void {
  while (of.size > REMEMBERED) of.delete(of.keys().next().value as string)
}

/**
 * What this process last learned of a series and of the rules that concern it. Never believed: a flush that uses it has the database confirm it
 * in the same transaction, by the version of the tenant's facts and by each condition that it changes, and asks anew when it does not hold.
 */
export function flushMemory(baselineIntervalSeconds: number) {
  const believedMs = Math.min(BASELINES_MS, baselineIntervalSeconds * 1_000)
  const remembered = new Map<string, FlushSeries>()
  /** by id, once for all series that one concerns: it stands as the last of them left it */
  const rememberedComposites = new Map<string, ConcernedComposite>()
  return {
    /** @returns what was asked, by place, with the version of each tenant; null unless all of it is remembered */
    recall({ series }: Asked, now: Date): Remembered | null {
      if (series.size > MOST_SERIES) return null
      const known: FlushSeries[] = []
      const versions = new Map<string, number>()
      const composites = new Map<string, ConcernedComposite>()
      for (const name of series.keys()) {
        const one = remembered.get(name)
        if (!one || now.getTime() - one.lookedUpAt > believedMs) return null
        if ((versions.get(one.tenantId) ?? one.factsVersion) !== one.factsVersion) return null
        versions.set(one.tenantId, one.factsVersion)
        known.push(one)
        for (const ruleId of one.composites) {
          const composite = rememberedComposites.get(ruleId)
          if (!composite) return null
          composites.set(ruleId, composite)
        }
      }
      return { known, versions, composites }
    },

    /** After a commit, by place. Of a flush of many series only what is remembered already, which would be out of date otherwise. */
    keep({ series }: Asked, learned: readonly (FlushSeries | null)[], composites: Composites): void {
      const isLarge = series.size > MOST_SERIES
      // the longest untouched are forgotten first
      const put = <T>(of: Map<string, T>, name: string, one: T | null | undefined) => {
        const was = of.delete(name)
        if (one && (was || !isLarge)) of.set(name, one)
      }
      for (const [ruleId, composite] of composites) put(rememberedComposites, ruleId, composite)
      forgetOldest(rememberedComposites)
      let place = 0
      for (const name of series.keys()) put(remembered, name, learned[place++])
      forgetOldest(remembered)
    },

    forget({ series }: Asked): void {
      for (const name of series.keys()) remembered.delete(name)
    },
  }
}
