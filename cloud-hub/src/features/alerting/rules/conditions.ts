import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import { lockRulesExclusive, lockRulesShared } from '../../../db/advisory-locks.ts'
import type { Sql, TransactionSql } from '../../../db/pools.ts'
import { owned, type TenantDb, type TenantScope } from '../../../db/scope.ts'
import { alerts, ruleConditions } from '../../../db/tables/alerts.ts'
import { compositeConditions } from '../../../db/tables/composite-rules.ts'
import { machines } from '../../../db/tables/machines.ts'
import type { Condition } from './evaluate.ts'

/** SQLSTATE of what fails because something remembered has changed (migration 0002). */
export const OUT_OF_DATE = 'HL001'
/** A composite rule that nothing was read for. */
const BLANK = { standing: false, backCount: 0, judgedAt: null, pendingAt: null, inputs: [], dueAt: null, holdsUntil: null }

/**
 * Ends what stands for a rule or on a machine: its alerts get `cleared_at`, acknowledge nothing, and the next reading judges afresh. The
 * status of the machines concerned follows.
 */
export async function clearConditions(
  db: TenantDb,
  scope: TenantScope,
  of: { ruleId: string } | { machineId: string },
): Promise<void> {
  await lockRulesExclusive(db, scope)
  const mine = (table: typeof ruleConditions | typeof compositeConditions | typeof alerts): SQL =>
    'ruleId' in of ? eq(table.ruleId, of.ruleId) : eq(table.machineId, of.machineId)
  const reset = { standing: 'normal' as const, current: 'normal' as const, backCount: 0, judgedAt: null }
  await db
    .update(ruleConditions)
    .set(reset)
    .where(and(owned(ruleConditions, scope), mine(ruleConditions)))
  await db
    .update(compositeConditions)
    .set({ ...BLANK, version: sql`${compositeConditions.version} + 1` })
    .where(and(owned(compositeConditions, scope), mine(compositeConditions)))
  await db
    .update(alerts)
    .set({ clearedAt: scope.clock.now() })
    .where(and(owned(alerts, scope), mine(alerts), isNull(alerts.clearedAt)))
}

/** After a rule changed: the status of every machine it was judged for, and an end to statuses set by hand where it applies. */
export async function refreshStatuses(
  db: TenantDb,
  scope: TenantScope,
  rule: { id: string; machineId: string | null },
): Promise<void> {
  const level = sql`greatest((
    select max(case c.current when 'critical' then 2 when 'warning' then 1 else 0 end) from rule_conditions c
    join threshold_rules r on r.tenant_id = c.tenant_id and r.id = c.rule_id and r.is_active
    where c.tenant_id = ${machines.tenantId} and c.machine_id = ${machines.id}), (
    select max(case r.severity when 'critical' then 2 when 'warning' then 1 else 0 end) from composite_conditions c
    join composite_rules r on r.tenant_id = c.tenant_id and r.id = c.rule_id and r.is_active
    where c.tenant_id = ${machines.tenantId} and c.machine_id = ${machines.id} and c.holds_until >= ${scope.clock.now().toISOString()}))`
  const concerned = rule.machineId
    ? eq(machines.id, rule.machineId)
    : sql`(${machines.statusIsManual} or exists (select from rule_conditions c where c.tenant_id = ${machines.tenantId} and c.machine_id = ${machines.id} and c.rule_id = ${rule.id}))`
  await db
    .update(machines)
    .set({
      status: sql`case when ${machines.offlineDueAt} is null then 'offline' when ${level} = 2 then 'critical' when ${level} = 1 then 'warning' else 'healthy' end`,
      statusIsManual: false,
    })
    .where(and(owned(machines, scope), eq(machines.isActive, true), concerned))
}

/** What a condition belongs to. */
export interface ConditionKey {
  tenantId: string
  ruleId: string
  machineId: string
  unit: string
}

