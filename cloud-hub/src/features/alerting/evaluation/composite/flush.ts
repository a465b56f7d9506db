import type { TransactionSql } from '../../../../db/pools.ts'
import type { Claimed, ReadingStore, SortedReadings } from '../../../../readings/index.ts'
import { displayValue } from '../../alerts/index.ts'
import { contextPointsOf, newIndexes } from '../context.ts'
import { isTooOldToNotify } from '../open-alerts.ts'
import type { CompositeMatch } from '../plan.ts'
import type { RaisedAlert, Transitions } from '../transitions.ts'
import { type CompositeState, type CompositeTransition, evaluateComposite, isInOrder, type Sample } from './evaluate.ts'
import { evaluateLateComposite, lateWindowMs } from './late.ts'
import type { CompositeRule } from './state.ts'
import { noteLateness } from './timer.ts'

/** Maximum of stored readings that are evaluated again around late ones. */
const MAX_STORED = 200_000

/** The new state of a composite rule and its transitions; `isOver`: the excursion of a late reading has ended. */
export interface EvaluatedComposite {
  match: Pick<CompositeMatch, 'composite' | 'machine'>
  after: CompositeState
  transitions: { transition: CompositeTransition; isOver: boolean }[]
}

/** Evaluates readings that are all new and in order. */
export const evaluateComposites = (
  readings: SortedReadings,
  matches: readonly CompositeMatch[],
  staleAfterMs: number,
  now: Date,
): EvaluatedComposite[] =>
  matches.map((match) => evaluateInOrder(match, match.composite.state, samplesOf(readings, match, null), staleAfterMs, now))

/** Like {@link evaluateComposites}, after the readings of the flush are stored: some may be late, or stored before. */
export async function evaluateClaimedComposites(
  tx: TransactionSql,
  store: Pick<ReadingStore, 'columnsByMetric'>,
  readings: SortedReadings,
  matches: readonly CompositeMatch[],
  staleAfterMs: number,
  claimed: Claimed,
  now: Date,
): Promise<EvaluatedComposite[]> {
  const evaluated: EvaluatedComposite[] = []
  for (const match of matches) {
    const { composite } = match
    const { expression, state } = composite
    const isSampleInOrder = ({ metric, timestamp }: Sample) => isInOrder(expression, state, metric, timestamp)
    const samples = samplesOf(readings, match, claimed)
    const [inOrder, late] = [samples.filter(isSampleInOrder), samples.filter((sample) => !isSampleInOrder(sample))]
    if (late.length === 0) {
      evaluated.push(evaluateInOrder(match, state, inOrder, staleAfterMs, now))
      continue
    }
    const { stored, isUntilNow } = await storedAround(tx, store, composite, late, staleAfterMs)
    const lateNames = new Set(late.map(nameOf))
    const lateInstants = new Set(late.map(({ timestamp }) => timestamp))
    // most samples are at other instants, so comparing instants first avoids building names
    const isLate = (sample: Sample) => lateInstants.has(sample.timestamp) && lateNames.has(nameOf(sample))
    const past = evaluateLateComposite(expression, staleAfterMs, state, stored, isLate, isUntilNow)
    const present = evaluateInOrder(match, past.after, inOrder, staleAfterMs, now)
    evaluated.push({ ...present, transitions: [...past.raised, ...present.transitions] })
  }
  return evaluated
}

/**
 * Loads the stored readings around late ones, within the time window of the rule. While there are too many, it at least halves
 * the window: near readings matter most.
 * @param late ascending
 */
async function storedAround(
  tx: TransactionSql,
  store: Pick<ReadingStore, 'columnsByMetric'>,
  composite: CompositeRule,
  late: readonly Sample[],
  staleAfterMs: number,
) {
  const { expression, state } = composite
  const [first, last] = [(late[0] as Sample).timestamp, (late.at(-1) as Sample).timestamp]
  const evaluatedAt = Math.max(state.evaluatedAt ?? last, state.pendingAt ?? last, last)
  for (let windowMs = lateWindowMs(expression, staleAfterMs); ; ) {
    const until = Math.min(evaluatedAt, last + windowMs)
    const stored = await storedSamples(tx, store, composite, first - windowMs, until)
    const isAll = stored.length < MAX_STORED
    if (isAll || windowMs === 0) return { stored, isUntilNow: isAll && until === evaluatedAt }
    // these are the oldest: their density gives a window that fits
    const share = ((stored.at(-1) as Sample).timestamp - (first - windowMs)) / (until - (first - windowMs))
    windowMs = Math.floor(windowMs * Math.min(share, 1 / 2))
  }
}

