import { describe, expect, it } from 'vitest'
import type { Expression } from '../../../../db/tables/composite-rules.ts'
import {
  type CompositeState,
  completeComposite,
  completionOf,
  evaluateComposite,
  holdsUntil,
  INITIAL_COMPOSITE_STATE,
  isInOrder,
} from './evaluate.ts'
import { evaluateLateComposite } from './late.ts'

const LIMIT = 600_000
const hot = (duration_seconds?: number): Expression['conditions'][number] => ({
  metric: 'temp',
  op: '>',
  value: 80,
  duration_seconds,
})
const loud = (duration_seconds?: number): Expression['conditions'][number] => ({
  metric: 'noise',
  op: '>=',
  value: 5,
  duration_seconds,
})
const all = (...conditions: Expression['conditions']): Expression => ({ operator: 'AND', conditions })
const any = (...conditions: Expression['conditions']): Expression => ({ operator: 'OR', conditions })
/** `temp 10 85`: a reading of the metric after so many seconds */
const samples = (...given: string[]) =>
  given.map((text) => {
    const [metric, at, value] = text.split(' ')
    return { metric: metric as string, unit: 'u', timestamp: Number(at) * 1_000, value: Number(value) }
  })
const named = (transitions: { kind: string; at: number }[]) => transitions.map(({ kind, at }) => `${kind} ${at / 1_000}`)
const evaluateAll = (expression: Expression, ...given: string[]) =>
  named(evaluateComposite(expression, LIMIT, INITIAL_COMPOSITE_STATE, samples(...given)).transitions)

describe('a composite rule', () => {
  it.each<[string, Expression, string[], string[]]>([
    ['AND waits for all', all(hot(), loud()), ['temp 1 85', 'noise 2 4', 'noise 3 5'], ['raise 3']],
    ['OR takes any', any(hot(), loud()), ['temp 1 50', 'noise 2 5'], ['raise 2']],
    ['a metric that was never read is false', all(hot(), loud()), ['temp 1 85', 'temp 2 85'], []],
    ['raises once while it stands', all(hot()), ['temp 1 85', 'temp 2 95', 'temp 3 50', 'temp 4 85'], ['raise 1']],
    [
      'clears when false twice in a row',
      all(hot()),
      ['temp 1 85', 'temp 2 50', 'temp 3 50', 'temp 4 85'],
      ['raise 1', 'clear 3', 'raise 4'],
    ],
    [
      'readings of one instant are evaluated together',
      all(hot(), { ...loud(), op: '<', value: 5 }),
      ['temp 1 50', 'noise 1 1', 'temp 2 85', 'noise 2 9'],
      [],
    ],
    ['one evaluation an instant', all(hot(), loud()), ['temp 1 85', 'noise 1 5', 'temp 2 50', 'noise 2 0'], ['raise 1']],
    ['a value older than the limit is unknown', all(hot(), loud()), ['temp 0 85', 'noise 601 5'], []],
    ['a value as old as the limit is known', all(hot(), loud()), ['temp 0 85', 'noise 600 5'], ['raise 600']],
    [
      'unknown is false for clearing too',
      all(hot(), loud()),
      ['temp 0 85', 'noise 0 5', 'noise 601 5', 'noise 602 5'],
      ['raise 0', 'clear 602'],
    ],
    ['a duration completes between readings', all(hot(60)), ['temp 0 85', 'temp 50 85', 'temp 90 50'], ['raise 60']],
    ['a duration completes with a reading', all(hot(60)), ['temp 0 85', 'temp 60 85'], ['raise 60']],
    [
      'a break begins it anew',
      all(hot(60)),
      ['temp 0 85', 'temp 50 50', 'temp 51 85', 'temp 110 85', 'temp 111 85'],
      ['raise 111'],
    ],
    ['what is unknown in between is a break', all(hot(900)), ['temp 0 85', 'temp 601 85', 'temp 1000 85'], []],
    [
      'a duration longer than the limit needs readings',
      all(hot(900)),
      ['temp 0 85', 'temp 500 85', 'temp 1000 50'],
      ['raise 900'],
    ],
    ['durations of AND overlap', all(hot(60), loud(10)), ['temp 0 85', 'noise 55 5', 'temp 70 85'], ['raise 65']],
    ['the first duration of OR is enough', any(hot(60), loud(10)), ['temp 0 85', 'noise 55 5', 'temp 90 85'], ['raise 60']],
  ])('%s', (_, expression, given, expected) => {
    expect(evaluateAll(expression, ...given)).toEqual(expected)
    // the same, one by one
    let state: CompositeState = INITIAL_COMPOSITE_STATE
    const transitions = Object.values(Object.groupBy(samples(...given), ({ timestamp }) => timestamp)).flatMap((instant) => {
      const one = evaluateComposite(expression, LIMIT, JSON.parse(JSON.stringify(state)), instant ?? [])
      state = one.after
      return one.transitions
    })
    expect(named(transitions)).toEqual(expected)
  })

  it.each([
    ['>', 81, 80],
    ['>=', 80, 79.9],
    ['<', 79, 80],
    ['<=', 80, 80.1],
    ['==', 80, 80.1],
  ] as const)('compares by %s', (op, yes, no) => {
    const one = all({ metric: 'temp', op, value: 80 })
    expect([evaluateAll(one, `temp 1 ${yes}`), evaluateAll(one, `temp 1 ${no}`)]).toEqual([['raise 1'], []])
  })

  it('carries the first true condition in its own order', () => {
    const [transition] = evaluateComposite(any(loud(), hot()), LIMIT, INITIAL_COMPOSITE_STATE, samples('temp 1 85')).transitions
    expect(transition).toMatchObject({ kind: 'raise', condition: { metric: 'temp' }, input: { value: 85, at: 1_000 } })
  })

  it('says when a timer has to look, and until when it holds', () => {
    const expression = all(hot(60), loud())
    const { after } = evaluateComposite(expression, LIMIT, INITIAL_COMPOSITE_STATE, samples('temp 0 85', 'noise 10 5'))
    expect([completionOf(expression, LIMIT, after), holdsUntil(expression, LIMIT, after)]).toEqual([60_000, null])
    const completed = completeComposite(expression, LIMIT, after, 60_000)
    expect(named(completed.transitions)).toEqual(['raise 60'])
    expect(completionOf(expression, LIMIT, completed.after)).toBeNull()
    expect(holdsUntil(expression, LIMIT, completed.after)).toBe(600_000)
    // the next reading goes on
    expect(
      named(evaluateComposite(expression, LIMIT, completed.after, samples('temp 70 85', 'temp 80 1', 'temp 81 1')).transitions),
    ).toEqual(['clear 81'])
  })

  it('is not waited for when its values are unknown by then', () => {
    const { after } = evaluateComposite(all(hot(601)), LIMIT, INITIAL_COMPOSITE_STATE, samples('temp 0 85'))
    expect(completionOf(all(hot(601)), LIMIT, after)).toBeNull()
  })
})

