import type { TransactionSql } from '../../../db/pools.ts'
import type { Claimed, SeriesSpan, SortedReadings } from '../../../readings/index.ts'
import type { DeliveryWorker } from '../../delivery/notifications/index.ts'
import { addCompositeTransitions, evaluateClaimedComposites, evaluateComposites } from './composite/flush.ts'
import { saveCompositeStates } from './composite/state.ts'
import type { EvaluationDeps, RuleContext } from './context.ts'
import { openAlerts } from './open-alerts.ts'
import type { EvaluationPlan } from './plan.ts'
import { evaluateThresholds, loadNeighbours } from './threshold/flush.ts'
import { saveThresholdStates } from './threshold/state.ts'
import type { Transitions } from './transitions.ts'

/** The input of {@link evaluateFlush} beside the readings. */
export interface FlushContext extends RuleContext {
  deps: EvaluationDeps
  plan: EvaluationPlan
  now: Date
  /** Claims spans in the transaction. Called once, before any rule state is written. @returns null without spans */
  claim(spans: ReadonlySet<SeriesSpan>): Promise<Claimed | null>
  /** delivers alerts of this flush inline; null: deliveries wait in the outbox */
  worker: DeliveryWorker | null
  /** settles when the transaction has ended */
  committed: Promise<void>
}

/**
 * Evaluates the readings of a flush in its transaction. Saves rule states, opens and clears alerts and queues their deliveries. All writes
 * are sent and not awaited: a failure fails the transaction. Awaits nothing from the database when no span has to be claimed.
 */
export async function evaluateFlush(tx: TransactionSql, context: FlushContext, readings: SortedReadings): Promise<Transitions> {
  const { deps, plan, now, areCached, worker } = context
  const staleAfterMs = deps.machineOfflineAfterSeconds * 1_000
  // before the readings are stored, so that no reading is its own neighbour
  const neighbours = await loadNeighbours(tx, deps.store, readings, plan)
  const claimed = await context.claim(plan.unclaimed)
  const transitions = evaluateThresholds(readings, plan.thresholds, now, claimed, neighbours)
  saveThresholdStates(tx, transitions.thresholdStates, areCached)
  const composites = claimed
    ? await evaluateClaimedComposites(tx, deps.store, readings, plan.composites, staleAfterMs, claimed, now)
    : evaluateComposites(readings, plan.composites, staleAfterMs, now)
  addCompositeTransitions(transitions, composites, now)
  saveCompositeStates(tx, now, staleAfterMs, transitions.compositeStates, areCached)
  // before the readings are stored: the worker prepares deliveries while PostgreSQL stores them
  openAlerts(tx, now, transitions, worker ? (alerts) => worker.lease(alerts, context.committed) : undefined)
  return transitions
}
