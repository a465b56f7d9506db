import type { Expression } from '../../../../db/tables/composite-rules.ts'
import {
  type CompositeState,
  type CompositeTransition,
  evaluateComposite,
  INITIAL_COMPOSITE_STATE,
  type Sample,
} from './evaluate.ts'

/** A period in which the rule was standing. */
interface Excursion {
  raise: CompositeTransition & { kind: 'raise' }
  /** Unix ms */
  end: number
  isOver: boolean
}

/** Milliseconds before and after a late reading within which it can change evaluations: older values are stale. */
export const lateWindowMs = ({ conditions }: Expression, staleAfterMs: number): number =>
  staleAfterMs + Math.max(...conditions.map(({ duration_seconds = 0 }) => duration_seconds * 1_000))

/**
 * Evaluates late readings. They can raise, never clear, and only while the rule does not stand. An excursion that exists only
 * with them has an alert of its own, cleared at once if it has ended.
 * @param stored the stored readings around them, including the late ones, ascending, without gaps
 * @param isLate whether a sample is one of the late ones, which are new
 * @param isUntilNow `stored` extends to the last evaluation
 */
export function evaluateLateComposite(
  expression: Expression,
  staleAfterMs: number,
  before: CompositeState,
  stored: readonly Sample[],
  isLate: (sample: Sample) => boolean,
  isUntilNow: boolean,
): { after: CompositeState; raised: { transition: CompositeTransition & { kind: 'raise' }; isOver: boolean }[] } {
  const lastInstant = before.pendingAt !== null && stored.at(-1)?.timestamp === before.pendingAt ? 'pending' : 'whole'
  const now = excursionsOf(expression, staleAfterMs, stored, lastInstant)
  const inputs = isUntilNow ? expression.conditions.map((_, i) => newest(now.after.inputs[i], before.inputs[i])) : before.inputs
  const after = { ...before, inputs }
  if (before.standing) return { after, raised: [] }
  const was = excursionsOf(
    expression,
    staleAfterMs,
    stored.filter((sample) => !isLate(sample)),
    lastInstant,
  ).excursions
  const overlaps = (a: Excursion) => was.some((b) => a.raise.at <= b.end && b.raise.at <= a.end)
  const fresh = now.excursions.filter((excursion) => !overlaps(excursion))
  const raised = fresh.map(({ raise, isOver }) => ({ transition: raise, isOver: isOver || !isUntilNow }))
  if (raised.some(({ isOver }) => !isOver)) Object.assign(after, { standing: true, normalCount: now.after.normalCount })
  return { after, raised }
}

/** The input after the replay, with the peers of the state before. */
function newest(replayed: CompositeState['inputs'][number] = null, before: CompositeState['inputs'][number] = null) {
  return replayed && before?.peers ? { ...replayed, peers: before.peers } : (replayed ?? before)
}

function excursionsOf(
  expression: Expression,
  staleAfterMs: number,
  samples: readonly Sample[],
  lastInstant: 'whole' | 'pending',
) {
  const { after, transitions } = evaluateComposite(expression, staleAfterMs, INITIAL_COMPOSITE_STATE, samples, lastInstant)
  const excursions: Excursion[] = []
  for (const transition of transitions) {
    if (transition.kind === 'raise') excursions.push({ raise: transition, end: Number.POSITIVE_INFINITY, isOver: false })
    else Object.assign(excursions.at(-1) as Excursion, { end: transition.at, isOver: true })
  }
  return { after, excursions }
}
