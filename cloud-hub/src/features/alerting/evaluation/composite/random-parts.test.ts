import { describe, expect, it } from 'vitest'
import { randomFrom, randomInstants, randomRule } from '../../../../../test/support/random-rules.ts'
import type { Expression } from '../../../../db/tables/composite-rules.ts'
import {
  type CompositeState,
  type CompositeTransition,
  completeComposite,
  evaluateComposite,
  INITIAL_COMPOSITE_STATE,
  type Sample,
} from './evaluate.ts'
import { evaluateLateComposite } from './late.ts'

const LIMIT = 600_000
const ROUNDS = 4_000

function evaluateInParts(expression: Expression, parts: readonly (readonly Sample[])[]): CompositeTransition[] {
  let state: CompositeState = INITIAL_COMPOSITE_STATE
  const transitions = parts.flatMap((part) => {
    const one = evaluateComposite(expression, LIMIT, state, part, 'live')
    state = JSON.parse(JSON.stringify(one.after)) as CompositeState
    return one.transitions
  })
  return state.pendingAt === null
    ? transitions
    : [...transitions, ...completeComposite(expression, LIMIT, state, state.pendingAt).transitions]
}

describe('random rules and readings', () => {
  it('give the same transitions in parts as in one, also where metrics report together only now and then', () => {
    const random = randomFrom(11)
    for (let round = 0; round < ROUNDS; round++) {
      const metrics = ['a', 'b', 'c', 'd'].slice(0, 2 + random.below(3))
      const expression = randomRule(random, metrics, 5)
      const named = metrics.filter((metric) => expression.conditions.some((condition) => condition.metric === metric))
      const instants = randomInstants(random, named)
      const whole = evaluateComposite(expression, LIMIT, INITIAL_COMPOSITE_STATE, instants.flat()).transitions
      const parts = instants.flatMap((readings) =>
        readings
          .map((reading) => ({ reading, place: random.next() }))
          .sort((a, b) => a.place - b.place)
          .map(({ reading }) => [reading]),
      )
      expect(evaluateInParts(expression, parts), JSON.stringify({ expression, parts })).toEqual(whole)
    }
  })

  const hotOrLoud: Expression = {
    operator: 'OR',
    conditions: [
      { metric: 'temp', op: '>', value: 80 },
      { metric: 'noise', op: '>=', value: 5 },
    ],
  }
  const at = (second: number, metric: string, value: number): Sample => ({ metric, unit: 'u', timestamp: second * 1_000, value })

  it('wait at the first instant for metrics that were never read, later no more', () => {
    const first = evaluateComposite(hotOrLoud, LIMIT, INITIAL_COMPOSITE_STATE, [at(1, 'noise', 9)], 'live').after
    expect(first.pendingAt).toBe(1_000)
    const second = evaluateComposite(hotOrLoud, LIMIT, first, [at(2, 'noise', 9)], 'live').after
    expect([second.standing, second.pendingAt]).toEqual([true, null])
  })

  it('wait no more for a metric that is silent for longer than the limit', () => {
    const known = evaluateComposite(hotOrLoud, LIMIT, INITIAL_COMPOSITE_STATE, [at(1, 'temp', 20), at(1, 'noise', 1)]).after
    const silent = evaluateComposite(hotOrLoud, LIMIT, known, [at(602, 'noise', 9)], 'live')
    expect([silent.transitions.length, silent.after.pendingAt]).toEqual([1, null])
  })

  it('keep who reports with whom when a late reading is replayed', () => {
    const known = evaluateComposite(hotOrLoud, LIMIT, INITIAL_COMPOSITE_STATE, [at(1, 'temp', 20), at(1, 'noise', 1)]).after
    const later = evaluateComposite(hotOrLoud, LIMIT, known, [at(3, 'noise', 1)], 'live').after
    const stored = [at(2, 'temp', 20), at(3, 'noise', 1)]
    const { after } = evaluateLateComposite(hotOrLoud, LIMIT, later, stored, ({ metric }) => metric === 'temp', true)
    expect(evaluateComposite(hotOrLoud, LIMIT, after, [at(4, 'noise', 9)], 'live').after.pendingAt).toBe(4_000)
  })
})
