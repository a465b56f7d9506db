import { and, asc, eq, isNull, or } from 'drizzle-orm'
import { lockRulesExclusive } from '../../../db/advisory-locks.ts'
import { first, owned, type TenantDb, type TenantScope } from '../../../db/scope.ts'
import { thresholdRules } from '../../../db/tables/alerts.ts'
import { fieldError, NotFound, Unprocessable } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import { recomputeMachineStatuses, resetRuleStates } from '../evaluation/index.ts'
import { hasMachine, requireMachine } from './repository.ts'
import type { RuleCreate, RulePut } from './schemas.ts'

export type RuleRow = typeof thresholdRules.$inferSelect

const oneRule = (scope: TenantScope, ruleId: string) => and(owned(thresholdRules, scope), eq(thresholdRules.id, ruleId))

async function ruleOf(db: TenantDb, scope: TenantScope, ruleId: string): Promise<RuleRow> {
  const row = await db.select().from(thresholdRules).where(oneRule(scope, ruleId)).then(first)
  if (!row) throw new NotFound('rule', ruleId)
  return row
}

/** @throws NotFound */
export const findRule = (scope: TenantScope, { rule_id }: { rule_id: string }) => scope.read((db) => ruleOf(db, scope, rule_id))

/** Lists rules, oldest first. With a machine: its rules and those for all machines; none for an unknown machine. */
export const listRules = (scope: TenantScope, machineId: string | undefined): Promise<RuleRow[]> =>
  scope.read(async (db) => {
    const concerning = machineId ? or(eq(thresholdRules.machineId, machineId), isNull(thresholdRules.machineId)) : undefined
    const known = machineId ? hasMachine(db, scope, machineId) : true
    const rows = db
      .select()
      .from(thresholdRules)
      .where(and(owned(thresholdRules, scope), concerning))
      .orderBy(asc(thresholdRules.createdAt), asc(thresholdRules.id))
    const [isKnown, found] = await Promise.all([known, rows])
    return isKnown ? found : []
  })

/** @throws NotFound for an unknown machine */
export const createRule = (scope: TenantScope, body: z.output<typeof RuleCreate>): Promise<RuleRow> =>
  scope.tx(async (db) => {
    // A concurrent flush does not know the rule; the next flush evaluates it.
    await lockRulesExclusive(db, scope)
    if (body.machine_id) await requireMachine(db, scope, body.machine_id)
    const values = {
      tenantId: scope.tenantId,
      machineId: body.machine_id ?? null,
      metricName: body.metric_name,
      warningThreshold: body.warning_threshold,
      criticalThreshold: body.critical_threshold,
      isActive: body.is_active,
      createdBy: scope.actor.id,
      createdAt: scope.clock.now(),
      updatedAt: scope.clock.now(),
    }
    const row = await db.insert(thresholdRules).values(values).returning().then(first)
    if (!row) throw new Error('an inserted rule was not returned')
    return row
  })

/** Changes a rule and clears its open alerts. @throws NotFound, Unprocessable when the thresholds would be equal */
export const changeRule = (scope: TenantScope, ruleId: string, body: z.output<typeof RulePut>): Promise<RuleRow> =>
  scope.tx(async (db) => {
    await lockRulesExclusive(db, scope)
    const before = await ruleOf(db, scope, ruleId)
    const warningThreshold = body.warning_threshold ?? before.warningThreshold
    const criticalThreshold = body.critical_threshold ?? before.criticalThreshold
    if (warningThreshold === criticalThreshold)
      throw new Unprocessable([fieldError('body.critical_threshold', 'equal_thresholds')])
    const values = {
      warningThreshold,
      criticalThreshold,
      isActive: body.is_active ?? before.isActive,
      updatedAt: scope.clock.now(),
    }
    const unchanged = (['warningThreshold', 'criticalThreshold', 'isActive'] as const).every((key) => values[key] === before[key])
    if (unchanged) return before
    await resetRuleStates(db, scope, { ruleId })
    const row = await db.update(thresholdRules).set(values).where(oneRule(scope, ruleId)).returning().then(first)
    if (!row) throw new NotFound('rule', ruleId)
    await recomputeMachineStatuses(db, scope, row)
    return row
  })

/** Deletes a rule. Its alerts stay and are cleared. @throws NotFound */
export const deleteRule = (scope: TenantScope, ruleId: string): Promise<void> =>
  scope.tx(async (db) => {
    await resetRuleStates(db, scope, { ruleId })
    const row = await db.update(thresholdRules).set({ isActive: false }).where(oneRule(scope, ruleId)).returning().then(first)
    if (!row) throw new NotFound('rule', ruleId)
    await recomputeMachineStatuses(db, scope, row)
    await db.delete(thresholdRules).where(oneRule(scope, ruleId))
  })
