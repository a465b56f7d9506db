import { lockRulesShared } from '../../../../db/advisory-locks.ts'
import type { Sql, TransactionSql } from '../../../../db/pools.ts'
import type { ThresholdState } from './evaluate.ts'

/** The key of a state (table threshold_conditions). */
export interface ThresholdStateKey {
  tenantId: string
  ruleId: string
  machineId: string
  unit: string
}

/** An active threshold rule that concerns a series of a flush, with its state. */
export interface ThresholdRule extends ThresholdStateKey {
  warning: number
  critical: number
  state: ThresholdState
}

const columnsOf = (keys: readonly ThresholdStateKey[]) => ({
  tenants: keys.map((k) => k.tenantId),
  rules: keys.map((k) => k.ruleId),
  machines: keys.map((k) => k.machineId),
  units: keys.map((k) => k.unit),
})

/**
 * Inserts missing states in a transaction of its own. A flush that inserted them itself would hold locks on new rows while it waits for
 * existing ones, against the lock order.
 */
export async function createThresholdStates(ingest: Sql, keys: readonly ThresholdStateKey[]): Promise<void> {
  const { tenants, rules, machines: machineIds, units } = columnsOf(keys)
  await ingest.begin(async (tx) => {
    lockRulesShared(tx, tenants)
    await tx`
      insert into threshold_conditions (tenant_id, rule_id, machine_id, unit)
      select k.t, k.r, k.m, k.u from unnest(${tenants}::uuid[], ${rules}::uuid[], ${machineIds}::uuid[], ${units}::text[]) k(t, r, m, u)
      join threshold_rules r on r.tenant_id = k.t and r.id = k.r order by 1, 2, 3, 4 on conflict do nothing`
  })
}

/**
 * Saves states. Sent, not awaited: a failure fails the transaction.
 * @param areCached the rows were not locked before: the transaction fails as stale (SQLSTATE HL001) unless each row is as cached
 */
export function saveThresholdStates(
  tx: TransactionSql,
  changed: ReadonlyMap<ThresholdRule, ThresholdState>,
  areCached: boolean,
): void {
  if (changed.size === 0) return
  // in the lock order of these rows
  const sorted = [...changed].sort(([a], [b]) => (sortKey(a) < sortKey(b) ? -1 : 1))
  const { tenants, rules, machines: machineIds, units } = columnsOf(sorted.map(([key]) => key))
  const [before, after] = [sorted.map(([rule]) => rule.state), sorted.map(([, state]) => state)]
  // an update alone would lock rows in any order
  if (areCached && sorted.length > 1)
    tx`
      select from unnest(${tenants}::uuid[], ${rules}::uuid[], ${machineIds}::uuid[], ${units}::text[]) n(t, r, m, u)
      join threshold_conditions c on c.tenant_id = n.t and c.rule_id = n.r and c.machine_id = n.m and c.unit = n.u
      order by c.tenant_id, c.rule_id, c.machine_id, c.unit for update of c`.execute()
  const update = tx`
    update threshold_conditions c set standing = n.standing, current = n.current, normal_count = n.back, evaluated_at = to_timestamp(n.judged / 1000)
    from unnest(${tenants}::uuid[], ${rules}::uuid[], ${machineIds}::uuid[], ${units}::text[], ${after.map((c) => c.standing)}::text[],
      ${after.map((c) => c.current)}::text[], ${after.map((c) => c.normalCount)}::int[], ${after.map((c) => c.evaluatedAt)}::float8[],
      ${before.map((c) => c.standing)}::text[], ${before.map((c) => c.current)}::text[], ${before.map((c) => c.normalCount)}::int[],
      ${before.map((c) => c.evaluatedAt)}::float8[])
      n(t, r, m, u, standing, current, back, judged, old_standing, old_current, old_back, old_judged)
    where c.tenant_id = n.t and c.rule_id = n.r and c.machine_id = n.m and c.unit = n.u
      and c.standing = n.old_standing and c.current = n.old_current and c.normal_count = n.old_back
      and c.evaluated_at is not distinct from to_timestamp(n.old_judged / 1000)`
  if (areCached)
    tx`with saved as (${update} returning 1) select case when (select count(*) from saved) <> ${sorted.length} then raise_stale_cache() end`.execute()
  else update.execute()
}

const sortKey = (key: ThresholdStateKey): string => `${key.tenantId} ${key.ruleId} ${key.machineId} ${key.unit}`
