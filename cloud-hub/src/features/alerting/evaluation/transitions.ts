import type { Comparison, Severity } from '../../../db/enums.ts'
import type { CompositeState } from './composite/evaluate.ts'
import type { CompositeRule } from './composite/state.ts'
import type { EvaluatedMachine } from './context.ts'
import type { ThresholdState } from './threshold/evaluate.ts'
import type { ThresholdRule } from './threshold/state.ts'

/** An alert that a flush raises. */
export interface RaisedAlert {
  tenantId: string
  machine: EvaluatedMachine
  ruleId: string
  metric: string
  unit: string
  severity: Severity
  triggerValue: number
  threshold: number
  /** how the value was compared with the threshold */
  comparison: Comparison
  /** the name of the composite rule; null for a threshold rule */
  ruleName: string | null
  /** a sentence for people, without the note of `isTooOldToNotify` in open-alerts.ts */
  message: string
  /** Unix ms of the reading */
  triggeredAt: number
  /** see `isTooOldToNotify` in open-alerts.ts; `is_too_old_to_notify` in the table and on the wire */
  isTooOldToNotify: boolean
  /** the condition ended before the alert was stored */
  isCleared: boolean
}

/** A condition that ended, for one rule, machine and unit. */
export interface EndedCondition {
  tenantId: string
  ruleId: string
  machineId: string
  /** null: all units, for a composite rule, whose alerts name the unit of their first true condition */
  unit: string | null
}

/** The outcome of evaluating readings: new rule states, alerts to raise, and conditions that ended. */
export interface Transitions {
  thresholdStates: Map<ThresholdRule, ThresholdState>
  compositeStates: Map<CompositeRule, CompositeState>
  raised: RaisedAlert[]
  cleared: EndedCondition[]
}

export const emptyTransitions = (): Transitions => ({
  thresholdStates: new Map(),
  compositeStates: new Map(),
  raised: [],
  cleared: [],
})
