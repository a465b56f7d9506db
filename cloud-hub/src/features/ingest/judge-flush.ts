import type { TransactionSql } from '../../db/pools.ts'
import { openAlerts, type RaisedAlert } from '../alerts/index.ts'
import { followReadings } from '../machines/index.ts'
import type { StoredReading } from '../readings/index.ts'
import {
  type ConcernedRule,
  type Condition,
  evaluate,
  lateCrossings,
  lockConcernedRules,
  type Point,
  saveConditions,
} from '../rules/index.ts'
import type { FlushDeps } from './flush.ts'
import type { FlushSeries } from './resolve-series.ts'

/** Readings that arrive later than this after they were taken raise alerts that say so and page nobody. */
const LATE_MS = 15 * 60_000

type Row = StoredReading & { place: number }

/** Stores the readings and lets the rules judge those that are new. */
export async function judgeFlush(
  tx: TransactionSql,
  deps: FlushDeps,
  series: readonly FlushSeries[],
  rows: readonly Row[],
): Promise<void> {
  const rules = await lockConcernedRules(tx, series)
  const watched = new Set(rules.map((rule) => (series[rule.ord] as FlushSeries).seriesId))
  const neighbours = await lateNeighbours(tx, series, rules, rows)
  const fresh = await deps.store.append(tx, rows, watched)

  const now = deps.clock.now()
  const freshOf = new Map<number, Point[]>()
  for (const i of [...fresh].sort((a, b) => a - b)) {
    const { seriesId, timestamp, value } = rows[i] as Row
    const points = freshOf.get(seriesId)
    if (points) points.push({ timestamp, value })
    else freshOf.set(seriesId, [{ timestamp, value }])
  }
  const changed: (ConcernedRule & { after: Condition })[] = []
  const raised: RaisedAlert[] = []
  const cleared: ConcernedRule[] = []
  for (const rule of rules) {
    const of = series[rule.ord] as FlushSeries
    const points = freshOf.get(of.seriesId)
    if (!points) continue
    const { after, verdicts } = evaluate(rule, rule.condition, of.newest, points, neighbours.get(of.seriesId))
    changed.push({ ...rule, after })
    for (const verdict of verdicts) {
      if (verdict.kind === 'clear') {
        cleared.push(rule)
        for (const alert of raised)
          if (alert.ruleId === rule.ruleId && alert.machineId === rule.machineId && alert.unit === rule.unit)
            alert.isCleared = true
      } else {
        raised.push({
          tenantId: of.tenantId,
          machineId: of.machineId,
          machineName: of.machineName,
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
  }
  await saveConditions(tx, changed)
  await openAlerts(tx, now, raised, cleared)
  await followReadings(tx, now, deps.machineOfflineAfterSeconds, newestByMachine(series, rows))
}

/** For late readings beyond a threshold: what is stored around them, two on either side, by series. */
async function lateNeighbours(
  tx: TransactionSql,
  series: readonly FlushSeries[],
  rules: readonly ConcernedRule[],
  rows: readonly Row[],
): Promise<Map<number, Point[]>> {
  const wanted = new Set<string>()
  const watched = new Map<number, Point[]>(rules.map((rule) => [(series[rule.ord] as FlushSeries).seriesId, []]))
  for (const row of rows) watched.get(row.seriesId)?.push(row)
  for (const rule of rules) {
    const of = series[rule.ord] as FlushSeries
    for (const at of lateCrossings(rule, rule.condition, of.newest, watched.get(of.seriesId) ?? []))
      wanted.add(`${of.seriesId} ${at}`)
  }
  const result = new Map<number, Point[]>()
  if (wanted.size === 0) return result
  const pairs = [...wanted].map((name) => name.split(' ') as [string, string])
  const found = await tx<{ seriesId: number; ts: Date; value: number }[]>`
    select distinct w.s as "seriesId", n.ts, n.value
    from (select s, to_timestamp(t / 1000) as at from unnest(${`{${pairs.map(([s]) => s).join()}}`}::text::int[], ${`{${pairs.map(([, t]) => t).join()}}`}::text::float8[]) w(s, t)) w
    cross join lateral (
      (select ts, value from readings where series_id = w.s and ts <= w.at order by ts desc limit 2)
      union all
      (select ts, value from readings where series_id = w.s and ts > w.at order by ts limit 2)) n
    order by 1, 2`
  for (const { seriesId, ts, value } of found) {
    const points = result.get(seriesId) ?? []
    points.push({ timestamp: ts.getTime(), value })
    result.set(seriesId, points)
  }
  return result
}

/** The newest reading of each machine of a flush. */
function newestByMachine(series: readonly FlushSeries[], rows: readonly Row[]) {
  const newest = new Map<string, { tenantId: string; machineId: string; newestAt: number; machine: FlushSeries['machine'] }>()
  for (const row of rows) {
    const { tenantId, machineId, machine } = series[row.place] as FlushSeries
    const known = newest.get(machineId)
    if (!known) newest.set(machineId, { tenantId, machineId, newestAt: row.timestamp, machine })
    else if (row.timestamp > known.newestAt) known.newestAt = row.timestamp
  }
  return [...newest.values()]
}
