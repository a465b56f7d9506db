import { setImmediate } from 'node:timers/promises'
import type { Severity } from '../../../db/enums.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { Expression } from '../../../db/tables/composite-rules.ts'
import type { ReadingStore, WalkedReading } from '../../../readings/index.ts'
import { fieldError, Unprocessable } from '../../../support/errors.ts'
import {
  type CompositeState,
  type CompositeTransition,
  completeComposite,
  completionOf,
  evaluateComposite,
  evaluateThreshold,
  INITIAL_COMPOSITE_STATE,
  INITIAL_THRESHOLD_STATE,
  levelOf,
  type ThresholdState,
  type Thresholds,
} from '../evaluation/index.ts'

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
  /** Unix ms; null: it is not cleared at the end of the period */
  clearedAt: number | null
}

/** Unix ms, both inclusive. */
export interface Period {
  from: number
  until: number
}

/** The result of a back-test: the first alerts, oldest first, and their counts. */
export interface BacktestResult {
  count: number
  alerts: BacktestAlert[]
}

type Store = Pick<ReadingStore, 'walk'>

/** Number of readings that are evaluated before other requests may run: a few milliseconds. */
const SLICE = 10_000
/** Maximum of alerts kept in memory before later ones are dropped. */
const MAX_KEPT_ALERTS = 20_000

/** Collects alerts as they are found, which is one series after the other. */
class AlertCollector {
  count = 0
  readonly #max: number
  #alerts: BacktestAlert[] = []

  constructor(max: number) {
    this.#max = max
  }

