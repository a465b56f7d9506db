import { and, eq } from 'drizzle-orm'
import { first, owned, type TenantScope } from '../../../db/scope.ts'
import { SEVERITIES } from '../../../db/tables/alerts.ts'
import { machines } from '../../../db/tables/machines.ts'
import { NotFound, Unavailable, Unprocessable } from '../../../support/errors.ts'
import { routeFor } from '../../../support/http/route.ts'
import { FiniteNumber, Id, Instant, rangeEnd, text } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'
import type { ReadingStore } from '../../telemetry/readings/index.ts'
import { type BacktestAlert, type BacktestLimits, backtestComposite, backtestThresholds } from './backtest.ts'
import { ExpressionShape } from './composite/schemas.ts'
import { MUST_DIFFER } from './schemas.ts'

const DAY_MS = 86_400_000
const MOST_DAYS = 30
/** Of the answer; all are counted. */
const MOST_ALERTS = 1_000
/** Enough for some twenty million readings. */
const MOST_SECONDS = 40

const Backtest = z
  .object({
    machine_id: Id.nullish().describe('The machine to look at; absent or null: every machine. An expression needs one.'),
    metric_name: text(100).optional().describe('The metric of the thresholds; not together with an expression.'),
    warning_threshold: FiniteNumber.optional().describe('Beyond this value the rule would warn. Needed with `metric_name`.'),
    critical_threshold: FiniteNumber.optional().describe(
      'Beyond this value it would be critical. Needed with `metric_name`; it differs from `warning_threshold`.',
    ),
    expression: ExpressionShape.optional().describe('The expression of a composite rule, in place of thresholds.'),
    severity: z.enum(SEVERITIES).default('warning').describe('Of the alerts of an expression. Default: `warning`.'),
    start: rangeEnd('start')
      .optional()
      .describe('The begin, a date or datetime, at most 30 days before `end`. Default: 7 days before it.'),
    end: rangeEnd('end').optional().describe('The end, a date or datetime. Default: now.'),
  })
  .openapi('RuleBacktest', { example: { metric_name: 'vibration', warning_threshold: 4.5, critical_threshold: 7.1 } })

const AlertBody = z.object({
  machine_id: Id.describe('The machine that the alert would have been about.'),
  metric_name: z.string().describe('The metric that crossed its threshold.'),
  unit: z.string().describe('The unit of the values.'),
  severity: z.enum(SEVERITIES).describe('How serious the alert would have been.'),
  trigger_value: z.number().describe('The value that would have raised it.'),
  threshold_value: z.number().describe('The threshold that the value crossed.'),
  triggered_at: Instant.describe('Timestamp of the reading that would have raised it.'),
  cleared_at: Instant.nullable().describe('When the condition ended; null when it still held at the end.'),
})
const BacktestBody = z
  .object({
    start: Instant.describe('The begin of the readings that were evaluated.'),
    end: Instant.describe('Their end.'),
    alert_count: z.int().describe('How many alerts the rule would have raised.'),
    alerts: z.array(AlertBody).describe(`Oldest first; the first ${MOST_ALERTS.toLocaleString('en')} of them.`),
  })
  .openapi('RuleBacktestResult', {
    example: {
      start: '2026-01-24T12:00:00.000Z',
      end: '2026-01-31T12:00:00.000Z',
      alert_count: 1,
      alerts: [
        {
          machine_id: '0198c7d4-5a00-7000-8000-0000f5a48bee',
          metric_name: 'vibration',
          unit: 'mm/s',
          severity: 'critical',
          trigger_value: 7.4,
          threshold_value: 7.1,
          triggered_at: '2026-01-30T08:15:00.000Z',
          cleared_at: null,
        },
      ],
    },
  })

const present = (alert: BacktestAlert) => ({
  machine_id: alert.machineId,
  metric_name: alert.metric,
  unit: alert.unit,
  severity: alert.severity,
  trigger_value: alert.triggerValue,
  threshold_value: alert.threshold,
  triggered_at: new Date(alert.triggeredAt).toISOString(),
  cleared_at: alert.clearedAt === null ? null : new Date(alert.clearedAt).toISOString(),
})

