import type { TenantScope } from '../../../db/scope.ts'
import type { ReadingStore } from '../../../readings/index.ts'
import { fieldError, Unavailable, Unprocessable } from '../../../support/errors.ts'
import { routeFor } from '../../../support/http/route.ts'
import type { z } from '../../../support/http/z.ts'
import { Turns } from '../../../support/turns.ts'
import { type BacktestAlert, type BacktestLimits, backtestComposite, backtestThresholds } from './backtest.ts'
import { Backtest, BacktestBody, MAX_ALERTS } from './backtest-schemas.ts'
import { requireMachine } from './repository.ts'

const DAY_MS = 86_400_000
const MAX_DAYS = 30
/** Time limit of a back-test, enough for some twenty million readings. */
const MAX_SECONDS = 40

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
  if (from >= until)
    throw new Unprocessable([fieldError('body.start', 'not_before', { other: 'end' }, 'must be before end, and in the past')])
  // clients that compute the start from the current time may be a minute off
  if (until - from > MAX_DAYS * DAY_MS + 60_000)
    throw new Unprocessable([
      fieldError('body.start', 'max_range_days', { days: MAX_DAYS }, `must be at most ${MAX_DAYS} days before end`),
    ])
  return { from, until }
}

const required = (path: string) => new Unprocessable([fieldError(`body.${path}`, 'required')])

async function run(
  store: ReadingStore,
  scope: TenantScope,
  body: z.output<typeof Backtest>,
  period: { from: number; until: number },
  limitMs: number,
  limits: BacktestLimits,
) {
  const { expression, severity, machine_id: machineId, metric_name: metric } = body
  if (machineId) await scope.read((sql) => requireMachine(sql, scope, machineId))
  if (expression) {
    if (!machineId) throw required('machine_id')
    if (metric !== undefined)
      throw new Unprocessable([
        fieldError(
          'body.metric_name',
          'exclusive',
          { other: 'expression' },
          'belongs to thresholds: an expression names its own metrics',
        ),
      ])
    return backtestComposite(store, scope, { machineId, expression, severity }, period, limitMs, limits)
  }
  const { warning_threshold: warning, critical_threshold: critical } = body
  if (metric === undefined) throw required('metric_name')
  if (warning === undefined) throw required('warning_threshold')
  if (critical === undefined) throw required('critical_threshold')
  if (warning === critical) throw new Unprocessable([fieldError('body.critical_threshold', 'equal_thresholds')])
  return backtestThresholds(store, scope, { machineId: machineId ?? null, metric, warning, critical }, period, limits)
}

/** One back-test of a tenant at a time, and few of all tenants, so that they do not occupy the processor. */
const turns = new Turns({
  slots: 3,
  perTenant: 1,
  waitingPerTenant: 3,
  waitMs: (MAX_SECONDS * 1_000) / 2,
  refusal: () =>
    new Unavailable('backtests_waiting', 'Several back-tests are running or waiting; try again when they have ended.'),
})

/** @param offlineAfterSeconds age after which a value is unknown to an expression */
export const backtestRoutes = (store: ReadingStore, offlineAfterSeconds: number) => [
  routeFor<TenantScope>()(
    {
      method: 'post',
      path: '/alert-rules/backtest',
      operation: 'backtestAlertRule',
      isTrial: true,
      access: 'any',
      tag: 'Alert rules',
      summary: 'Which alerts a rule would have raised',
      description:
        'Evaluates thresholds of a metric, or the expression of a composite rule, over up to 30 days of stored readings as they would have been evaluated live. Nothing is stored and nobody is notified. Send either `metric_name` with both thresholds, or `machine_id` with `expression`. It can take up to 45 seconds; the time includes the wait for a turn. Back-tests of a tenant run one after the other, three of all tenants at once, and tenants take turns.',
      body: Backtest,
      returns: BacktestBody,
      status: 200,
      seconds: MAX_SECONDS + 5,
      refuses: { 404: ['machine_not_found'], 503: ['backtests_waiting'] },
    },
    async ({ scope, body, request }) => {
      const period = periodOf(body, scope.clock.now())
      const endsAt = performance.now() + MAX_SECONDS * 1_000
      const limits = { max: MAX_ALERTS, endsAt }
      const found = await turns.run(
        scope.tenantId,
        () => run(store, scope, body, period, offlineAfterSeconds * 1_000, limits),
        request.signal,
      )
      const [start, end] = [new Date(period.from).toISOString(), new Date(period.until).toISOString()]
      return { start, end, alert_count: found.count, alerts: found.alerts.map(present) }
    },
  ),
]