/** Readings of the metrics of a rule between two instants (Unix ms, both inclusive), ascending, the first {@link MAX_STORED}. */
async function storedSamples(
  tx: TransactionSql,
  store: Pick<ReadingStore, 'columnsByMetric'>,
  { tenantId, machineId, expression }: CompositeRule,
  from: number,
  until: number,
): Promise<Sample[]> {
  const metrics = expression.conditions.map((c) => c.metric)
  const series = await store.columnsByMetric(tx, { tenantId, machineId, metrics, from, until: until + 1 }, MAX_STORED)
  const samples = series.flatMap(({ metric, unit, length, times, values }) =>
    Array.from({ length }, (_, i): Sample => ({ metric, unit, timestamp: times[i] as number, value: values[i] as number })),
  )
  return samples.sort((a, b) => a.timestamp - b.timestamp).slice(0, MAX_STORED)
}

const nameOf = ({ metric, unit, timestamp }: Sample) => `${timestamp} ${metric}\u0000${unit}`

function evaluateInOrder(
  match: EvaluatedComposite['match'],
  before: CompositeState,
  samples: readonly Sample[],
  staleAfterMs: number,
  now: Date,
): EvaluatedComposite {
  const { expression, state } = match.composite
  const { after, transitions } = evaluateComposite(expression, staleAfterMs, before, samples, 'live')
  return {
    match,
    after: noteLateness(state, after, now.getTime()),
    transitions: transitions.map((transition) => ({ transition, isOver: false })),
  }
}

/** The new readings that concern a rule, ascending by time. */
function samplesOf(readings: SortedReadings, { spans }: CompositeMatch, claimed: Claimed | null): Sample[] {
  return [...spans]
    .flatMap(([span, { metric, unit }]) =>
      contextPointsOf(readings, span, newIndexes(claimed, span)).map((point) => ({ ...point, metric, unit })),
    )
    .sort((a, b) => a.timestamp - b.timestamp)
}

/** The alert of a composite rule: `Pump 2: Hot and loud (temperature is 84 celsius, > 80).` */
function compositeAlert(
  { tenantId, ruleId, name, severity }: Pick<CompositeRule, 'tenantId' | 'ruleId' | 'name' | 'severity'>,
  machine: RaisedAlert['machine'],
  { at, input, condition }: CompositeTransition & { kind: 'raise' },
): Omit<RaisedAlert, 'isTooOldToNotify' | 'isCleared'> {
  const [triggerValue, threshold] = [input.value, condition.value]
  const message = `${machine.name}: ${name} (${condition.metric} is ${displayValue(triggerValue, threshold)} ${input.unit}, ${condition.op} ${threshold}).`
  const what = { metric: condition.metric, unit: input.unit, triggerValue, threshold, comparison: condition.op, ruleName: name }
  return { tenantId, machine, ruleId, severity, ...what, message, triggeredAt: at }
}

/** Adds the transitions of composite rules to those of a flush. */
export function addCompositeTransitions(to: Transitions, evaluated: readonly EvaluatedComposite[], now: Date): void {
  for (const { match, after, transitions } of evaluated) {
    const { composite, machine } = match
    if (after !== composite.state) to.compositeStates.set(composite, after)
    const raised = transitions.flatMap(({ transition, isOver }, i) =>
      transition.kind === 'clear'
        ? []
        : [
            {
              ...compositeAlert(composite, machine, transition),
              isTooOldToNotify: isTooOldToNotify(transition.at, now),
              isCleared: isOver || transitions.slice(i).some((later) => later.transition.kind === 'clear'),
            },
          ],
    )
    to.raised.push(...raised)
    if (transitions.some(({ transition }) => transition.kind === 'clear')) to.cleared.push({ ...composite, unit: null })
  }
}