/** An active rule that concerns a series of a flush. */
export interface ConcernedRule extends ConditionKey {
  warning: number
  critical: number
  condition: Condition
}

const columnsOf = (keys: readonly ConditionKey[]) => ({
  tenants: keys.map((k) => k.tenantId),
  rules: keys.map((k) => k.ruleId),
  machines: keys.map((k) => k.machineId),
  units: keys.map((k) => k.unit),
})

/**
 * Makes conditions that nobody has made yet, in a transaction of its own: a flush that made them inside its own would hold new ones while it
 * waits for old ones, against the order.
 */
export async function makeConditions(ingest: Sql, keys: readonly ConditionKey[]): Promise<void> {
  const { tenants, rules, machines: machineIds, units } = columnsOf(keys)
  await ingest.begin(async (tx) => {
    lockRulesShared(tx, tenants)
    await tx`
      insert into rule_conditions (tenant_id, rule_id, machine_id, unit)
      select k.t, k.r, k.m, k.u from unnest(${tenants}::uuid[], ${rules}::uuid[], ${machineIds}::uuid[], ${units}::text[]) k(t, r, m, u)
      join threshold_rules r on r.tenant_id = k.t and r.id = k.r order by 1, 2, 3, 4 on conflict do nothing`
  })
}

/**
 * Writes back conditions. Sent and not waited for: a failure fails the transaction.
 * @param areRemembered they were not locked before: each has to be as it was remembered, or the transaction fails with {@link OUT_OF_DATE}
 */
export function saveConditions(tx: TransactionSql, changed: ReadonlyMap<ConcernedRule, Condition>, areRemembered: boolean): void {
  if (changed.size === 0) return
  // in the order in which conditions are locked everywhere
  const sorted = [...changed].sort(([a], [b]) => (nameOf(a) < nameOf(b) ? -1 : 1))
  const { tenants, rules, machines: machineIds, units } = columnsOf(sorted.map(([key]) => key))
  const [before, after] = [sorted.map(([rule]) => rule.condition), sorted.map(([, condition]) => condition)]
  // an update takes rows in whatever order it finds them
  if (areRemembered && sorted.length > 1)
    tx`
      select from unnest(${tenants}::uuid[], ${rules}::uuid[], ${machineIds}::uuid[], ${units}::text[]) n(t, r, m, u)
      join rule_conditions c on c.tenant_id = n.t and c.rule_id = n.r and c.machine_id = n.m and c.unit = n.u
      order by c.tenant_id, c.rule_id, c.machine_id, c.unit for update of c`.execute()
  const update = tx`
    update rule_conditions c set standing = n.standing, current = n.current, back_count = n.back, judged_at = to_timestamp(n.judged / 1000)
    from unnest(${tenants}::uuid[], ${rules}::uuid[], ${machineIds}::uuid[], ${units}::text[], ${after.map((c) => c.standing)}::text[],
      ${after.map((c) => c.current)}::text[], ${after.map((c) => c.backCount)}::int[], ${after.map((c) => c.judgedAt)}::float8[],
      ${before.map((c) => c.standing)}::text[], ${before.map((c) => c.current)}::text[], ${before.map((c) => c.backCount)}::int[],
      ${before.map((c) => c.judgedAt)}::float8[])
      n(t, r, m, u, standing, current, back, judged, old_standing, old_current, old_back, old_judged)
    where c.tenant_id = n.t and c.rule_id = n.r and c.machine_id = n.m and c.unit = n.u
      and c.standing = n.old_standing and c.current = n.old_current and c.back_count = n.old_back
      and c.judged_at is not distinct from to_timestamp(n.old_judged / 1000)`
  if (areRemembered)
    tx`with saved as (${update} returning 1) select case when (select count(*) from saved) <> ${sorted.length} then memory_is_out_of_date() end`.execute()
  else update.execute()
}

const nameOf = (key: ConditionKey): string => `${key.tenantId} ${key.ruleId} ${key.machineId} ${key.unit}`
