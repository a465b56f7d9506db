import type { TransactionSql } from '../../../../db/pools.ts'
import type { Severity } from '../../../../db/tables/alerts.ts'
import type { Expression } from '../../../../db/tables/composite-rules.ts'
import { columnsOf, type SentColumns } from '../../../telemetry/readings/index.ts'
import { type CompositeState, completionOf, holdsUntil, type Sample } from './evaluate.ts'

/** An active composite rule that concerns a machine, and how it stands. */
export interface ConcernedComposite {
  tenantId: string
  ruleId: string
  machineId: string
  name: string
  severity: Severity
  expression: Expression
  state: CompositeState
  /** of the state's row */
  version: number
}

/** A rule and its state as one JSON text, for statements that answer rows of other kinds too; `r` and `c` are their tables. */
export const compositeColumns = (tx: TransactionSql) => tx`
  jsonb_build_object('name', r.name, 'severity', r.severity, 'expression', r.expression, 'standing', c.standing, 'backCount', c.back_count,
    'judgedAt', extract(epoch from c.judged_at) * 1000, 'pendingAt', extract(epoch from c.pending_at) * 1000, 'inputs', c.inputs, 'version', c.version)::text`

/** Reads {@link compositeColumns}. */
export function concernedComposite(
  key: Pick<ConcernedComposite, 'tenantId' | 'ruleId' | 'machineId'>,
  text: string,
): ConcernedComposite {
  const { name, severity, expression, version, standing, backCount, inputs, ...at } = JSON.parse(text) as Pick<
    ConcernedComposite,
    'name' | 'severity' | 'expression' | 'version'
  > &
    CompositeState
  const [judgedAt, pendingAt] = [at.judgedAt, at.pendingAt].map((ms) => (ms === null ? null : Math.round(ms))) as [
    number | null,
    number | null,
  ]
  // a hub of the version before evaluates and leaves the column as it is
  const isPending = pendingAt !== null && pendingAt >= (judgedAt ?? pendingAt)
  const state = { standing, backCount, judgedAt, pendingAt: isPending ? pendingAt : null, inputs }
  return { ...key, name, severity, expression, version, state }
}

/**
 * Writes back how composite rules stand. Sent and not waited for: a failure fails the transaction.
 * @param areRemembered they were not locked before: each has to be as it was remembered, or the transaction fails with OUT_OF_DATE
 */
export function saveComposites(
  tx: TransactionSql,
  now: Date,
  limitMs: number,
  changed: ReadonlyMap<ConcernedComposite, CompositeState>,
  areRemembered: boolean,
): void {
  if (changed.size === 0) return
  // in the order in which they are locked everywhere
  const sorted = [...changed].sort(([a], [b]) => (nameOf(a) < nameOf(b) ? -1 : 1))
  const column = <T>(value: (composite: ConcernedComposite, state: CompositeState) => T) => sorted.map((each) => value(...each))
  // an update takes rows in whatever order it finds them
  if (areRemembered && sorted.length > 1)
    tx`
      select from unnest(${column((c) => c.tenantId)}::uuid[], ${column((c) => c.ruleId)}::uuid[]) n(t, r)
      join composite_conditions c on c.tenant_id = n.t and c.rule_id = n.r order by c.tenant_id, c.rule_id for update of c`.execute()
  const update = tx`
    update composite_conditions c set standing = n.standing::bool, back_count = n.back, judged_at = to_timestamp(n.judged / 1000),
      pending_at = to_timestamp(n.pending / 1000), inputs = n.inputs::jsonb, due_at = to_timestamp(n.due / 1000),
      holds_until = case when n.pending is null then to_timestamp(n.holds / 1000) else c.holds_until end, version = c.version + 1
    from unnest(${column((c) => c.tenantId)}::uuid[], ${column((c) => c.ruleId)}::uuid[], ${column((c) => c.version)}::bigint[],
      ${column((_, s) => Number(s.standing))}::int[], ${column((_, s) => s.backCount)}::int[], ${column((_, s) => s.judgedAt)}::float8[], ${column((_, s) => s.pendingAt)}::float8[],
      ${column((_, s) => JSON.stringify(s.inputs))}::text[], ${column((c, s) => dueAt(c, limitMs, s, now))}::float8[],
      ${column((c, s) => holdsUntil(c.expression, limitMs, s))}::float8[])
      n(t, r, version, standing, back, judged, pending, inputs, due, holds)
    where c.tenant_id = n.t and c.rule_id = n.r and c.version = n.version`
  if (areRemembered)
    tx`with saved as (${update} returning 1) select case when (select count(*) from saved) <> ${sorted.length} then memory_is_out_of_date() end`.execute()
  else update.execute()
}

/** An instant that is pending is evaluated after this, whether its other readings have come or not: parts of one come within a moment. */
const PENDING_MS = 1_000
const dueAt = ({ expression }: ConcernedComposite, limitMs: number, state: CompositeState, now: Date): number | null =>
  state.pendingAt === null ? completionOf(expression, limitMs, state) : now.getTime() + PENDING_MS

const nameOf = ({ tenantId, ruleId }: ConcernedComposite): string => `${tenantId} ${ruleId}`

/** Readings of a machine's metrics in a stretch of time, ascending, the first `most`. */
export async function storedSamples(
  tx: TransactionSql,
  { tenantId, machineId, expression }: Pick<ConcernedComposite, 'tenantId' | 'machineId' | 'expression'>,
  from: number,
  until: number,
  most: number,
): Promise<Sample[]> {
  const series = await tx<(SentColumns & { metric: string; unit: string })[]>`
    select s.metric, s.unit, sent.times, sent.values from series s cross join lateral (
      select array_send(array_agg(ts order by ts)) as times, array_send(array_agg(value order by ts)) as values from (
        select ts, value from readings where series_id = s.id and ts between ${new Date(from)} and ${new Date(until)} order by ts limit ${most}) stored) sent
    where s.tenant_id = ${tenantId} and s.machine_id = ${machineId} and s.metric = any(${expression.conditions.map((c) => c.metric)}::text[])
    order by s.unit`
  const samples = series.flatMap(({ metric, unit, ...sent }) => {
    const { length, times, values } = columnsOf(sent)
    return Array.from({ length }, (_, i): Sample => ({ metric, unit, timestamp: times[i] as number, value: values[i] as number }))
  })
  return samples.sort((a, b) => a.timestamp - b.timestamp).slice(0, most)
}
