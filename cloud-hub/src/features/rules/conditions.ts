import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { TransactionSql } from '../../db/pools.ts'
import { owned, type TenantDb, type TenantScope } from '../../db/scope.ts'
import { alerts, ruleConditions } from '../../db/tables/alerts.ts'
import { machines } from '../../db/tables/machines.ts'
import type { Condition } from './evaluate.ts'

/**
 * Flushes share this lock, a change of a rule or the deactivation of a machine holds it alone: a flush never judges by a rule that has just
 * changed. The first lock of every transaction that takes it.
 */
const LOCK_CLASS = 4_711
export const lockRulesShared = (tx: TransactionSql, tenantIds: string[]) =>
  tx`select pg_advisory_xact_lock_shared(${LOCK_CLASS}, key) from (select distinct hashtext(t) as key from unnest(${tenantIds}::text[]) t order by 1) keys`
/** Before anything else in its transaction: a row locked earlier is one that a flush may be waiting for. */
export const lockRulesAlone = (db: TenantDb, scope: TenantScope) =>
  db.execute(sql`select pg_advisory_xact_lock(${LOCK_CLASS}, hashtext(${scope.tenantId}))`)

/**
 * Ends what stands for a rule or on a machine: its alerts get `cleared_at`, acknowledge nothing, and the next reading judges afresh. The
 * status of the machines concerned follows.
 */
export async function clearConditions(
  db: TenantDb,
  scope: TenantScope,
  of: { ruleId: string } | { machineId: string },
): Promise<void> {
  await lockRulesAlone(db, scope)
  const mine = (table: typeof ruleConditions | typeof alerts): SQL =>
    'ruleId' in of ? eq(table.ruleId, of.ruleId) : eq(table.machineId, of.machineId)
  const reset = { standing: 'normal' as const, current: 'normal' as const, backCount: 0, judgedAt: null }
  await db
    .update(ruleConditions)
    .set(reset)
    .where(and(owned(ruleConditions, scope), mine(ruleConditions)))
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
  const level = sql`(
    select max(case c.current when 'critical' then 2 when 'warning' then 1 else 0 end) from rule_conditions c
    join threshold_rules r on r.tenant_id = c.tenant_id and r.id = c.rule_id and r.is_active
    where c.tenant_id = ${machines.tenantId} and c.machine_id = ${machines.id})`
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

/** An active rule that concerns a series of a flush; `ord` is the series' place in the flush. */
export interface ConcernedRule {
  ord: number
  tenantId: string
  ruleId: string
  machineId: string
  unit: string
  warning: number
  critical: number
  condition: Condition
}

export interface SeriesInFlush {
  tenantId: string
  machineId: string
  metric: string
  unit: string
}

/**
 * The active rules that concern these series, each with its condition, locked in (tenant, rule, machine, unit) order until the end of the
 * transaction. Costs what concerns the series, however many rules there are.
 */
export async function lockConcernedRules(tx: TransactionSql, series: readonly SeriesInFlush[]): Promise<ConcernedRule[]> {
  const column = (name: keyof SeriesInFlush) => series.map((s) => s[name])
  const rules = await tx<Omit<ConcernedRule, 'condition'>[]>`
    select i.ord::int - 1 as ord, r.tenant_id as "tenantId", r.id as "ruleId", i.machine as "machineId", i.unit,
      r.warning_threshold as warning, r.critical_threshold as critical
    from unnest(${column('tenantId')}::uuid[], ${column('machineId')}::uuid[], ${column('metric')}::text[], ${column('unit')}::text[])
      with ordinality i(tenant, machine, metric, unit, ord)
    join threshold_rules r on r.tenant_id = i.tenant and r.metric_name = i.metric and r.is_active and (r.machine_id is null or r.machine_id = i.machine)
    order by r.tenant_id, r.id, i.machine, i.unit`
  if (rules.length === 0) return []
  const keys = (name: 'tenantId' | 'ruleId' | 'machineId' | 'unit') => rules.map((r) => r[name])
  const wanted = tx`unnest(${keys('tenantId')}::uuid[], ${keys('ruleId')}::uuid[], ${keys('machineId')}::uuid[], ${keys('unit')}::text[])`
  await tx`
    insert into rule_conditions (tenant_id, rule_id, machine_id, unit)
    select * from ${wanted} w(t, r, m, u) where not exists (
      select from rule_conditions c where c.tenant_id = w.t and c.rule_id = w.r and c.machine_id = w.m and c.unit = w.u)
    on conflict do nothing`
  const conditions = await tx<
    (Omit<Condition, 'judgedAt'> & { ruleId: string; machineId: string; unit: string; judgedAt: Date | null })[]
  >`
    select c.rule_id as "ruleId", c.machine_id as "machineId", c.unit, c.standing, c.current, c.back_count as "backCount", c.judged_at as "judgedAt"
    from rule_conditions c join ${wanted} w(t, r, m, u) on c.tenant_id = w.t and c.rule_id = w.r and c.machine_id = w.m and c.unit = w.u
    order by c.tenant_id, c.rule_id, c.machine_id, c.unit for update of c`
  const found = new Map(conditions.map((c) => [`${c.ruleId} ${c.machineId} ${c.unit}`, c]))
  return rules.map((rule) => {
    const c = found.get(`${rule.ruleId} ${rule.machineId} ${rule.unit}`)
    if (!c) throw new Error('a condition was not found after it was made')
    return {
      ...rule,
      condition: { standing: c.standing, current: c.current, backCount: c.backCount, judgedAt: c.judgedAt?.getTime() ?? null },
    }
  })
}

/** Writes back the conditions that changed. */
export async function saveConditions(
  tx: TransactionSql,
  changed: readonly (Omit<ConcernedRule, 'condition'> & { after: Condition })[],
): Promise<void> {
  if (changed.length === 0) return
  await tx`
    update rule_conditions c set standing = n.standing, current = n.current, back_count = n.back, judged_at = n.judged
    from unnest(${changed.map((c) => c.tenantId)}::uuid[], ${changed.map((c) => c.ruleId)}::uuid[], ${changed.map((c) => c.machineId)}::uuid[],
      ${changed.map((c) => c.unit)}::text[], ${changed.map((c) => c.after.standing)}::text[], ${changed.map((c) => c.after.current)}::text[],
      ${changed.map((c) => c.after.backCount)}::int[],
      ${changed.map((c) => (c.after.judgedAt === null ? null : new Date(c.after.judgedAt).toISOString()))}::timestamptz[])
      n(t, r, m, u, standing, current, back, judged)
    where c.tenant_id = n.t and c.rule_id = n.r and c.machine_id = n.m and c.unit = n.u`
}
