import type { Expression } from '../../../../db/tables/composite-rules.ts'
import { type CompositeState, type CompositeVerdict, evaluateComposite, FRESH, type Sample } from './evaluate.ts'

/** A stretch of time in which the rule stood, and whether its end was seen. */
interface Excursion {
  raise: CompositeVerdict & { kind: 'raise' }
  /** Unix ms */
  end: number
  isOver: boolean
}

/** So long before and after a late reading decides what it changes: what is older is unknown by then. */
export const reachOf = ({ conditions }: Expression, limitMs: number): number =>
  limitMs + Math.max(...conditions.map(({ duration_seconds = 0 }) => duration_seconds * 1_000))

/**
 * Readings older than something judged. They can raise, never clear, and only while nothing stands: whatever stands with them that would not
 * have without them has an alert of its own, over at once if it did not last.
 * @param stored what is stored around them, the late ones included, ascending; nothing left out
 * @param late those that are new
 * @param isUntilNow `stored` goes on to what was judged last
 */
export function judgeLateComposite(
  expression: Expression,
  limitMs: number,
  before: CompositeState,
  stored: readonly Sample[],
  late: (sample: Sample) => boolean,
  isUntilNow: boolean,
): { after: CompositeState; raised: { verdict: CompositeVerdict & { kind: 'raise' }; isOver: boolean }[] } {
  const lastInstant = before.pendingAt !== null && stored.at(-1)?.timestamp === before.pendingAt ? 'pending' : 'whole'
  const now = excursionsOf(expression, limitMs, stored, lastInstant)
  const inputs = isUntilNow ? expression.conditions.map((_, i) => newest(now.after.inputs[i], before.inputs[i])) : before.inputs
  const after = { ...before, inputs }
  if (before.standing) return { after, raised: [] }
  const was = excursionsOf(
    expression,
    limitMs,
    stored.filter((sample) => !late(sample)),
    lastInstant,
  ).excursions
  const overlaps = (a: Excursion) => was.some((b) => a.raise.at <= b.end && b.raise.at <= a.end)
  const fresh = now.excursions.filter((excursion) => !overlaps(excursion))
  const raised = fresh.map(({ raise, isOver }) => ({ verdict: raise, isOver: isOver || !isUntilNow }))
  if (raised.some(({ isOver }) => !isOver)) Object.assign(after, { standing: true, backCount: now.after.backCount })
  return { after, raised }
}

/** An input as the replay left it; which conditions report with it is known from before too. */
function newest(replayed: CompositeState['inputs'][number] = null, before: CompositeState['inputs'][number] = null) {
  return replayed && before?.peers ? { ...replayed, peers: before.peers } : (replayed ?? before)
}

function excursionsOf(expression: Expression, limitMs: number, samples: readonly Sample[], lastInstant: 'whole' | 'pending') {
  const { after, verdicts } = evaluateComposite(expression, limitMs, FRESH, samples, lastInstant)
  const excursions: Excursion[] = []
  for (const verdict of verdicts) {
    if (verdict.kind === 'raise') excursions.push({ raise: verdict, end: Number.POSITIVE_INFINITY, isOver: false })
    else Object.assign(excursions.at(-1) as Excursion, { end: verdict.at, isOver: true })
  }
  return { after, excursions }
}
