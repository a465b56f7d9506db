import type { COMPARISONS } from '../../../../db/enums.ts'
import type { Expression } from '../../../../db/tables/composite-rules.ts'

/** A reading of a metric that an expression names. */
export interface Sample {
  metric: string
  unit: string
  /** Unix ms */
  timestamp: number
  value: number
}

/** The newest reading of the metric of a condition, in any unit. */
export interface ConditionInput {
  value: number
  unit: string
  /** Unix ms */
  at: number
  /** Unix ms since which the comparison is true without a break; null: it is false */
  since: number | null
  /** indexes of other conditions whose metrics have reported at the same instant as this one; absent: none */
  peers?: readonly number[]
  /** milliseconds between the reading and its arrival; absent: unknown */
  lateMs?: number
}

/** The state of a composite rule (table composite_conditions). */
export interface CompositeState {
  standing: boolean
  /** consecutive false evaluations while standing */
  normalCount: number
  /** Unix ms of the last evaluation */
  evaluatedAt: number | null
  /**
   * Unix ms of the newest instant while it misses metrics that usually report with it; null: no instant is pending. The missing
   * readings, a later reading or a timer end the wait. Hence an instant that arrives in parts is evaluated like one that arrives
   * whole.
   */
  pendingAt: number | null
  /** by condition */
  inputs: readonly (ConditionInput | null)[]
}

/** The outcome of an evaluation: an alert with the first true condition, or the end of the alert. */
export type CompositeTransition =
  | { kind: 'raise'; at: number; input: ConditionInput; condition: Expression['conditions'][number] }
  | { kind: 'clear'; at: number }

export const INITIAL_COMPOSITE_STATE: CompositeState = {
  standing: false,
  normalCount: 0,
  evaluatedAt: null,
  pendingAt: null,
  inputs: [],
}

/** A rule clears after this many consecutive false evaluations. */
const CLEAR_EVALUATIONS = 2

const COMPARE: Record<(typeof COMPARISONS)[number], (a: number, b: number) => boolean> = {
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '==': (a, b) => a === b,
}

const durationOf = ({ duration_seconds = 0 }: Expression['conditions'][number]) => duration_seconds * 1_000

/** Evaluates each condition at an instant. A condition with a stale value counts as false. */
function truthOf({ conditions }: Expression, staleAfterMs: number, inputs: CompositeState['inputs'], at: number): boolean[] {
  return conditions.map((condition, i) => {
    const input = inputs[i]
    return !!input && input.since !== null && at - input.at <= staleAfterMs && at - input.since >= durationOf(condition)
  })
}
const isTrue = ({ operator }: Expression, holds: readonly boolean[]) =>
  operator === 'AND' ? holds.every(Boolean) : holds.some(Boolean)

/**
 * Evaluates an expression at each instant of its readings. Pure: the same input gives the same transitions in every replica,
 * whether the readings arrive one by one or all at once. The completion of a duration between two readings is an evaluation too.
 * @param staleAfterMs the age after which a value is stale
 * @param samples ascending by time, none older than the last evaluation
 * @param lastInstant whether the newest instant stays pending. `whole`: no, it is complete. `live`: while metrics are missing
 * that usually report with it. `pending`: yes
 */
export function evaluateComposite(
  expression: Expression,
  staleAfterMs: number,
  before: CompositeState,
  samples: readonly Sample[],
  lastInstant: 'whole' | 'live' | 'pending' = 'whole',
): { after: CompositeState; transitions: CompositeTransition[] } {
  const state = { ...before, inputs: expression.conditions.map((_, i) => before.inputs[i] ?? null) }
  const transitions: CompositeTransition[] = []
  for (let i = 0; i < samples.length; ) {
    const at = (samples[i] as Sample).timestamp
    if (state.pendingAt !== null && state.pendingAt < at) advance(expression, staleAfterMs, state, state.pendingAt, transitions)
    const completion = completionOf(expression, staleAfterMs, state)
    if (completion !== null && completion < at) advance(expression, staleAfterMs, state, completion, transitions)
    for (; i < samples.length && (samples[i] as Sample).timestamp === at; i++)
      applySample(expression, staleAfterMs, state, samples[i] as Sample)
    notePeers(expression, state, at)
    const isOpen =
      i === samples.length &&
      (lastInstant === 'pending' || (lastInstant === 'live' && isPartOfInstant(expression, staleAfterMs, state, at)))
    if (isOpen) state.pendingAt = at
    else advance(expression, staleAfterMs, state, at, transitions)
  }
  return { after: state, transitions }
}

/**
 * Whether an instant misses readings that its evaluation needs. It expects metrics that have reported together with one that
 * reports now, and all metrics at the first instant. It does not expect stale metrics and those that report at other instants.
 */
function isPartOfInstant(expression: Expression, staleAfterMs: number, state: OpenState, at: number): boolean {
  const { inputs, standing, evaluatedAt } = state
  const isExpected = inputs.some((input) => {
    if (!input) return evaluatedAt === null || evaluatedAt === at
    return input.at < at && at - input.at <= staleAfterMs && input.peers?.some((peer) => inputs[peer]?.at === at)
  })
  return isExpected && (standing || isTrue(expression, truthOf(expression, staleAfterMs, inputs, at)))
}

