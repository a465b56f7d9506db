import type { TransactionSql } from '../../../db/pools.ts'
import { type RaisedAlert, type Standing, thresholdMessage } from '../../alerting/alerts/index.ts'
import {
  type ConcernedRule,
  type Condition,
  evaluate,
  lateReadings,
  type Point,
  type Surroundings,
} from '../../alerting/rules/index.ts'
import type { SeriesSpan } from '../readings/index.ts'
import { lateSurroundings } from './late-surroundings.ts'
import type { FlushSeries, Known } from './look-up.ts'
import type { FlushSpan, SortedFlush } from './sort-readings.ts'

/** Readings that arrive later than this after they were taken raise alerts that say so and page nobody. */
export const LATE_MS = 15 * 60_000

/** A rule and the readings of a flush that it concerns. */
export interface Watched {
  rule: ConcernedRule
  of: FlushSeries
  span: FlushSpan
}

/** What the rules make of a flush. */
export interface Verdicts {
  changed: Map<ConcernedRule, Condition>
  raised: RaisedAlert[]
  cleared: Standing[]
}

export const watchedIn = (known: Known, { spans }: SortedFlush): Watched[] =>
  spans.flatMap((span) => {
    const of = known[span.place] as FlushSeries
    return of.rules.map((rule) => ({ rule, of, span }))
  })

/**
 * Spans that rules concern and that begin no later than what is stored, as far as anybody knows now that the conditions are locked: only of
 * these has the database to be asked which readings are new. A reading newer than any stored is new for certain.
 */
export function withOlderReadings({ timestamps }: SortedFlush, watched: readonly Watched[]): Set<SeriesSpan> {
  const asked = new Set<SeriesSpan>()
  for (const { rule, of, span } of watched) {
    // a flush that stored newer readings after the look-up began has judged them: its condition says how far
    const storedTo = Math.max(
      of.newest?.timestamp ?? Number.NEGATIVE_INFINITY,
      rule.condition.judgedAt ?? Number.NEGATIVE_INFINITY,
    )
    if ((timestamps[span.from] as number) <= storedTo) asked.add(span)
  }
  return asked
}

/**
 * Judges the readings that are new.
 * @param older spans {@link withOlderReadings}: which of their readings are new, and what is stored around late ones
 */
export function judge(
  readings: SortedFlush,
  watched: readonly Watched[],
  now: Date,
  older?: { spans: ReadonlySet<SeriesSpan>; fresh: ReadonlySet<number>; around: ReadonlyMap<Watched, Surroundings[]> },
): Verdicts {
  const result: Verdicts = { changed: new Map(), raised: [], cleared: [] }
  for (const each of watched) {
    const { rule, of, span } = each
    const its = points(readings, span, older?.spans.has(span) ? older.fresh : null)
    if (its.length === 0) continue
    const { after, verdicts } = evaluate(rule, rule.condition, of.newest, its, older?.around.get(each))
    result.changed.set(rule, after)
    for (const verdict of verdicts) {
      if (verdict.kind === 'clear') {
        result.cleared.push(rule)
        for (const alert of result.raised)
          if (alert.ruleId === rule.ruleId && alert.machine.id === rule.machineId && alert.unit === rule.unit)
            alert.isCleared = true
        continue
      }
      const alert = {
        tenantId: of.tenantId,
        machine: of.machine,
        ruleId: rule.ruleId,
        unit: of.unit,
        metric: of.metric,
        severity: verdict.level,
        triggerValue: verdict.point.value,
        threshold: verdict.threshold,
        triggeredAt: verdict.point.timestamp,
        isLate: verdict.point.timestamp < now.getTime() - LATE_MS,
        isCleared: verdict.clearedAtOnce,
      }
      result.raised.push({ ...alert, message: thresholdMessage(alert, rule.critical > rule.warning) })
    }
  }
  return result
}

/** The readings of a span, one per instant; those in `only`, if given. */
export function points({ timestamps, values }: SortedFlush, { from, to }: FlushSpan, only: ReadonlySet<number> | null): Point[] {
  const result: Point[] = []
  for (let i = from; i < to; i++) {
    if (only ? !only.has(i) : i > from && timestamps[i] === timestamps[i - 1]) continue
    result.push({ timestamp: timestamps[i] as number, value: values[i] as number })
  }
  return result
}

/** What is stored around the late readings of a flush. Before the readings are stored. */
export async function lateAround(
  tx: TransactionSql,
  readings: SortedFlush,
  watched: readonly Watched[],
  asked: ReadonlySet<SeriesSpan>,
): Promise<Map<Watched, Surroundings[]>> {
  const concerned = watched
    .filter(({ span }) => asked.has(span))
    .map((each) => ({ each, late: lateReadings(each.rule.condition, each.of.newest, points(readings, each.span, null)) }))
    .filter(({ late }) => late.length > 0)
  if (concerned.length === 0) return new Map()
  const found = await lateSurroundings(
    tx,
    concerned.map(({ each, late }) => ({ ...each.rule, tenantId: each.of.tenantId, seriesId: each.of.seriesId, late })),
  )
  return new Map(concerned.map(({ each }, i) => [each, found[i] as Surroundings[]]))
}

/** The newest reading of each machine of a flush. */
export function newestByMachine(known: Known, { spans, timestamps }: SortedFlush) {
  const newest = new Map<string, { tenantId: string; machineId: string; newestAt: number }>()
  for (const { place, to } of spans) {
    const { tenantId, machine } = known[place] as FlushSeries
    const at = timestamps[to - 1] as number
    const heard = newest.get(machine.id)
    if (!heard) newest.set(machine.id, { tenantId, machineId: machine.id, newestAt: at })
    else if (at > heard.newestAt) heard.newestAt = at
  }
  return [...newest.values()]
}

/** What is known once the flush has committed. */
export function learned(known: Known, { spans, timestamps, values }: SortedFlush, { changed }: Verdicts): Known {
  const after = [...known]
  for (const { place, from, to, newestAt, judged } of spans) {
    const of = known[place] as FlushSeries
    let at = to - 1
    while (at > from && timestamps[at - 1] === timestamps[at]) at--
    const isNewest = (timestamps[at] as number) > newestAt
    const newest = isNewest ? { timestamp: timestamps[at] as number, value: values[at] as number } : of.newest
    const isAnomalous = isNewest ? judged?.isAnomalous === true : of.isAnomalous
    after[place] = {
      ...of,
      newest,
      isAnomalous,
      rules: of.rules.map((rule) => ({ ...rule, condition: changed.get(rule) ?? rule.condition })),
    }
  }
  return after
}
