import type { COMPARISONS, Expression } from '../../../../db/tables/composite-rules.ts'

/** A reading of a metric that an expression names. */
export interface Sample {
  metric: string
  unit: string
  /** Unix ms */
  timestamp: number
  value: number
}

/** What a condition of an expression goes by: the newest reading of its metric, in whatever unit. */
export interface Input {
  value: number
  unit: string
  /** Unix ms */
  at: number
  /** Unix ms since which the comparison is true without a break; null: it is not */
  since: number | null
  /** the other conditions, by index, whose metrics have reported at an instant of this one; none: absent */
  peers?: readonly number[]
}

/** How a composite rule stands (table composite_conditions). */
export interface CompositeState {
  standing: boolean
  /** consecutive evaluations that were false while standing */
  backCount: number
  /** Unix ms of the last evaluation */
  judgedAt: number | null
  /**
   * Unix ms of the newest instant, not evaluated yet: metrics that have reported together with those that were read are still missing. Null: none.
   * Their readings, a later reading or a timer end the wait, so an instant that arrives in parts is evaluated as if it came whole.
   */
  pendingAt: number | null
  /** by condition */
  inputs: readonly (Input | null)[]
}

/** What follows from an evaluation: an alert that carries the first true condition, or the end. */
export type CompositeVerdict =
  | { kind: 'raise'; at: number; input: Input; condition: Expression['conditions'][number] }
  | { kind: 'clear'; at: number }

export const FRESH: CompositeState = { standing: false, backCount: 0, judgedAt: null, pendingAt: null, inputs: [] }

/** It is over after so many false evaluations in a row. */
const BACK_EVALUATIONS = 2

const COMPARE: Record<(typeof COMPARISONS)[number], (a: number, b: number) => boolean> = {
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '==': (a, b) => a === b,
}

const durationOf = ({ duration_seconds = 0 }: Expression['conditions'][number]) => duration_seconds * 1_000

/** Which conditions are true at an instant. A value older than the limit is unknown, and unknown is false. */
function holding({ conditions }: Expression, limitMs: number, inputs: CompositeState['inputs'], at: number): boolean[] {
  return conditions.map((condition, i) => {
    const input = inputs[i]
    return !!input && input.since !== null && at - input.at <= limitMs && at - input.since >= durationOf(condition)
  })
}
const isTrue = ({ operator }: Expression, holds: readonly boolean[]) =>
  operator === 'AND' ? holds.every(Boolean) : holds.some(Boolean)

/**
 * Judges readings by an expression, instant by instant: those of one instant together. Pure: the same input gives the same verdicts in every
 * replica, whether the readings come one by one or all at once. A duration that completes between two readings is an evaluation too.
 * @param limitMs a value older than this is unknown
 * @param samples ascending by time, none older than what was judged before
 * @param lastInstant `whole`: all of its readings are here; `live`: more may follow, and it stays pending while metrics are missing that report
 *   together with its own; `pending`: it stays pending
 */
export function evaluateComposite(
  expression: Expression,
  limitMs: number,
  before: CompositeState,
  samples: readonly Sample[],
  lastInstant: 'whole' | 'live' | 'pending' = 'whole',
): { after: CompositeState; verdicts: CompositeVerdict[] } {
  const state = { ...before, inputs: expression.conditions.map((_, i) => before.inputs[i] ?? null) }
  const verdicts: CompositeVerdict[] = []
  for (let i = 0; i < samples.length; ) {
    const at = (samples[i] as Sample).timestamp
    if (state.pendingAt !== null && state.pendingAt < at) advance(expression, limitMs, state, state.pendingAt, verdicts)
    const completion = completionOf(expression, limitMs, state)
    if (completion !== null && completion < at) advance(expression, limitMs, state, completion, verdicts)
    for (; i < samples.length && (samples[i] as Sample).timestamp === at; i++)
      take(expression, limitMs, state, samples[i] as Sample)
    notePeers(expression, state, at)
    const isOpen =
      i === samples.length &&
      (lastInstant === 'pending' || (lastInstant === 'live' && isPartOfInstant(expression, limitMs, state, at)))
    if (isOpen) state.pendingAt = at
    else advance(expression, limitMs, state, at, verdicts)
  }
  return { after: state, verdicts }
}

/**
 * Whether readings of an instant are still missing that decide something: of metrics that have reported together with one that has been read now,
 * and at the first instant of all others too. Metrics that always report at instants of their own are not waited for, nor those that have fallen
 * silent for longer than the limit.
 */
function isPartOfInstant(expression: Expression, limitMs: number, state: OpenState, at: number): boolean {
  const { inputs, standing, judgedAt } = state
  const isExpected = inputs.some((input) => {
    if (!input) return judgedAt === null || judgedAt === at
    return input.at < at && at - input.at <= limitMs && input.peers?.some((peer) => inputs[peer]?.at === at)
  })
  return isExpected && (standing || isTrue(expression, holding(expression, limitMs, inputs, at)))
}

