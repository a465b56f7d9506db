export { completeDurations } from './complete-durations.ts'
export {
  type CompositeState,
  type CompositeTransition,
  completeComposite,
  completionOf,
  evaluateComposite,
  INITIAL_COMPOSITE_STATE,
} from './composite/evaluate.ts'
export { type CompositeRule, compositeRuleJson, parseCompositeRule } from './composite/state.ts'
export type { CompositeRules, EvaluatedSeries } from './context.ts'
export { evaluateFlush } from './evaluate-flush.ts'
export { recomputeMachineStatuses, reportingMachines, sweepSilentMachines, updateMachineStatus } from './machine-status.ts'
export { type EvaluationPlan, planEvaluation } from './plan.ts'
export { resetRuleStates } from './reset-states.ts'
export { SettledMachines, type StatusCheck } from './settled-machines.ts'
export { evaluateThreshold, INITIAL_THRESHOLD_STATE, type ThresholdState } from './threshold/evaluate.ts'
export { levelOf, type Thresholds } from './threshold/level.ts'
export { createThresholdStates, type ThresholdStateKey } from './threshold/state.ts'
export type { Transitions } from './transitions.ts'