  add(alert: BacktestAlert): void {
    this.count++
    this.#alerts.push(alert)
    if (this.#alerts.length >= MAX_KEPT_ALERTS) this.#alerts = this.first()
  }

  first(): BacktestAlert[] {
    return this.#alerts.sort((a, b) => a.triggeredAt - b.triggeredAt).slice(0, this.#max)
  }
}

/**
 * The readings of some series in slices that do not divide an instant. Between two slices other requests may run, and the time
 * limit is checked.
 * @param endsAt by `performance.now()`
 * @param placeOf describes the position of a reading for the error message
 * @throws Unprocessable after the time limit
 */
async function* slices(
  store: Store,
  scope: TenantScope,
  seriesIds: readonly number[],
  { from, until }: Period,
  endsAt: number,
  placeOf: (at: number) => string,
) {
  if (performance.now() > endsAt) throw tooMuch(placeOf(from))
  let held: WalkedReading[] = []
  for await (const steps of store.walk(scope, seriesIds, from, until)) {
    held = held.length > 0 ? [...held, ...steps] : steps
    let begin = 0
    for (let end = beginOfInstant(held, SLICE); end > begin; end = beginOfInstant(held, begin + SLICE)) {
      yield held.slice(begin, end)
      await setImmediate()
      begin = end
      if (performance.now() > endsAt) throw tooMuch(placeOf((held[begin - 1] as WalkedReading).at))
    }
    held = held.slice(begin)
  }
  if (held.length > 0) yield held
}

/** The index of the first reading at the instant of the reading at `place`, or of the last one. */
function beginOfInstant(steps: readonly WalkedReading[], place: number): number {
  let begin = Math.min(place, steps.length - 1)
  while (begin > 0 && (steps[begin - 1] as WalkedReading).at === (steps[begin] as WalkedReading).at) begin--
  return begin
}

/** @param reached how far the back-test came, for the error message */
function tooMuch(reached: string): Unprocessable {
  const message = `there are too many readings to evaluate in one request (evaluated up to ${reached}): shorten the period, or name a machine`
  return new Unprocessable([fieldError('body.start', 'too_much_to_evaluate', {}, message)])
}

const byTime = (at: number) => new Date(at).toISOString()

interface Series {
  id: number
  machineId: string
  metric: string
  unit: string
}

const seriesOf = (scope: TenantScope, metrics: readonly string[], machineId: string | null): Promise<Series[]> =>
  scope.read(
    (tx) => tx<Series[]>`
      select s.id, s.machine_id as "machineId", s.metric, s.unit from series s join machines m on m.tenant_id = s.tenant_id and m.id = s.machine_id
      where s.tenant_id = ${scope.tenantId} and s.metric = any(${[...metrics]}::text[])
        and ${machineId ? tx`m.id = ${machineId}` : tx`m.is_active`} order by s.machine_id, s.unit, s.metric`,
  )

/** @param max maximum of alerts to return @param endsAt by `performance.now()` */
export interface BacktestLimits {
  max: number
  endsAt: number
}

/**
 * Evaluates the stored readings of a metric by thresholds, in order and from the initial state, as a flush does.
 * @param machineId null: those of all active machines
 * @throws Unprocessable when it is too much for one request
 */
export async function backtestThresholds(
  store: Store,
  scope: TenantScope,
  rule: Thresholds & { machineId: string | null; metric: string },
  period: Period,
  { max, endsAt }: BacktestLimits,
): Promise<BacktestResult> {
  const collector = new AlertCollector(max)
  const series = await seriesOf(scope, [rule.metric], rule.machineId)
  for (const [place, { id, machineId, unit }] of series.entries()) {
    const placeOf = (at: number) => (series.length === 1 ? byTime(at) : `series ${place + 1} of ${series.length}`)
    let condition: ThresholdState = INITIAL_THRESHOLD_STATE
    let standing: BacktestAlert[] = []
    for await (const steps of slices(store, scope, [id], period, endsAt, placeOf))
      for (const { at, value } of steps) {
        if (condition.standing === 'normal' && levelOf(value, rule) === 'normal') continue
        const { after, transitions } = evaluateThreshold(rule, condition, null, [{ timestamp: at, value }])
        condition = after
        for (const transition of transitions) {
          if (transition.kind === 'clear') {
            for (const alert of standing) alert.clearedAt = at
            standing = []
            continue
          }
          const what = { machineId, metric: rule.metric, unit, severity: transition.level, threshold: transition.threshold }
          const alert = { ...what, triggerValue: value, triggeredAt: at, clearedAt: null }
          standing.push(alert)
          collector.add(alert)
        }
      }
  }
  return { count: collector.count, alerts: collector.first() }
}

/** Like {@link backtestThresholds}, with the expression of a composite rule. */
export async function backtestComposite(
  store: Store,
  scope: TenantScope,
  { machineId, expression, severity }: { machineId: string; expression: Expression; severity: Severity },
  period: Period,
  staleAfterMs: number,
  { max, endsAt }: BacktestLimits,
): Promise<BacktestResult> {
  const collector = new AlertCollector(max)
  const series = await seriesOf(
    scope,
    expression.conditions.map(({ metric }) => metric),
    machineId,
  )
  const ids = series.map(({ id }) => id)
  let state: CompositeState = INITIAL_COMPOSITE_STATE
  let standing: BacktestAlert | null = null
  const note = (transitions: readonly CompositeTransition[]) => {
    for (const transition of transitions) {
      if (transition.kind === 'clear') {
        if (standing) standing.clearedAt = transition.at
        continue
      }
      const { condition, input } = transition
      const what = { machineId, metric: condition.metric, unit: input.unit, severity, threshold: condition.value }
      standing = { ...what, triggerValue: input.value, triggeredAt: transition.at, clearedAt: null }
      collector.add(standing)
    }
  }
  for await (const steps of slices(store, scope, ids, period, endsAt, byTime)) {
    const samples = steps.map(({ series: index, at, value }) => {
      const { metric, unit } = series[index] as Series
      return { metric, unit, timestamp: at, value }
    })
    const { after, transitions } = evaluateComposite(expression, staleAfterMs, state, samples)
    state = after
    note(transitions)
  }
  // after the last reading a duration may still complete
  const completion = completionOf(expression, staleAfterMs, state)
  if (completion !== null && completion <= period.until)
    note(completeComposite(expression, staleAfterMs, state, completion).transitions)
  return { count: collector.count, alerts: collector.first() }
}
