import type { TransactionSql } from '../../../db/pools.ts'
import { type RaisedAlert, shown } from '../../alerting/alerts/index.ts'
import {
  type CompositeState,
  type CompositeVerdict,
  type ConcernedComposite,
  evaluateComposite,
  isInTurn,
  judgeLateComposite,
  reachOf,
  type Sample,
  storedSamples,
} from '../../alerting/rules/index.ts'
import type { SeriesSpan } from '../readings/index.ts'
import { LATE_MS, points, type Verdicts } from './judge-flush.ts'
import type { Composites, FlushMachine, FlushSeries, Known } from './look-up.ts'
import type { FlushSpan, SortedFlush } from './sort-readings.ts'

/** A composite rule and the readings of a flush that it concerns. */
export interface WatchedComposite {
  composite: ConcernedComposite
  machine: FlushMachine
  spans: FlushSpan[]
  /** of each span */
  of: Map<FlushSpan, FlushSeries>
}

/** Stored readings that are judged again around a late one, at most. */
const MOST_STORED = 200_000

export function watchedComposites(
  known: Known,
  { spans }: SortedFlush,
  composites: ReadonlyMap<string, ConcernedComposite>,
): WatchedComposite[] {
  const watched = new Map<string, WatchedComposite>()
  for (const span of spans) {
    const of = known[span.place] as FlushSeries
    for (const ruleId of of.composites) {
      const each = watched.get(ruleId)
      if (!each) {
        const composite = composites.get(ruleId) as ConcernedComposite
        watched.set(ruleId, { composite, machine: of.machine, spans: [span], of: new Map([[span, of]]) })
      } else {
        each.spans.push(span)
        each.of.set(span, of)
      }
    }
  }
  return [...watched.values()]
}

/** Spans with readings that are not in turn, as far as anybody knows: which of them are new has to be asked, and what is stored around them. */
export function outOfTurn({ timestamps }: SortedFlush, watched: readonly WatchedComposite[]): Set<SeriesSpan> {
  const asked = new Set<SeriesSpan>()
  for (const { composite, spans, of } of watched)
    for (const span of spans) {
      const { metric, newest } = of.get(span) as FlushSeries
      const first = timestamps[span.from] as number
      if (
        first <= (newest?.timestamp ?? Number.NEGATIVE_INFINITY) ||
        !isInTurn(composite.expression, composite.state, metric, first)
      )
        asked.add(span)
    }
  return asked
}

/** What composite rules make of the readings that are new, and what is stored around those that are not in turn. */
interface Judged {
  watched: Pick<WatchedComposite, 'composite' | 'machine'>
  after: CompositeState
  verdicts: { verdict: CompositeVerdict; isOver: boolean }[]
}

/** Judges readings that are all in turn. */
export const judgeComposites = (readings: SortedFlush, watched: readonly WatchedComposite[], limitMs: number): Judged[] =>
  watched.map((each) =>
    judgeInTurn(
      each,
      each.composite.state,
      samplesOf(readings, each, () => null),
      limitMs,
    ),
  )

/** As {@link judgeComposites}, once the readings of the flush are stored; of spans {@link outOfTurn} the `fresh` ones are new. */
export async function judgeStoredComposites(
  tx: TransactionSql,
  readings: SortedFlush,
  watched: readonly WatchedComposite[],
  limitMs: number,
  older: { spans: ReadonlySet<SeriesSpan>; fresh: ReadonlySet<number> },
): Promise<Judged[]> {
  const judged: Judged[] = []
  for (const each of watched) {
    const { composite } = each
    const { expression, state } = composite
    const samples = samplesOf(readings, each, (span) => (older.spans.has(span) ? older.fresh : null))
    const [inTurn, late] = [samples.filter(isTurnOf(composite)), samples.filter((sample) => !isTurnOf(composite)(sample))]
    if (late.length === 0) {
      judged.push(judgeInTurn(each, state, inTurn, limitMs))
      continue
    }
    const { stored, isUntilNow } = await storedAround(tx, composite, late, limitMs)
    const lateNames = new Set(late.map(nameOf))
    const lateInstants = new Set(late.map(({ timestamp }) => timestamp))
    // names are made of few: most are stored at other instants
    const isLate = (sample: Sample) => lateInstants.has(sample.timestamp) && lateNames.has(nameOf(sample))
    const past = judgeLateComposite(expression, limitMs, state, stored, isLate, isUntilNow)
    const present = judgeInTurn(each, past.after, inTurn, limitMs)
    judged.push({ ...present, verdicts: [...past.raised, ...present.verdicts] })
  }
  return judged
}

