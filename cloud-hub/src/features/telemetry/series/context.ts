import type { CompositeRules, EvaluatedSeries, Transitions } from '../../alerting/evaluation/index.ts'
import type { Baseline, SortedReadings } from '../readings/index.ts'

/** A series of a flush with an active machine, and all that its readings need to be stored and evaluated. */
export interface SeriesContext extends EvaluatedSeries {
  /**
   * `tenants.facts_version`: a change of it makes all fields stale; `newest`, the anomaly flag, the baseline and rule states
   * change without it
   */
  factsVersion: number
  /** from at least 30 readings; null for none */
  baseline: Baseline | null
  /** an excursion beyond the baseline was open when `newest` was stored */
  isAnomalous: boolean
  /** Unix ms; `factsVersion` does not cover baselines, so a cached context expires */
  loadedAt: number
}

export interface LoadedContext {
  /** by slot; null for an unknown or deactivated machine */
  series: readonly (SeriesContext | null)[]
  /** their rows are locked like those of threshold states */
  composites: CompositeRules
}

/** The context after the commit of the flush. */
export function contextAfter(
  { series, composites }: LoadedContext,
  { spans, timestamps, values }: SortedReadings,
  { thresholdStates, compositeStates }: Transitions,
): LoadedContext {
  const after = [...series]
  for (const { slot, from, to, newestAt, evaluated } of spans) {
    const of = series[slot] as SeriesContext
    let at = to - 1
    while (at > from && timestamps[at - 1] === timestamps[at]) at--
    const isNewest = (timestamps[at] as number) > newestAt
    const newest = isNewest ? { timestamp: timestamps[at] as number, value: values[at] as number } : of.newest
    const isAnomalous = isNewest ? evaluated?.isAnomalous === true : of.isAnomalous
    after[slot] = {
      ...of,
      newest,
      isAnomalous,
      rules: of.rules.map((rule) => ({ ...rule, state: thresholdStates.get(rule) ?? rule.state })),
    }
  }
  const compositesAfter = new Map(
    [...composites].map(([ruleId, composite]) => {
      const state = compositeStates.get(composite)
      return [ruleId, state ? { ...composite, state, version: composite.version + 1 } : composite]
    }),
  )
  return { series: after, composites: compositesAfter }
}
