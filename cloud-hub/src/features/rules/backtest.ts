import type { TenantScope } from '../../db/scope.ts'
import type { Severity } from '../../db/tables/alerts.ts'
import type { Expression } from '../../db/tables/composite-rules.ts'
import { Unprocessable } from '../../support/errors.ts'
import { storedSamples } from './composite/conditions.ts'
import { type CompositeState, evaluateComposite, FRESH } from './composite/evaluate.ts'
import { type Condition, evaluate, freshCondition } from './evaluate.ts'
import type { Point, Thresholds } from './level.ts'

/** An alert that a rule would have raised. */
export interface BacktestAlert {
  machineId: string
  metric: string
  unit: string
  severity: Severity
  triggerValue: number
  threshold: number
  /** Unix ms */
  triggeredAt: number
  /** Unix ms; null: it would still stand at the end */
  clearedAt: number | null
}

/** Unix ms, both inclusive. */
export interface Period {
  from: number
  until: number
}

/** What is asked of the database at once: more would hold up others. */
const THRESHOLD_CHUNK_MS = 2 * 86_400_000
const COMPOSITE_CHUNK_MS = 6 * 3_600_000
const MOST_SAMPLES = 500_000
const MOST_MS = 9_000

/** Ends a back-test in time to say so. */
function deadline(): () => void {
  const end = Date.now() + MOST_MS
  return () => {
    if (Date.now() > end)
      throw new Unprocessable([
        { path: 'body.start', message: 'there are too many readings to judge at once: shorten the period, or name a machine' },
      ])
  }
}

/** Adjoining pieces of a period, ascending. */
const chunks = ({ from, until }: Period, width: number): Period[] =>
  Array.from({ length: Math.ceil((until - from + 1) / width) }, (_, i) => ({
    from: from + i * width,
    until: Math.min(from + (i + 1) * width - 1, until),
  }))

/**
 * Judges the stored readings of a metric by thresholds, as the flush would have judged them in their order, from nothing.
 * @param machineId null: those of all active machines
 * @throws Unprocessable when it is too much for one request
 */
export async function backtestThresholds(
  scope: TenantScope,
  rule: Thresholds & { machineId: string | null; metric: string },
  period: Period,
): Promise<BacktestAlert[]> {
  const check = deadline()
  const series = await scope.rawRead(
    (tx) => tx<{ id: number; machineId: string; unit: string }[]>`
      select s.id, s.machine_id as "machineId", s.unit from series s join machines m on m.tenant_id = s.tenant_id and m.id = s.machine_id
      where s.tenant_id = ${scope.tenantId} and s.metric = ${rule.metric}
        and ${rule.machineId ? tx`m.id = ${rule.machineId}` : tx`m.is_active`} order by s.machine_id, s.unit`,
  )
  const alerts: BacktestAlert[] = []
  for (const { id, machineId, unit } of series) {
    let condition: Condition = freshCondition
    let standing: BacktestAlert[] = []
    for (const chunk of chunks(period, THRESHOLD_CHUNK_MS)) {
      check()
      for (const point of await tellingPoints(scope, id, rule, chunk)) {
        const { after, verdicts } = evaluate(rule, condition, null, [point])
        condition = after
        for (const verdict of verdicts) {
          if (verdict.kind === 'clear') {
            for (const alert of standing) alert.clearedAt = point.timestamp
            standing = []
            continue
          }
          const what = { machineId, metric: rule.metric, unit, severity: verdict.level, threshold: verdict.threshold }
          standing.push({ ...what, triggerValue: point.value, triggeredAt: point.timestamp, clearedAt: null })
          alerts.push(standing.at(-1) as BacktestAlert)
        }
      }
    }
  }
  return alerts.sort((a, b) => a.triggeredAt - b.triggeredAt)
}

/**
 * Readings of a series that can change how a rule stands: those beyond warning and the two after each, and the first two, because what came before
 * them is not looked at. What is left out is back where nothing stands.
 */
async function tellingPoints(scope: TenantScope, seriesId: number, rule: Thresholds, { from, until }: Period): Promise<Point[]> {
  const rows = await scope.rawRead((tx) => {
    const isBeyond = rule.critical > rule.warning ? tx`r.value > ${rule.warning}` : tx`r.value < ${rule.warning}`
    return tx<Point[]>`
      select (extract(epoch from ts) * 1000)::float8 as timestamp, value from (
        select ts, value, bool_or(${isBeyond}) over recent as is_telling, row_number() over (order by r.ts) as place
        from readings r join series s on s.id = r.series_id
        where s.tenant_id = ${scope.tenantId} and s.id = ${seriesId} and r.ts between ${new Date(from)} and ${new Date(until)}
        window recent as (order by r.ts rows between 2 preceding and current row)) judged
      where is_telling or place <= 2 order by ts limit ${MOST_SAMPLES + 1}`
  })
  if (rows.length > MOST_SAMPLES)
    throw new Unprocessable([{ path: 'body.warning_threshold', message: 'almost every reading is beyond it' }])
  return rows
}

/** As {@link backtestThresholds}, for an expression on the metrics of one machine. @param limitMs a value older than this is unknown */
export async function backtestComposite(
  scope: TenantScope,
  { machineId, expression, severity }: { machineId: string; expression: Expression; severity: Severity },
  period: Period,
  limitMs: number,
): Promise<BacktestAlert[]> {
  const check = deadline()
  const alerts: BacktestAlert[] = []
  let state: CompositeState = FRESH
  for (const chunk of chunks(period, COMPOSITE_CHUNK_MS)) {
    check()
    const of = { tenantId: scope.tenantId, machineId, expression }
    const samples = await scope.rawRead((tx) => storedSamples(tx, of, chunk.from, chunk.until, MOST_SAMPLES + 1))
    if (samples.length > MOST_SAMPLES)
      throw new Unprocessable([{ path: 'body.expression', message: 'its metrics have too many readings to judge' }])
    const { after, verdicts } = evaluateComposite(expression, limitMs, state, samples)
    state = after
    for (const verdict of verdicts) {
      if (verdict.kind === 'clear') {
        for (const alert of alerts) alert.clearedAt ??= verdict.at
        continue
      }
      const { condition, input } = verdict
      const what = { machineId, metric: condition.metric, unit: input.unit, severity, threshold: condition.value }
      alerts.push({ ...what, triggerValue: input.value, triggeredAt: verdict.at, clearedAt: null })
    }
  }
  return alerts
}
