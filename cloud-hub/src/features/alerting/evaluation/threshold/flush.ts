import type { TransactionSql } from '../../../../db/pools.ts'
import { type Claimed, newestStored, type ReadingStore, type SortedReadings } from '../../../../readings/index.ts'
import { contextPointsOf, newIndexes } from '../context.ts'
import { loadStoredNeighbours } from '../neighbours.ts'
import { isTooOldToNotify, thresholdMessage } from '../open-alerts.ts'
import type { EvaluationPlan, ThresholdMatch } from '../plan.ts'
import { emptyTransitions, type Transitions } from '../transitions.ts'
import { evaluateThreshold, isChanged, isUnchangedBy, lateReadings } from './evaluate.ts'
import type { Neighbours } from './late.ts'

/**
 * Evaluates the new readings of a flush by threshold rules.
 * @param neighbours of the late readings of claimed spans
 */
export function evaluateThresholds(
  readings: SortedReadings,
  matches: readonly ThresholdMatch[],
  now: Date,
  claimed: Claimed | null,
  neighbours: ReadonlyMap<ThresholdMatch, Neighbours[]>,
): Transitions {
  const result = emptyTransitions()
  for (const match of matches) {
    const { rule, series, span } = match
    // most readings, so that they cost no objects; late ones between others could part an excursion
    if (!claimed && isUnchangedBy(rule, rule.state, readings.values.subarray(span.from, span.to))) continue
    const points = contextPointsOf(readings, span, newIndexes(claimed, span))
    if (points.length === 0) continue
    const { after, transitions } = evaluateThreshold(rule, rule.state, newestStored(span), points, neighbours.get(match))
    if (isChanged(rule.state, after)) result.thresholdStates.set(rule, after)
    for (const transition of transitions) {
      if (transition.kind === 'clear') {
        result.cleared.push(rule)
        for (const alert of result.raised)
          if (alert.ruleId === rule.ruleId && alert.machine.id === rule.machineId && alert.unit === rule.unit)
            alert.isCleared = true
        continue
      }
      const alert = {
        tenantId: series.tenantId,
        machine: series.machine,
        ruleId: rule.ruleId,
        unit: series.unit,
        metric: series.metric,
        severity: transition.level,
        triggerValue: transition.point.value,
        threshold: transition.threshold,
        comparison: rule.critical > rule.warning ? ('>' as const) : ('<' as const),
        ruleName: null,
        triggeredAt: transition.point.timestamp,
        isTooOldToNotify: isTooOldToNotify(transition.point.timestamp, now),
        isCleared: transition.clearedAtOnce,
      }
      result.raised.push({ ...alert, message: thresholdMessage(alert) })
    }
  }
  return result
}

/** Loads the stored neighbours of the late readings of a flush. Call it before the readings are stored. */
export async function loadNeighbours(
  tx: TransactionSql,
  store: Pick<ReadingStore, 'neighbours'>,
  readings: SortedReadings,
  { thresholds, unclaimed }: EvaluationPlan,
): Promise<Map<ThresholdMatch, Neighbours[]>> {
  if (unclaimed.size === 0) return new Map()
  const concerned = thresholds
    .filter(({ span }) => unclaimed.has(span))
    .map((match) => ({
      match,
      late: lateReadings(match.rule.state, newestStored(match.span), contextPointsOf(readings, match.span, null)),
    }))
    .filter(({ late }) => late.length > 0)
  if (concerned.length === 0) return new Map()
  const found = await loadStoredNeighbours(
    tx,
    store,
    concerned.map(({ match: { rule, series }, late }) => ({
      ...rule,
      tenantId: series.tenantId,
      seriesId: series.seriesId,
      late,
    })),
  )
  return new Map(concerned.map(({ match }, i) => [match, found[i] as Neighbours[]]))
}
