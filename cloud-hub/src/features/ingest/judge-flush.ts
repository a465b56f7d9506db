import type { TransactionSql } from '../../db/pools.ts'
import type { RaisedAlert } from '../alerts/index.ts'
import type { SeriesSpan } from '../readings/index.ts'
import { type ConcernedRule, type Condition, evaluate, lateReadings, type Point, type Surroundings } from '../rules/index.ts'
import type { FlushDeps } from './flush.ts'
import { lateSurroundings } from './late-surroundings.ts'
import type { FlushSeries, Known } from './look-up.ts'
import type { FlushSpan, SortedFlush } from './sort-readings.ts'

/** Readings that arrive later than this after they were taken raise alerts that say so and page nobody. */
const LATE_MS = 15 * 60_000

/** What the rules make of a flush. */
export interface Verdicts {
  changed: (ConcernedRule & { after: Condition })[]
  raised: RaisedAlert[]
  cleared: ConcernedRule[]
}

interface Watched {
  rule: ConcernedRule
  of: FlushSeries
  span: FlushSpan
}

/**
 * Stores the readings and lets the rules judge those that are new. A reading newer than any stored is new for certain, so live readings are
 * judged before the database has answered; only where a batch holds older ones it is asked which of them it did not have.
 */
export async function storeAndJudge(
  tx: TransactionSql,
  { store, clock }: Pick<FlushDeps, 'store' | 'clock'>,
  { series, rules }: Known,
  readings: SortedFlush,
): Promise<Verdicts> {
  const spanOf = new Map(readings.spans.map((span) => [span.place, span]))
  const watched: Watched[] = []
  for (const rule of rules) {
    const span = spanOf.get(rule.place)
    if (span) watched.push({ rule, of: series[rule.place] as FlushSeries, span })
  }
  const asked = withOlderReadings(readings, watched)
  const around = await lateAround(tx, readings, watched, asked)
  const fresh = await store.append(tx, readings, asked)
  const pointsOf = (span: FlushSpan): Point[] => points(readings, span, asked.has(span) ? fresh : null)
  return judge(watched, pointsOf, around, clock.now())
}

/** Spans that begin no later than what is stored, as far as anybody knows now that the conditions are locked. */
function withOlderReadings({ timestamps }: SortedFlush, watched: readonly Watched[]): Set<SeriesSpan> {
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

/** The readings of a span, one per instant; those in `only`, if given. */
function points({ timestamps, values }: SortedFlush, { from, to }: FlushSpan, only: ReadonlySet<number> | null): Point[] {
  const result: Point[] = []
  for (let i = from; i < to; i++) {
    if (only ? !only.has(i) : i > from && timestamps[i] === timestamps[i - 1]) continue
    result.push({ timestamp: timestamps[i] as number, value: values[i] as number })
  }
  return result
}

function judge(
  watched: readonly Watched[],
  pointsOf: (span: FlushSpan) => Point[],
  around: ReadonlyMap<Watched, Surroundings[]>,
  now: Date,
): Verdicts {
  const result: Verdicts = { changed: [], raised: [], cleared: [] }
  for (const each of watched) {
    const { rule, of, span } = each
    const fresh = pointsOf(span)
    if (fresh.length === 0) continue
    const { after, verdicts } = evaluate(rule, rule.condition, of.newest, fresh, around.get(each))
    result.changed.push({ ...rule, after })
    for (const verdict of verdicts) {
      if (verdict.kind === 'clear') {
        result.cleared.push(rule)
        for (const alert of result.raised)
          if (alert.ruleId === rule.ruleId && alert.machine.id === rule.machineId && alert.unit === rule.unit)
            alert.isCleared = true
        continue
      }
      result.raised.push({
        tenantId: of.tenantId,
        machine: of.machine,
        ruleId: rule.ruleId,
        unit: of.unit,
        metric: of.metric,
        severity: verdict.level,
        triggerValue: verdict.point.value,
        threshold: verdict.threshold,
        isHigh: rule.critical > rule.warning,
        triggeredAt: verdict.point.timestamp,
        isLate: verdict.point.timestamp < now.getTime() - LATE_MS,
        isCleared: verdict.clearedAtOnce,
      })
    }
  }
  return result
}

/** What is stored around the late readings of a flush. */
async function lateAround(
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
export function newestByMachine(series: readonly FlushSeries[], { spans, timestamps }: SortedFlush) {
  const newest = new Map<string, { tenantId: string; machineId: string; newestAt: number }>()
  for (const { place, to } of spans) {
    const { tenantId, machine } = series[place] as FlushSeries
    const at = timestamps[to - 1] as number
    const known = newest.get(machine.id)
    if (!known) newest.set(machine.id, { tenantId, machineId: machine.id, newestAt: at })
    else if (at > known.newestAt) known.newestAt = at
  }
  return [...newest.values()]
}