/**
 * What is stored around late readings, as far as the rule reaches; where that is too much, at most half as far, and so on: what is near decides most.
 * @param late ascending
 */
async function storedAround(tx: TransactionSql, composite: ConcernedComposite, late: readonly Sample[], limitMs: number) {
  const { expression, state } = composite
  const [first, last] = [(late[0] as Sample).timestamp, (late.at(-1) as Sample).timestamp]
  const judgedAt = Math.max(state.judgedAt ?? last, state.pendingAt ?? last, last)
  for (let reach = reachOf(expression, limitMs); ; ) {
    const until = Math.min(judgedAt, last + reach)
    const stored = await storedSamples(tx, composite, first - reach, until, MOST_STORED)
    const isAll = stored.length < MOST_STORED
    if (isAll || reach === 0) return { stored, isUntilNow: isAll && until === judgedAt }
    // those are the oldest: how densely they lie tells how far is possible
    const share = ((stored.at(-1) as Sample).timestamp - (first - reach)) / (until - (first - reach))
    reach = Math.floor(reach * Math.min(share, 1 / 2))
  }
}

const isTurnOf =
  ({ expression, state }: ConcernedComposite) =>
  ({ metric, timestamp }: Sample) =>
    isInTurn(expression, state, metric, timestamp)
const nameOf = ({ metric, unit, timestamp }: Sample) => `${timestamp} ${metric}\u0000${unit}`

function judgeInTurn(watched: Judged['watched'], before: CompositeState, samples: readonly Sample[], limitMs: number): Judged {
  const { after, verdicts } = evaluateComposite(watched.composite.expression, limitMs, before, samples, 'live')
  return { watched, after, verdicts: verdicts.map((verdict) => ({ verdict, isOver: false })) }
}

/** The new readings that concern a rule, ascending by time. */
function samplesOf(
  readings: SortedFlush,
  { spans, of }: WatchedComposite,
  only: (span: FlushSpan) => ReadonlySet<number> | null,
): Sample[] {
  return spans
    .flatMap((span) => {
      const { metric, unit } = of.get(span) as FlushSeries
      return points(readings, span, only(span)).map((point) => ({ ...point, metric, unit }))
    })
    .sort((a, b) => a.timestamp - b.timestamp)
}

/** The alert of a composite rule: `Pump 2: Hot and loud (temperature is 84 celsius, > 80).` */
export function compositeAlert(
  { tenantId, ruleId, name, severity }: Pick<ConcernedComposite, 'tenantId' | 'ruleId' | 'name' | 'severity'>,
  machine: RaisedAlert['machine'],
  { at, input, condition }: CompositeVerdict & { kind: 'raise' },
): Omit<RaisedAlert, 'isLate' | 'isCleared'> {
  const [triggerValue, threshold] = [input.value, condition.value]
  const message = `${machine.name}: ${name} (${condition.metric} is ${shown({ triggerValue, threshold })} ${input.unit}, ${condition.op} ${threshold}).`
  const what = { metric: condition.metric, unit: input.unit, triggerValue, threshold }
  return { tenantId, machine, ruleId, severity, ...what, message, triggeredAt: at }
}

/** How composite rules stand once the flush has committed. */
export const afterwards = (composites: Composites, standing: ReadonlyMap<ConcernedComposite, CompositeState>): Composites =>
  new Map(
    [...composites].map(([ruleId, composite]) => {
      const state = standing.get(composite)
      return [ruleId, state ? { ...composite, state, version: composite.version + 1 } : composite]
    }),
  )

/** Adds what composite rules decided to what the others did. @returns how those stand now that were judged */
export function addComposites(
  { raised, cleared }: Verdicts,
  judged: readonly Judged[],
  now: Date,
): Map<ConcernedComposite, CompositeState> {
  const changed = new Map<ConcernedComposite, CompositeState>()
  for (const { watched, after, verdicts } of judged) {
    const { composite, machine } = watched
    if (after !== composite.state) changed.set(composite, after)
    const own = verdicts.flatMap(({ verdict, isOver }, i) =>
      verdict.kind === 'clear'
        ? []
        : [
            {
              ...compositeAlert(composite, machine, verdict),
              isLate: verdict.at < now.getTime() - LATE_MS,
              isCleared: isOver || verdicts.slice(i).some((later) => later.verdict.kind === 'clear'),
            },
          ],
    )
    raised.push(...own)
    if (verdicts.some(({ verdict }) => verdict.kind === 'clear')) cleared.push({ ...composite, unit: null })
  }
  return changed
}