/** Notes which metrics have reported at one instant. */
function notePeers({ conditions }: Expression, { inputs }: OpenState, at: number): void {
  const read = inputs.flatMap((input, i) => (input?.at === at ? [i] : []))
  for (const i of read) {
    const input = inputs[i] as Input
    const others = read.filter((other) => conditions[other]?.metric !== conditions[i]?.metric && !input.peers?.includes(other))
    if (others.length > 0) inputs[i] = { ...input, peers: [...(input.peers ?? []), ...others].sort((a, b) => a - b) }
  }
}

/** The timer's evaluation of the instant `at`: one that is pending, or the one that {@link completionOf} has computed. */
export function completeComposite(expression: Expression, limitMs: number, before: CompositeState, at: number) {
  const after = { ...before, inputs: [...before.inputs] }
  const verdicts: CompositeVerdict[] = []
  advance(expression, limitMs, after, at, verdicts)
  return { after, verdicts }
}

type OpenState = { -readonly [K in keyof CompositeState]: CompositeState[K] } & { inputs: (Input | null)[] }

function take(expression: Expression, limitMs: number, { inputs }: OpenState, { metric, unit, timestamp, value }: Sample): void {
  expression.conditions.forEach((condition, i) => {
    if (condition.metric !== metric) return
    const before = inputs[i]
    // what was unknown in between breaks a duration
    const goesOn = before && before.since !== null && timestamp - before.at <= limitMs
    const since = COMPARE[condition.op](value, condition.value) ? (goesOn ? before.since : timestamp) : null
    inputs[i] = { value, unit, at: timestamp, since, ...(before?.peers && { peers: before.peers }) }
  })
}

function advance(expression: Expression, limitMs: number, state: OpenState, at: number, verdicts: CompositeVerdict[]): void {
  state.pendingAt = null
  const isNew = state.judgedAt === null || at > state.judgedAt
  if (isNew) state.judgedAt = at
  const holds = holding(expression, limitMs, state.inputs, at)
  if (isTrue(expression, holds)) {
    state.backCount = 0
    if (state.standing) return
    state.standing = true
    const first = holds.indexOf(true)
    verdicts.push({
      kind: 'raise',
      at,
      input: state.inputs[first] as Input,
      condition: expression.conditions[first] as Expression['conditions'][number],
    })
    // a second look at the same instant, when its readings come apart, is no second evaluation; but it may undo the first
  } else if (state.standing && (isNew || state.backCount === 0)) {
    state.backCount++
    if (state.backCount < BACK_EVALUATIONS) return
    state.standing = false
    state.backCount = 0
    verdicts.push({ kind: 'clear', at })
  }
}

/** When it becomes true if nothing more is read, Unix ms; null: it is true already, or will not be. */
export function completionOf(
  expression: Expression,
  limitMs: number,
  { inputs, judgedAt, pendingAt }: Pick<CompositeState, 'inputs' | 'judgedAt' | 'pendingAt'>,
): number | null {
  if (judgedAt === null || pendingAt !== null || isTrue(expression, holding(expression, limitMs, inputs, judgedAt))) return null
  const instants = expression.conditions.flatMap((condition, i) => {
    const since = inputs[i]?.since ?? null
    return since === null ? [] : [Math.max(since + durationOf(condition), judgedAt)]
  })
  const candidates = expression.operator === 'AND' ? [Math.max(...instants)] : instants
  const reached = candidates.filter((at) => at > judgedAt && isTrue(expression, holding(expression, limitMs, inputs, at)))
  return reached.length > 0 ? Math.min(...reached) : null
}

/** Until when the last evaluation's truth is known without further readings, Unix ms; null: it was false. */
export function holdsUntil(expression: Expression, limitMs: number, { inputs, judgedAt }: CompositeState): number | null {
  if (judgedAt === null) return null
  const holds = holding(expression, limitMs, inputs, judgedAt)
  if (!isTrue(expression, holds)) return null
  const known = inputs.filter((_, i) => holds[i]).map((input) => (input as Input).at + limitMs)
  return expression.operator === 'AND' ? Math.min(...known) : Math.max(...known)
}

/** Whether a reading is to be judged in its turn; if not, it is older than something judged. */
export function isInTurn(
  expression: Expression,
  { judgedAt, pendingAt, inputs }: CompositeState,
  metric: string,
  timestamp: number,
): boolean {
  if (timestamp < (pendingAt ?? judgedAt ?? Number.NEGATIVE_INFINITY)) return false
  return expression.conditions.every((condition, i) => {
    const input = inputs[i]
    return condition.metric !== metric || !input || timestamp > input.at
  })
}
