import type { ConcernedComposite } from '../../alerting/rules/index.ts'
import type { Asked, Composites, FlushSeries } from './look-up.ts'

/** A flush of more would rarely find all of them remembered, and in vain be made ready as if. */
const MOST_SERIES = 2_000
/** Series, with each rule that concerns one: about half a kilobyte each. Nothing limits how many rules concern a series. */
const REMEMBERED = 50_000
/** What is remembered of baselines is believed for so long, and no longer than until they are computed anew. */
const BASELINES_MS = 10 * 60_000

export interface Remembered {
  known: FlushSeries[]
  versions: Map<string, number>
  composites: Composites
}

/** Holds as much as weighs no more than {@link REMEMBERED}; the longest untouched are forgotten first. */
function bounded<T>(weightOf: (one: T) => number) {
  const held = new Map<string, T>()
  let weight = 0
  function forget(name: string): boolean {
    const was = held.get(name)
    if (was === undefined) return false
    weight -= weightOf(was)
    return held.delete(name)
  }
  return {
    get: (name: string) => held.get(name),
    forget,
    put(name: string, one: T): void {
      held.set(name, one)
      weight += weightOf(one)
      for (const oldest of weight > REMEMBERED ? held.keys() : []) {
        forget(oldest)
        if (weight <= REMEMBERED) break
      }
    },
  }
}

/**
 * What this process last learned of a series and of the rules that concern it. Never believed: a flush that uses it has the database confirm it
 * in the same transaction, by the version of the tenant's facts and by each condition that it changes, and asks anew when it does not hold.
 */
export function flushMemory(baselineIntervalSeconds: number) {
  const believedMs = Math.min(BASELINES_MS, baselineIntervalSeconds * 1_000)
  const remembered = bounded<FlushSeries>(({ rules, composites }) => 1 + rules.length + composites.length)
  /** by id, once for all series that one concerns: it stands as the last of them left it */
  const rememberedComposites = bounded<ConcernedComposite>(() => 1)
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
      const put = <T>(of: ReturnType<typeof bounded<T>>, name: string, one: T | null | undefined) => {
        const was = of.forget(name)
        if (one && (was || !isLarge)) of.put(name, one)
      }
      for (const [ruleId, composite] of composites) put(rememberedComposites, ruleId, composite)
      let place = 0
      for (const name of series.keys()) put(remembered, name, learned[place++])
    },

    forget({ series }: Asked): void {
      for (const name of series.keys()) remembered.forget(name)
    },
  }
}
