import type { Severity } from '../../../../db/enums.ts'
import type { TransactionSql } from '../../../../db/pools.ts'
import type { Expression } from '../../../../db/tables/composite-rules.ts'
import { type CompositeState, holdsUntil } from './evaluate.ts'
import { dueAt } from './timer.ts'

/** An active composite rule that concerns a machine, with its state. */
export interface CompositeRule {
  tenantId: string
  ruleId: string
  machineId: string
  name: string
  severity: Severity
  expression: Expression
  state: CompositeState
  /** `xmin` of the state's row */
  version: number
}

/** A rule and its state as one JSON text, for statements that return rows of other kinds too; `r` and `c` are the tables. */
export const compositeRuleJson = (tx: TransactionSql) => tx`
  jsonb_build_object('name', r.name, 'severity', r.severity, 'expression', r.expression, 'standing', c.standing, 'normalCount', c.normal_count,
    'evaluatedAt', extract(epoch from c.evaluated_at) * 1000, 'pendingAt', extract(epoch from c.pending_at) * 1000, 'inputs', c.inputs, 'version', c.version)::text`

/** Parses {@link compositeRuleJson}. */
export function parseCompositeRule(key: Pick<CompositeRule, 'tenantId' | 'ruleId' | 'machineId'>, text: string): CompositeRule {
  const { name, severity, expression, version, standing, normalCount, inputs, ...at } = JSON.parse(text) as Pick<
    CompositeRule,
    'name' | 'severity' | 'expression' | 'version'
  > &
    CompositeState
  const [evaluatedAt, pendingAt] = [at.evaluatedAt, at.pendingAt].map((ms) => (ms === null ? null : Math.round(ms))) as [
    number | null,
    number | null,
  ]
  // a hub of the previous version evaluates without changing the column
  const isPending = pendingAt !== null && pendingAt >= (evaluatedAt ?? pendingAt)
  const state = { standing, normalCount, evaluatedAt, pendingAt: isPending ? pendingAt : null, inputs }
  return { ...key, name, severity, expression, version, state }
}

/**
 * Saves states. Sent, not awaited: a failure fails the transaction.
 * @param areCached the rows were not locked before: the transaction fails as stale (SQLSTATE HL001) unless each row is as cached
 */
export function saveCompositeStates(
  tx: TransactionSql,
  now: Date,
  staleAfterMs: number,
  changed: ReadonlyMap<CompositeRule, CompositeState>,
  areCached: boolean,
): void {
  if (changed.size === 0) return
  // in the lock order of these rows
  const sorted = [...changed].sort(([a], [b]) => (sortKey(a) < sortKey(b) ? -1 : 1))
  const column = <T>(value: (composite: CompositeRule, state: CompositeState) => T) => sorted.map((each) => value(...each))
  // an update alone would lock rows in any order
  if (areCached && sorted.length > 1)
    tx`
      select from unnest(${column((c) => c.tenantId)}::uuid[], ${column((c) => c.ruleId)}::uuid[]) n(t, r)
      join composite_conditions c on c.tenant_id = n.t and c.rule_id = n.r order by c.tenant_id, c.rule_id for update of c`.execute()
  const update = tx`
    update composite_conditions c set standing = n.standing::bool, normal_count = n.back, evaluated_at = to_timestamp(n.judged / 1000),
      pending_at = to_timestamp(n.pending / 1000), inputs = n.inputs::jsonb, due_at = to_timestamp(n.due / 1000),
      holds_until = case when n.pending is null then to_timestamp(n.holds / 1000) else c.holds_until end, version = c.version + 1
    from unnest(${column((c) => c.tenantId)}::uuid[], ${column((c) => c.ruleId)}::uuid[], ${column((c) => c.version)}::bigint[],
      ${column((_, s) => Number(s.standing))}::int[], ${column((_, s) => s.normalCount)}::int[], ${column((_, s) => s.evaluatedAt)}::float8[], ${column((_, s) => s.pendingAt)}::float8[],
      ${column((_, s) => JSON.stringify(s.inputs))}::text[], ${column((c, s) => dueAt(c.expression, staleAfterMs, s, now.getTime()))}::float8[],
      ${column((c, s) => holdsUntil(c.expression, staleAfterMs, s))}::float8[])
      n(t, r, version, standing, back, judged, pending, inputs, due, holds)
    where c.tenant_id = n.t and c.rule_id = n.r and c.version = n.version`
  if (areCached)
    tx`with saved as (${update} returning 1) select case when (select count(*) from saved) <> ${sorted.length} then raise_stale_cache() end`.execute()
  else update.execute()
}

const sortKey = ({ tenantId, ruleId }: CompositeRule): string => `${tenantId} ${ruleId}`