/** @throws Unprocessable */
function periodOf({ start, end }: z.output<typeof Backtest>, now: Date) {
  const until = Math.min((end ?? now).getTime(), now.getTime())
  const from = start?.getTime() ?? until - 7 * DAY_MS
  if (from >= until) throw new Unprocessable([{ path: 'body.start', message: 'must be before end, and in the past' }])
  // a minute for whoever counts from now
  if (until - from > MOST_DAYS * DAY_MS + 60_000)
    throw new Unprocessable([{ path: 'body.start', message: `must be at most ${MOST_DAYS} days before end` }])
  return { from, until }
}

const required = (path: string) => new Unprocessable([{ path: `body.${path}`, message: 'is required' }])

async function run(
  store: ReadingStore,
  scope: TenantScope,
  body: z.output<typeof Backtest>,
  period: { from: number; until: number },
  limitMs: number,
  limits: BacktestLimits,
) {
  const { expression, severity, machine_id: machineId, metric_name: metric } = body
  if (machineId) {
    const one = and(owned(machines, scope), eq(machines.id, machineId))
    const machine = await scope.read((db) => db.select({ id: machines.id }).from(machines).where(one).then(first))
    if (!machine) throw new NotFound('machine', machineId)
  }
  if (expression) {
    if (!machineId) throw required('machine_id')
    if (metric !== undefined)
      throw new Unprocessable([
        { path: 'body.metric_name', message: 'belongs to thresholds: an expression names its own metrics' },
      ])
    return backtestComposite(store, scope, { machineId, expression, severity }, period, limitMs, limits)
  }
  const { warning_threshold: warning, critical_threshold: critical } = body
  if (metric === undefined) throw required('metric_name')
  if (warning === undefined) throw required('warning_threshold')
  if (critical === undefined) throw required('critical_threshold')
  if (warning === critical) throw new Unprocessable([{ path: 'body.critical_threshold', message: MUST_DIFFER }])
  return backtestThresholds(store, scope, { machineId: machineId ?? null, metric, warning, critical }, period, limits)
}

/** By tenant: how many are at it or wait, and the last of them. */
const turns = new Map<string, { waiting: number; last: Promise<unknown> }>()
const MOST_WAITING = 4

/**
 * One back-test of a tenant at a time: a processor has others to serve too.
 * @throws Unavailable when several wait already
 */
async function inTurn<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
  const turn = turns.get(tenantId) ?? { waiting: 0, last: Promise.resolve() }
  if (turn.waiting >= MOST_WAITING)
    throw new Unavailable('backtests_waiting', 'Several back-tests of this account are under way; try again when they are done.')
  turns.set(tenantId, turn)
  turn.waiting++
  const result = turn.last.then(work)
  turn.last = result
    .catch(() => {})
    .then(() => {
      if (--turn.waiting === 0) turns.delete(tenantId)
    })
  return result
}

/** @param offlineAfterSeconds a value older than this is unknown to an expression */
export const backtestRoutes = (store: ReadingStore, offlineAfterSeconds: number) => [
  routeFor<TenantScope>()(
    {
      method: 'post',
      path: '/alert-rules/backtest',
      access: 'any',
      tag: 'Alert rules',
      summary: 'Which alerts a rule would have raised',
      description:
        'Evaluates thresholds of a metric, or the expression of a composite rule, over up to 30 days of stored readings as they would have been evaluated live. Nothing is stored and nobody is notified. Send either `metric_name` with both thresholds, or `machine_id` with `expression`. It can take up to 45 seconds; back-tests of a tenant run one after the other.',
      body: Backtest,
      returns: BacktestBody,
      status: 200,
      seconds: MOST_SECONDS + 5,
      refuses: { 404: ['machine_not_found'], 503: ['backtests_waiting'] },
    },
    async ({ scope, body }) => {
      const period = periodOf(body, scope.clock.now())
      const endsAt = performance.now() + MOST_SECONDS * 1_000
      const limits = { most: MOST_ALERTS, endsAt }
      const found = await inTurn(scope.tenantId, () => run(store, scope, body, period, offlineAfterSeconds * 1_000, limits))
      const [start, end] = [new Date(period.from).toISOString(), new Date(period.until).toISOString()]
      return { start, end, alert_count: found.count, alerts: found.alerts.map(present) }
    },
  ),
]