describe('an instant that arrives in parts', () => {
  /** One call for each part, live; `settle 3` is the timer. */
  const inParts = (expression: Expression, ...parts: (string | string[])[]) => {
    let state: CompositeState = INITIAL_COMPOSITE_STATE
    const transitions = parts.flatMap((part) => {
      const before = JSON.parse(JSON.stringify(state)) as CompositeState
      const one =
        part === 'settle'
          ? completeComposite(expression, LIMIT, before, before.pendingAt as number)
          : evaluateComposite(expression, LIMIT, before, samples(...[part].flat()), 'live')
      state = one.after
      return one.transitions
    })
    return { named: named(transitions), transitions, state }
  }

  const cases: [string, Expression, string[]][] = [
    [
      'an OR rule that the second part keeps true neither clears nor raises again',
      any(hot(), loud()),
      ['temp 1 20', 'noise 1 9', 'temp 2 20', 'noise 2 9', 'temp 3 20', 'noise 3 9', 'temp 4 20', 'noise 4 9'],
    ],
    [
      'an AND rule that the second part makes false raises nothing',
      all(hot(), loud()),
      ['temp 1 20', 'noise 1 9', 'temp 2 85', 'noise 2 1', 'temp 3 20', 'noise 3 9', 'temp 4 85', 'noise 4 1'],
    ],
    [
      'an AND rule that the second part makes false twice clears',
      all(hot(), loud()),
      ['temp 1 85', 'noise 1 9', 'temp 2 85', 'noise 2 1', 'temp 3 85', 'noise 3 1', 'temp 4 85', 'noise 4 9'],
    ],
    [
      'the alert carries the first true condition in the order of the rule, not of the parts',
      any(loud(), hot()),
      ['temp 1 20', 'noise 1 1', 'temp 2 85', 'noise 2 9'],
    ],
    [
      'a duration completes before it',
      all(hot(2), loud()),
      ['temp 1 85', 'noise 1 9', 'temp 2 85', 'noise 2 9', 'temp 4 20', 'noise 4 9'],
    ],
  ]
  it.each(cases)('%s', (_, expression, given) => {
    const whole = evaluateComposite(expression, LIMIT, INITIAL_COMPOSITE_STATE, samples(...given))
    expect(inParts(expression, ...given).transitions).toEqual(whole.transitions)
    // whichever part comes first
    const crosswise = given.map((_, i) => given[i ^ 1] as string)
    expect(inParts(expression, ...crosswise).transitions).toEqual(whole.transitions)
    expect(inParts(expression, ...given).state).toEqual(whole.after)
  })

  it('waits only for metrics that report at the same instants, and never where nothing is decided', () => {
    const apart = inParts(all(hot(), loud()), 'temp 1 85', 'noise 1.5 1', 'temp 2 85', 'noise 2.5 9')
    expect([apart.named, apart.state.pendingAt]).toEqual([['raise 2.5'], null])
    expect(inParts(all(hot(), loud()), ['temp 1 20', 'noise 1 1'], 'temp 2 20').state).toMatchObject({
      evaluatedAt: 2_000,
      pendingAt: null,
    })
  })

  it('is evaluated by the timer, or with the next instant, where the rest never comes', () => {
    const parts = [['temp 1 20', 'noise 1 9'], 'temp 2 85']
    const waiting = inParts(all(hot(), loud()), ...parts)
    expect([waiting.named, waiting.state.pendingAt, completionOf(all(hot(), loud()), LIMIT, waiting.state)]).toEqual([
      [],
      2_000,
      null,
    ])
    expect(inParts(all(hot(), loud()), ...parts, 'settle').named).toEqual(['raise 2'])
    const next = inParts(all(hot(), loud()), ...parts, 'temp 3 85')
    expect([next.named, next.state.pendingAt]).toEqual([['raise 2'], 3_000])
  })

  it('leaves readings between the last evaluation and itself to the late ones', () => {
    const { state } = inParts(all(hot(), loud()), ['temp 1 20', 'noise 1 9'], 'temp 3 85')
    const expression = all(hot(), loud())
    expect([isInOrder(expression, state, 'noise', 2_000), isInOrder(expression, state, 'noise', 3_000)]).toEqual([false, true])
    // and a late one leaves the instant pending
    const stored = samples('temp 1 20', 'noise 1 9', 'noise 2 9', 'temp 3 85')
    const late = evaluateLateComposite(expression, LIMIT, state, stored, ({ timestamp }) => timestamp === 2_000, true)
    expect([late.raised, late.after.pendingAt]).toEqual([[], 3_000])
  })
})

