import { describe, expect, it } from 'vitest'
import { type Random, randomFrom, randomInstants, randomRule } from '../../../../../test/support/random-rules.ts'
import type { Expression } from '../../../../db/tables/composite-rules.ts'
import {
  type CompositeState,
  type CompositeTransition,
  completeComposite,
  completionOf,
  evaluateComposite,
  INITIAL_COMPOSITE_STATE,
  type Sample,
} from './evaluate.ts'
import { completeDue, dueAt, noteLateness } from './timer.ts'

const LIMIT = 20_000
const ROUNDS = 4_000

interface Request {
  /** Unix ms of its arrival */
  at: number
  samples: Sample[]
}

/** Divides a history into requests in time order. No reading arrives later after its instant than the one before it. */
function divide({ below }: Random, history: readonly Sample[]): Request[] {
  const requests: Request[] = []
  let maxLateness = 1_000 * below(200)
  let arrivedAt = 0
  for (let i = 0; i < history.length; ) {
    const first = (history[i] as Sample).timestamp
    let size = 1 + below(6)
    const last = () => (history[Math.min(i + size, history.length) - 1] as Sample).timestamp
    while (last() > first + maxLateness) size--
    const [earliest, latest] = [Math.max(arrivedAt, last()), first + maxLateness]
    arrivedAt = earliest + below(latest - earliest + 1)
    maxLateness = arrivedAt - last()
    requests.push({ at: arrivedAt, samples: history.slice(i, i + size) })
    i += size
  }
  return requests
}

/** What a hub does with requests: a timer evaluates the rule between them, at most a second after it is due. */
function receive({ below }: Random, expression: Expression, requests: readonly Request[]): CompositeTransition[] {
  const transitions: CompositeTransition[] = []
  let state: CompositeState = INITIAL_COMPOSITE_STATE
  let due: number | null = null
  const runTimerUntil = (end: number) => {
    while (due !== null) {
      const now = due + below(1_000)
      if (now > end) return
      const completed = completeDue(expression, LIMIT, state, now)
      transitions.push(...(completed?.transitions ?? []))
      state = completed?.after ?? state
      due = completed ? dueAt(expression, LIMIT, state, now) : null
    }
  }
  for (const { at, samples } of requests) {
    runTimerUntil(at)
    const evaluated = evaluateComposite(expression, LIMIT, state, samples, 'live')
    state = JSON.parse(JSON.stringify(noteLateness(state, evaluated.after, at))) as CompositeState
    transitions.push(...evaluated.transitions)
    due = dueAt(expression, LIMIT, state, at)
  }
  runTimerUntil(Number.POSITIVE_INFINITY)
  return transitions
}

function backtest(expression: Expression, history: readonly Sample[]): CompositeTransition[] {
  const { after, transitions } = evaluateComposite(expression, LIMIT, INITIAL_COMPOSITE_STATE, history)
  const completion = completionOf(expression, LIMIT, after)
  return completion === null
    ? transitions
    : [...transitions, ...completeComposite(expression, LIMIT, after, completion).transitions]
}

const withoutLateness = (transitions: readonly CompositeTransition[]) =>
  transitions.map((transition) => {
    if (transition.kind === 'clear') return transition
    const { lateMs: _, ...input } = transition.input
    return { ...transition, input }
  })

describe('a history in requests in time order, with lateness that never grows', () => {
  it('raises and clears the alerts of the back-test, however it is divided', () => {
    const random = randomFrom(5)
    let raised = 0
    for (let round = 0; round < ROUNDS; round++) {
      const metrics = ['a', 'b', 'c'].slice(0, 1 + random.below(3))
      const expression = randomRule(random, metrics, 12)
      const named = metrics.filter((metric) => expression.conditions.some((condition) => condition.metric === metric))
      const history = randomInstants(random, named).flat()
      const requests = divide(random, history)
      const expected = backtest(expression, history)
      raised += expected.length
      expect(withoutLateness(receive(random, expression, requests)), JSON.stringify({ expression, requests })).toEqual(expected)
    }
    expect(raised).toBeGreaterThan(ROUNDS / 4)
  })
})
