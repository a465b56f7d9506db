import type { Expression } from '../../../../db/tables/composite-rules.ts'
import { type CompositeState, completeComposite, completionOf, holdsUntil } from './evaluate.ts'

/** A pending instant is evaluated after this time, complete or not: the parts of an instant arrive close together. */
const PENDING_MS = 1_000
/** The timer evaluates an instant at most this long after it was due. */
const GRACE_MS = 10_000

/** Records how late the inputs that are new in `after` arrived. The others keep what was recorded. */
export function noteLateness(before: CompositeState, after: CompositeState, now: number): CompositeState {
  const inputs = after.inputs.map((input, i) => {
    if (!input) return input
    const known = before.inputs[i]
    const lateMs = known?.at === input.at ? (known.lateMs ?? 0) : Math.max(0, now - input.at)
    return { ...input, lateMs }
  })
  return { ...after, inputs }
}

/** Milliseconds between the newest reading of the rule and its arrival. */
function latenessOf({ inputs }: CompositeState): number {
  const newestAt = Math.max(...inputs.map((input) => input?.at ?? Number.NEGATIVE_INFINITY))
  return Math.max(0, ...inputs.map((input) => (input?.at === newestAt ? (input.lateMs ?? 0) : 0)))
}

/**
 * When the timer completes a duration: as long after its instant as the newest reading arrived late. A backlog arrives in time
 * order, so a reading that ends the duration has arrived by then, at the latest in the same millisecond.
 */
const completionDueAt = (completion: number, state: CompositeState): number => completion + latenessOf(state) + 1

/** Unix ms at which the timer evaluates the rule; null: not before the next reading. */
export function dueAt(expression: Expression, staleAfterMs: number, state: CompositeState, now: number): number | null {
  if (state.pendingAt !== null) return now + PENDING_MS
  const completion = completionOf(expression, staleAfterMs, state)
  return completion === null ? null : completionDueAt(completion, state)
}

/** Evaluates the pending instant, or the one at which a duration has completed. @returns null when neither is due */
export function completeDue(
  expression: Expression,
  staleAfterMs: number,
  state: CompositeState,
  now: number,
): ReturnType<typeof completeComposite> | null {
  if (state.pendingAt !== null) return completeComposite(expression, staleAfterMs, state, state.pendingAt)
  const at = completionOf(expression, staleAfterMs, state)
  if (at === null || completionDueAt(at, state) > now) return null
  const completed = completeComposite(expression, staleAfterMs, state, at)
  // after an outage of the hub, agents still send readings of that time, and these evaluate the rule better
  const until = (holdsUntil(expression, staleAfterMs, completed.after) ?? 0) + latenessOf(state)
  return until + GRACE_MS >= now ? completed : null
}
