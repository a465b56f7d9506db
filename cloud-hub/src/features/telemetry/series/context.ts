import type { Baseline, LatestEntry } from '../../../readings/index.ts'
import type { CompositeRules, EvaluatedSeries, Transitions } from '../../alerting/evaluation/index.ts'
import type { StopSignal } from './stop-signal.ts'

/** A series of a flush with an active machine, and all that its readings need to be stored and evaluated. */
export interface SeriesContext extends EvaluatedSeries {
  /** its newest reading, which `factsVersion` does not cover; a flush changes the row in place after its commit */
  latest: LatestEntry
  /** from at least 30 readings; null for none */
  baseline: Baseline | null
  /** its readings tell whether the machine is stopped; null: they do not */
  stopSignal: StopSignal | null
  /** Unix ms; `factsVersion` does not cover baselines, so a cached context expires */
  loadedAt: number
}

export interface LoadedContext {
  /** by slot; null for an unknown or deactivated machine, and for a series that the tenant may not have */
  series: readonly (SeriesContext | null)[]
  /** series that do not exist because the tenant has as many as it may have: that limit, by slot */
  refused?: ReadonlyMap<number, number>
  /** their rows are locked like those of threshold states */
  composites: CompositeRules
}

/** The context after the commit of the flush. Series whose rule states did not change are the same objects as before. */
export function contextAfter(
  { series, composites }: LoadedContext,
  { thresholdStates, compositeStates }: Transitions,
): LoadedContext {
  const statesAfter =
    thresholdStates.size === 0
      ? series
      : series.map((of) =>
          of?.rules.some((rule) => thresholdStates.has(rule))
            ? { ...of, rules: of.rules.map((rule) => ({ ...rule, state: thresholdStates.get(rule) ?? rule.state })) }
            : of,
        )
  if (compositeStates.size === 0) return { series: statesAfter, composites }
  const compositesAfter = new Map(
    [...composites].map(([ruleId, composite]) => {
      const state = compositeStates.get(composite)
      return [ruleId, state ? { ...composite, state, version: composite.version + 1 } : composite]
    }),
  )
  return { series: statesAfter, composites: compositesAfter }
}