describe('late readings of a composite rule', () => {
  const expression = all(hot(), loud())
  /** `late` arrive after the others have been evaluated */
  const arrive = (inTime: string[], late: string[]) => {
    const before = evaluateComposite(expression, LIMIT, INITIAL_COMPOSITE_STATE, samples(...inTime)).after
    const stored = samples(...inTime, ...late).sort((a, b) => a.timestamp - b.timestamp)
    const isLate = new Set(late)
    const nameOf = (s: { metric: string; timestamp: number; value: number }) => `${s.metric} ${s.timestamp / 1_000} ${s.value}`
    return evaluateLateComposite(expression, LIMIT, before, stored, (s) => isLate.has(nameOf(s)), true)
  }

  it('are distinguished from those in order by what was evaluated, and by their own metric', () => {
    const { after } = evaluateComposite(expression, LIMIT, INITIAL_COMPOSITE_STATE, samples('temp 1 85', 'noise 3 1'))
    expect([
      isInOrder(expression, after, 'temp', 3_000),
      isInOrder(expression, after, 'noise', 3_000),
      isInOrder(expression, after, 'temp', 2_000),
    ]).toEqual([true, false, false])
  })

  it('raise what was true in between, over at once', () => {
    const { raised, after } = arrive(['temp 0 85', 'temp 10 50', 'temp 11 50'], ['noise 5 5'])
    expect(raised.map(({ transition, isOver }) => [transition.at, isOver])).toEqual([[5_000, true]])
    expect(after.standing).toBe(false)
  })

  it('raise what is still true, and it stands', () => {
    const { raised, after } = arrive(['temp 0 85', 'temp 10 85'], ['noise 5 5'])
    expect(raised.map(({ transition, isOver }) => [transition.at, isOver])).toEqual([[5_000, false]])
    expect(after).toMatchObject({ standing: true, evaluatedAt: 10_000 })
  })

  it('add no second alert to an excursion that had one', () => {
    const inTime = ['temp 0 85', 'noise 1 5', 'noise 9 1', 'noise 10 1']
    expect(arrive(inTime, ['noise 5 6', 'noise 0 5']).raised).toEqual([])
  })

  it('raise nothing while something stands, and clear nothing', () => {
    const { raised, after } = arrive(['temp 0 85', 'noise 1 5', 'noise 10 5'], ['noise 5 1', 'noise 6 1'])
    expect([raised, after.standing, after.normalCount]).toEqual([[], true, 0])
  })
})
