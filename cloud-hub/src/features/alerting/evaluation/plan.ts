import type { SeriesSpan, SortedReadings } from '../../../readings/index.ts'
import { isInOrder } from './composite/evaluate.ts'
import type { CompositeRule } from './composite/state.ts'
import type { EvaluatedMachine, EvaluatedSeries, EvaluationDeps, RuleContext } from './context.ts'
import type { ThresholdRule } from './threshold/state.ts'

/** A threshold rule and the readings of a flush that it concerns. */
export interface ThresholdMatch {
  rule: ThresholdRule
  series: EvaluatedSeries
  span: SeriesSpan
}

/** A composite rule and the readings of a flush that it concerns. */
export interface CompositeMatch {
  composite: CompositeRule
  machine: EvaluatedMachine
  /** with the series of each span */
  spans: Map<SeriesSpan, EvaluatedSeries>
}

/** The rules that concern the readings of a flush. */
export interface EvaluationPlan {
  thresholds: ThresholdMatch[]
  composites: CompositeMatch[]
  /**
   * Spans whose readings are not all newer than everything stored, or evaluated by a rule. Only a claim tells which of their
   * readings are new. Readings of all other spans are new.
   */
  unclaimed: Set<SeriesSpan>
}

/** Finds the rules that concern the readings of a flush. Pure. */
export function planEvaluation(
  deps: Pick<EvaluationDeps, 'store'>,
  context: RuleContext,
  readings: SortedReadings,
): EvaluationPlan {
  const unclaimed = new Set<SeriesSpan>()
  const thresholds: ThresholdMatch[] = []
  const composites = new Map<string, CompositeMatch>()
  for (const span of readings.spans) {
    const series = context.series[span.slot] as EvaluatedSeries
    const first = readings.timestamps[span.from] as number
    if (!deps.store.isLive(readings, span)) unclaimed.add(span)
    if (series.rules.length === 0 && series.composites.length === 0) continue
    for (const rule of series.rules) {
      thresholds.push({ rule, series, span })
      // A flush may have stored newer readings after the context was loaded. The locked state shows how far it evaluated.
      if (first <= (rule.state.evaluatedAt ?? Number.NEGATIVE_INFINITY)) unclaimed.add(span)
    }
    for (const ruleId of series.composites) {
      const composite = context.composites.get(ruleId) as CompositeRule
      const match = composites.get(ruleId)
      if (match) match.spans.set(span, series)
      else composites.set(ruleId, { composite, machine: series.machine, spans: new Map([[span, series]]) })
      if (!isInOrder(composite.expression, composite.state, series.metric, first)) unclaimed.add(span)
    }
  }
  return { thresholds, composites: [...composites.values()], unclaimed }
}