/** Records which metrics report at the same instant. */
function notePeers({ conditions }: Expression, { inputs }: OpenState, at: number): void {
  const read = inputs.flatMap((input, i) => (input?.at === at ? [i] : []))
  for (const i of read) {
    const input = inputs[i] as ConditionInput
    const others = read.filter((other) => conditions[other]?.metric !== conditions[i]?.metric && !input.peers?.includes(other))
    if (others.length > 0) inputs[i] = { ...input, peers: [...(input.peers ?? []), ...others].sort((a, b) => a - b) }
  }
}

/** Evaluates the instant `at` by timer: a pending one, or one that {@link completionOf} has computed. */
export function completeComposite(expression: Expression, staleAfterMs: number, before: CompositeState, at: number) {
  const after = { ...before, inputs: [...before.inputs] }
  const transitions: CompositeTransition[] = []
  advance(expression, staleAfterMs, after, at, transitions)
  return { after, transitions }
}

type OpenState = { -readonly [K in keyof CompositeState]: CompositeState[K] } & { inputs: (ConditionInput | null)[] }

function applySample(
  expression: Expression,
  staleAfterMs: number,
  { inputs }: OpenState,
  { metric, unit, timestamp, value }: Sample,
): void {
  expression.conditions.forEach((condition, i) => {
    if (condition.metric !== metric) return
    const before = inputs[i]
    // a gap with an unknown value interrupts a duration
    const goesOn = before && before.since !== null && timestamp - before.at <= staleAfterMs
    const since = COMPARE[condition.op](value, condition.value) ? (goesOn ? before.since : timestamp) : null
    inputs[i] = { value, unit, at: timestamp, since, ...(before?.peers && { peers: before.peers }) }
  })
}

function advance(
  expression: Expression,
  staleAfterMs: number,
  state: OpenState,
  at: number,
  transitions: CompositeTransition[],
): void {
  state.pendingAt = null
  const isNew = state.evaluatedAt === null || at > state.evaluatedAt
  if (isNew) state.evaluatedAt = at
  const holds = truthOf(expression, staleAfterMs, state.inputs, at)
  if (isTrue(expression, holds)) {
    state.normalCount = 0
    if (state.standing) return
    state.standing = true
    const first = holds.indexOf(true)
    transitions.push({
      kind: 'raise',
      at,
      input: state.inputs[first] as ConditionInput,
      condition: expression.conditions[first] as Expression['conditions'][number],
    })
    // A second evaluation of an instant that arrives in parts does not count twice. It may undo the first one.
  } else if (state.standing && (isNew || state.normalCount === 0)) {
    state.normalCount++
    if (state.normalCount < CLEAR_EVALUATIONS) return
    state.standing = false
    state.normalCount = 0
    transitions.push({ kind: 'clear', at })
  }
}

/** Unix ms at which the expression becomes true without further readings; null: it is true already, or stays false. */
export function completionOf(
  expression: Expression,
  staleAfterMs: number,
  { inputs, evaluatedAt, pendingAt }: Pick<CompositeState, 'inputs' | 'evaluatedAt' | 'pendingAt'>,
): number | null {
  if (evaluatedAt === null || pendingAt !== null || isTrue(expression, truthOf(expression, staleAfterMs, inputs, evaluatedAt)))
    return null
  const instants = expression.conditions.flatMap((condition, i) => {
    const since = inputs[i]?.since ?? null
    return since === null ? [] : [Math.max(since + durationOf(condition), evaluatedAt)]
  })
  const candidates = expression.operator === 'AND' ? [Math.max(...instants)] : instants
  const reached = candidates.filter((at) => at > evaluatedAt && isTrue(expression, truthOf(expression, staleAfterMs, inputs, at)))
  return reached.length > 0 ? Math.min(...reached) : null
}

/** Unix ms until which the last evaluation stays true without further readings; null: it was false. */
export function holdsUntil(expression: Expression, staleAfterMs: number, { inputs, evaluatedAt }: CompositeState): number | null {
  if (evaluatedAt === null) return null
  const holds = truthOf(expression, staleAfterMs, inputs, evaluatedAt)
  if (!isTrue(expression, holds)) return null
  const known = inputs.filter((_, i) => holds[i]).map((input) => (input as ConditionInput).at + staleAfterMs)
  return expression.operator === 'AND' ? Math.min(...known) : Math.max(...known)
}

/** Whether a reading can be evaluated in order. Otherwise it is late: older than an evaluated one. */
export function isInOrder(
  expression: Expression,
  { evaluatedAt, pendingAt, inputs }: CompositeState,
  metric: string,
  timestamp: number,
): boolean {
  if (timestamp < (pendingAt ?? evaluatedAt ?? Number.NEGATIVE_INFINITY)) return false
  return expression.conditions.every((condition, i) => {
    const input = inputs[i]
    return condition.metric !== metric || !input || timestamp > input.at
  })
}
